"""The names of all frames in TF messages, read from their bytes.

A sender repeats the names and changes the numbers. The offsets of the names are found once for
each sender. Later messages of the same length are compared at these offsets, so two messages share
a key only if all their frames are equal.
"""

import struct

from rigid_tree_kinematics.nodes.common.fast import COUNT, START, aligned, count_at, string_at

CDR_LITTLE_ENDIAN = b"\x00\x01"
FIRST_STAMP = 8  # offset of the first transform's stamp, after the count of transforms
STAMP = 8  # bytes: int32 seconds, uint32 nanoseconds
POSE = 7 * 8  # bytes: seven doubles
LAYOUTS_KEPT = 256  # bounds the memory if a sender changes its names all the time


class FrameNames:
    """Computes keys of serialized TFMessages that are equal for equal frames.

    Not thread-safe: each listener has its own.
    """

    def __init__(self) -> None:
        # By the length of the message: places of the names, and their bytes.
        self._layouts: dict[int, list[tuple[tuple[slice, ...], bytes]]] = {}
        self._count = 0

    def key(self, data: bytes) -> bytes:
        """Return the bytes of all frame names; the whole message if they cannot be found."""
        for places, names in self._layouts.get(len(data), ()):
            # These bytes include the lengths of the names, so equal bytes have equal offsets.
            if b"".join([data[place] for place in places]) == names:
                return names
        found = places_of_names(data)
        if found is None:
            return data
        names = b"".join([data[place] for place in found])
        if self._count >= LAYOUTS_KEPT:
            self._layouts.clear()
            self._count = 0
        self._layouts.setdefault(len(data), []).append((found, names))
        self._count += 1
        return names


def places_of_names(data: bytes) -> tuple[slice, ...] | None:
    """Return the offsets of a serialized TFMessage's transform count and frame names.

    None if the bytes are not plain little-endian CDR of a TFMessage: a count, then for each
    transform a stamp, two strings with their lengths in front, and seven doubles, each aligned to
    its size.
    """
    if data[:2] != CDR_LITTLE_ENDIAN:
        return None
    at = START + COUNT.size
    places = [slice(0, at)]
    try:
        for _ in range(count_at(data, START)):
            at = aligned(at, 4) + STAMP
            for _ in range(2):
                places.append(string_at(data, at))
                at = places[-1].stop
            at = aligned(at, 8) + POSE
            if at > len(data):
                return None
    except struct.error:
        return None
    return tuple(places)
