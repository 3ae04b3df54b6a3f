"""Templates of messages with constant texts and variable stamps and numbers.

Writing numbers into the serialized bytes takes a fraction of the time to build and serialize a
message in Python. The offsets of the numbers are found in bytes that the middleware serialized,
and verified by deserializing a filled copy; if that fails, messages are built the ordinary way.
"""

import re
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message, serialize_message

ENCAPSULATION = 4  # bytes of the CDR header; alignment is relative to its end
LEAD = 8 - ENCAPSULATION  # bytes of the storage before the message
# A stamp that differs from all other parts of a message.
MARKED_SECONDS, MARKED_NANOSECONDS = 0x5A5A1234, 0x12345A5A

M = TypeVar("M")


class ReadyMessage(Generic[M]):
    """A message that is published repeatedly, as bytes or, as a fallback, as a message.

    ``build`` returns the message for a stamp (s, ns), which may be in it more than once, and
    ``count`` numbers; all of them go into fields of type float64, unchanged.
    """

    def __init__(self, build: Callable[[int, int, Sequence[float]], M], count: int) -> None:
        self._build = build
        self._count = count
        self.ready_bytes = count > 0 and self._make_template()

    def encode(self, seconds: int, nanoseconds: int, numbers: NDArray[np.float64]) -> bytes | M:
        """Return the message for a stamp and the numbers, an array of any shape."""
        if not self.ready_bytes:
            return self._build(seconds, nanoseconds, numbers.ravel().tolist())
        words = self._words
        words[self._second_words] = seconds
        words[self._nanosecond_words] = nanoseconds
        self._doubles[self._places] = numbers.ravel()
        return self._message.tobytes()

    def _make_template(self) -> bool:
        """Find the offsets of stamps and numbers; return whether a filled copy is correct.

        Every number gets a unique value, which is then searched for in the bytes.
        """
        marks = 1.0 / (3.0 + np.arange(self._count))
        marked = self._build(MARKED_SECONDS, MARKED_NANOSECONDS, marks.tolist())
        data = bytes(serialize_message(marked))
        stamp_mark = np.array([MARKED_SECONDS, MARKED_NANOSECONDS], dtype=np.uint32).tobytes()
        stamps = np.array([found.start() for found in re.finditer(re.escape(stamp_mark), data)])
        numbers = np.array([data.find(mark.tobytes()) for mark in marks])
        if not stamps.size or (numbers < 0).any():
            return False
        if ((stamps - ENCAPSULATION) % 4).any() or ((numbers - ENCAPSULATION) % 8).any():
            return False

        # What follows the CDR header is aligned in the storage as it is in CDR, and can be viewed
        # as numbers.
        storage = np.zeros((LEAD + len(data) + 7) // 8, dtype=np.float64)
        self._doubles = storage
        self._words = storage.view(np.uint32)
        self._message = storage.view(np.uint8)[LEAD : LEAD + len(data)]
        self._message[:] = np.frombuffer(data, dtype=np.uint8)
        self._second_words = (stamps + LEAD) // 4
        self._nanosecond_words = self._second_words + 1
        self._places = (numbers + LEAD) // 8
        return self._reads_right(type(marked))

    def _reads_right(self, message_type: type) -> bool:
        numbers = np.cos(np.arange(1.0, self._count + 1.0))  # all different
        self.ready_bytes = True
        filled = self.encode(1_234_567_890, 987_654_321, numbers)
        wanted = self._build(1_234_567_890, 987_654_321, numbers.tolist())
        return isinstance(filled, bytes) and bool(
            deserialize_message(filled, message_type) == wanted
        )
