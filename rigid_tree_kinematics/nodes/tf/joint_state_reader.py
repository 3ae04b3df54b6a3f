"""Reading joint states: serialized ones without building message objects.

A driver repeats the same names. Positions are read in place if the bytes after the stamp match
those of an earlier message, up to the end of the names. The middleware deserializes any other
message; its layout is cached if reading in place gives the same result.
"""

import struct
from dataclasses import dataclass

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.nodes.common.robot import JointReading, joint_reading

# Offsets in serialized messages: plain CDR (OMG, DDS-XTypes 1.3, 7.4.1).
START = 4  # after the encapsulation header; alignment is relative to this offset
COUNT = struct.Struct("=I")  # precedes strings and sequences
STAMP_END = 12  # offset after int32 seconds and uint32 nanoseconds
LAYOUTS_CACHED = 8  # name lists of one topic

_STAMP = struct.Struct("=iI")


@dataclass(frozen=True)
class _Layout:
    """The constant bytes from the frame_id to the names, and the offsets after them."""

    header: bytes
    start: bytes
    names: tuple[str, ...]
    count_offset: int
    positions_offset: int


class JointStateReader:
    """Converts the bytes of JointState messages to JointReadings."""

    def __init__(self) -> None:
        self._layouts: list[_Layout] = []
        # Bytes of the last message without its stamp, and its reading.
        self._last: tuple[bytes, bytes, JointReading] | None = None

    def read(self, data: bytes) -> JointReading:
        """Return the reading; raises an exception of the middleware for undecodable bytes.

        The positions are the same array as in the last reading if nothing has moved.
        """
        header, rest = data[:START], data[STAMP_END:]
        if self._last is not None and self._last[:2] == (header, rest):
            last = self._last[2]
            seconds, nanoseconds = _STAMP.unpack_from(data, START)
            return JointReading(seconds, nanoseconds, last.names, last.positions)
        reading = self._read(data)
        self._last = (header, rest, reading)
        return reading

    def _layout(self, data: bytes) -> _Layout | None:
        """Return the layout of an earlier message with the same names."""
        for layout in self._layouts:
            if data.startswith(layout.start, STAMP_END) and data.startswith(layout.header):
                return layout
        return None

    def _read(self, data: bytes) -> JointReading:
        known = self._layout(data)
        reading = None if known is None else _read_in_place(data, known)
        if reading is not None:
            return reading
        reading = joint_reading(deserialize_message(data, JointState))
        layout = _layout_of(data, reading.names) if known is None else None
        if layout is not None and _same(_read_in_place(data, layout), reading):
            self._layouts = [layout, *self._layouts[: LAYOUTS_CACHED - 1]]
        return reading


def _same(one: JointReading | None, other: JointReading) -> bool:
    return (
        one is not None
        and one.stamp == other.stamp
        and np.array_equal(one.positions, other.positions, equal_nan=True)
    )


def _read_in_place(data: bytes, layout: _Layout) -> JointReading | None:
    """Return the reading, or None if there is not one position for each name."""
    count = len(layout.names)
    if len(data) < layout.positions_offset + 8 * count:
        return None
    if count_at(data, layout.count_offset) != count:
        return None
    seconds, nanoseconds = _STAMP.unpack_from(data, START)
    positions = np.frombuffer(data, np.float64, count, layout.positions_offset)
    return JointReading(seconds, nanoseconds, layout.names, positions)


def _layout_of(data: bytes, names: tuple[str, ...]) -> _Layout | None:
    """Return the layout of a message with these names; None if the bytes are too short."""
    try:
        offset = aligned(string_at(data, STAMP_END).stop, 4) + COUNT.size
        for _ in names:
            offset = string_at(data, offset).stop
        count_offset = aligned(offset, 4)
    except struct.error:
        return None
    header, start = bytes(data[:START]), bytes(data[STAMP_END:count_offset])
    positions_offset = aligned(count_offset + COUNT.size, 8)
    return _Layout(header, start, names, count_offset, positions_offset) if names else None


def aligned(offset: int, size: int) -> int:
    """Return the next offset that is aligned to a size."""
    return START + -(-(offset - START) // size) * size


def count_at(data: bytes, offset: int) -> int:
    """Return the count at an offset; raises struct.error beyond the end."""
    return int(COUNT.unpack_from(data, offset)[0])


def string_at(data: bytes, offset: int) -> slice:
    """Return the next string after an offset, with its count; raises struct.error.

    It excludes the padding before the string, whose value is arbitrary.
    """
    begin = aligned(offset, 4)
    return slice(begin, begin + COUNT.size + count_at(data, begin))
