"""Reading serialised JointState messages without building message objects.

A driver sends the same names again and again; only then is there something to save. A message
whose bytes begin (behind its stamp) like an earlier one has the same names, and its positions are
read in place. Any other message is deserialised by the middleware, and its layout is remembered
if reading in place gives the same result.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.nodes.common.requests import SECOND

STAMP_START = 4  # behind the CDR header
STAMP_END = 12  # int32 seconds, uint32 nanoseconds
LAYOUTS_KEPT = 8  # name lists that are sent to one topic in turn

_STAMP = struct.Struct("=iI")
_COUNT = struct.Struct("=I")


@dataclass(frozen=True, eq=False)
class JointReading:
    """What a JointState says of positions; ``names`` and ``positions`` may differ in length."""

    seconds: int
    nanoseconds: int
    names: tuple[str, ...]
    positions: NDArray[np.float64]

    @property
    def stamp(self) -> int:
        """When they were measured, ns."""
        return self.seconds * SECOND + self.nanoseconds


@dataclass(frozen=True)
class _Layout:
    """The bytes from the frame_id to the names, which stay the same, and what follows them."""

    header: bytes
    start: bytes
    names: tuple[str, ...]
    count_place: int
    positions_place: int


class JointStateReader:
    """Turns the bytes of JointState messages into JointReadings."""

    def __init__(self) -> None:
        self._layouts: list[_Layout] = []

    def read(self, data: bytes) -> JointReading:
        """Return the reading; an exception of the middleware if the bytes are no JointState."""
        for layout in self._layouts:
            if data.startswith(layout.start, STAMP_END):
                reading = _read_in_place(data, layout)
                if reading is not None:
                    return reading
        message = deserialize_message(data, JointState)
        reading = reading_of(message)
        self._remember(data, reading)
        return reading

    def key(self, data: bytes) -> bytes | None:
        """Return what messages with the same names share; None where they are not known yet."""
        for layout in self._layouts:
            if data.startswith(layout.start, STAMP_END):
                return layout.start
        return None

    def _remember(self, data: bytes, reading: JointReading) -> None:
        layout = _layout_of(data, reading.names)
        if layout is None or any(layout == known for known in self._layouts):
            return
        again = _read_in_place(data, layout)
        if (
            again is not None
            and (again.seconds, again.nanoseconds) == (reading.seconds, reading.nanoseconds)
            and again.positions.tobytes() == reading.positions.tobytes()
        ):
            self._layouts = [layout, *self._layouts[: LAYOUTS_KEPT - 1]]


def reading_of(message: JointState) -> JointReading:
    """Return the reading of a deserialised message."""
    stamp = message.header.stamp
    positions = np.array(message.position, dtype=np.float64)
    return JointReading(stamp.sec, stamp.nanosec, tuple(message.name), positions)


def _read_in_place(data: bytes, layout: _Layout) -> JointReading | None:
    """Return the reading, or None if there is not one position for each name."""
    count = len(layout.names)
    end = layout.positions_place + 8 * count
    if data[:STAMP_START] != layout.header or len(data) < end:
        return None
    if _COUNT.unpack_from(data, layout.count_place)[0] != count:
        return None
    seconds, nanoseconds = _STAMP.unpack_from(data, STAMP_START)
    positions = np.frombuffer(data, np.float64, count, layout.positions_place)
    return JointReading(seconds, nanoseconds, layout.names, positions)


def _layout_of(data: bytes, names: tuple[str, ...]) -> _Layout | None:
    """Find the layout in plain CDR bytes: length-prefixed strings, each aligned to four."""
    try:
        place = _after_string(data, STAMP_END)
        place = _aligned(place, 4) + _COUNT.size
        for _ in names:
            place = _after_string(data, _aligned(place, 4))
        count_place = _aligned(place, 4)
    except struct.error:
        return None
    header, start = bytes(data[:STAMP_START]), bytes(data[STAMP_END:count_place])
    positions_place = _aligned(count_place + _COUNT.size, 8)
    return _Layout(header, start, names, count_place, positions_place) if names else None


def _after_string(data: bytes, place: int) -> int:
    return place + _COUNT.size + int(_COUNT.unpack_from(data, place)[0])


def _aligned(place: int, size: int) -> int:
    """Return the next place that is aligned, counted from behind the CDR header."""
    return STAMP_START + -(-(place - STAMP_START) // size) * size
