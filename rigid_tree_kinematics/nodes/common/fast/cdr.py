"""Places in serialised messages: plain CDR (OMG, DDS-XTypes 1.3, 7.4.1)."""

from __future__ import annotations

import struct

START = 4  # behind the encapsulation header; alignment is relative to this place
COUNT = struct.Struct("=I")  # in front of strings and sequences


def aligned(place: int, size: int) -> int:
    """Return the next place that is aligned to a size."""
    return START + -(-(place - START) // size) * size


def count_at(data: bytes, place: int) -> int:
    """Return the count at a place; struct.error behind the end."""
    return int(COUNT.unpack_from(data, place)[0])


def string_at(data: bytes, place: int) -> slice:
    """Return the next string behind a place, with the count in front; struct.error.

    It leaves out the padding in front of it, which has any value.
    """
    begin = aligned(place, 4)
    return slice(begin, begin + COUNT.size + count_at(data, begin))
