"""Seeded random invalid and extreme values of all ROS types."""

import importlib
import math
import random
from collections.abc import Sequence
from typing import Any

from builtin_interfaces.msg import Duration, Time
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

LARGEST_FLOAT32 = 3.4028234663852886e38
SMALLEST_FLOAT32 = 1e-45
FLOATS = (
    math.nan,
    math.inf,
    -math.inf,
    1e308,
    -1e308,
    5e-324,
    -1.0,
    -0.0,
    1e-9,
    1e9,
    2.0**53,
    1e18,
)
FORGED = "x\n[INFO] [1.0] [rrt_planner]: all is well\r\x1b[2K"
TEXTS = (
    "",
    " ",
    "no_such_name",
    "a" * 300,
    "b" * 100_000,
    "nul\x00byte",
    FORGED,
    "\u202egnp.tobor\u202c\u2066\u200b\ufeff",
    "\U0001f916\ufffe",
    "/",
    "~",
    "//",
    "../../../etc/passwd",
    "package://nowhere/mesh.stl",
    "file:///dev/zero",
    "/dev/zero",
    "/proc/self/mem",
    "http://127.0.0.1:9/mesh.dae",
    "%s%n%d{}{0}",
    "<robot name='x'><link name='a'/></robot>",
    "<robot name='x'><link",
    "nan",
    "1e400",
    "null",
    "[1, 2",
)
LENGTHS = (0, 0, 1, 1, 2, 3, 7, 100)
LONG = 10_000  # items of a long array of numbers
TIMES = ((-1, 0), (-(2**31), 0), (2**31 - 1, 0), (0, 2**32 - 1), (0, 1), (1, 0), (10**9, 5))
# Durations that a node waits for are short or rejected.
DURATIONS = ((-1, 0), (-(2**31), 2**32 - 1), (2**31 - 1, 0), (0, 1), (0, 1_500_000_000))
SHORT = 0.05  # s
# Classes of an action's parts, by the suffix of the type's name.
OF_ACTIONS = {
    "_SendGoal": ("Impl", "SendGoalService"),
    "_GetResult": ("Impl", "GetResultService"),
    "_FeedbackMessage": ("Impl", "FeedbackMessage"),
    "_Goal": ("Goal",),
    "_Result": ("Result",),
    "_Feedback": ("Feedback",),
}


def type_of(name: str) -> Any:
    """Return the class of a type such as "std_msgs/msg/String", or of an action's parts."""
    package, folder, kind = name.split("/")
    module = importlib.import_module(f"{package}.{folder}")
    if folder == "action":
        for end, members in OF_ACTIONS.items():
            if kind.endswith(end):
                found = getattr(module, kind.removesuffix(end))
                for member in members:
                    found = getattr(found, member)
                return found
    return getattr(module, kind)


class Worst:
    """Generates messages of any type.

    Args:
        rng: random generator.
        words: valid strings for the receiver, such as joint names.
        names: valid list of strings for the receiver, such as all joint names of a robot.
    """

    def __init__(self, rng: random.Random, words: Sequence[str], names: Sequence[str]) -> None:
        self._rng = rng
        self._words = list(words) or [""]
        self._names = list(names)
        self._badness = 0.0
        self._length = 0

    def message(self, kind: type) -> Any:
        """Return a message with invalid values in none, some or all fields."""
        self._badness = self._rng.choice((0.0, 0.02, 0.05, 0.2, 1.0))
        # Related arrays have equal lengths in most messages.
        self._length = self._rng.choice((*LENGTHS, len(self._names), len(self._names)))
        return self._message(kind, 0)

    def _is_bad(self) -> bool:
        return self._rng.random() < self._badness

    def _message(self, kind: Any, depth: int) -> Any:
        if kind is Duration:
            return self._duration()
        if kind is Time:
            return self._time()
        made = kind()
        names = list(kind.get_fields_and_field_types())
        for name, slot in zip(names, kind.SLOT_TYPES, strict=True):
            setattr(made, name, self._value(slot, depth + 1))
        # A valid quaternion in most messages.
        if names == ["x", "y", "z", "w"] and not self._is_bad():
            made.x = made.y = made.z = 0.0
            made.w = 1.0
        return made

    def _duration(self) -> Duration:
        if self._is_bad():
            seconds, nanoseconds = self._rng.choice(DURATIONS)
            return Duration(sec=seconds, nanosec=nanoseconds)
        return Duration(nanosec=int(self._rng.random() * SHORT * 1e9))

    def _time(self) -> Time:
        seconds, nanoseconds = self._rng.choice(TIMES) if self._is_bad() else (0, 0)
        return Time(sec=seconds, nanosec=nanoseconds)

    def _value(self, slot: Any, depth: int) -> Any:
        if isinstance(slot, AbstractNestedType):
            return self._values(slot, depth)
        if isinstance(slot, NamespacedType):
            return self._message(type_of("/".join((*slot.namespaces, slot.name))), depth)
        if isinstance(slot, AbstractString | AbstractWString):
            return self._text()[: getattr(slot, "maximum_size", None)]
        assert isinstance(slot, BasicType)
        return self._basic(slot.typename)

    def _values(self, slot: Any, depth: int) -> Any:
        if isinstance(slot, Array):
            return [self._value(slot.value_type, depth) for _ in range(slot.size)]
        is_basic = isinstance(slot.value_type, BasicType)
        is_text = isinstance(slot.value_type, AbstractString)
        count = self._length
        if self._is_bad():
            count = self._rng.choice(LENGTHS)
            if is_basic and depth < 4:
                count = self._rng.choice((*LENGTHS, LONG))
        if not is_basic and not is_text:
            count = min(count, max(1, 8 >> depth))  # nested messages grow quickly
        if isinstance(slot, BoundedSequence):
            count = min(count, slot.maximum_size)
        if is_text and count == len(self._names) and not self._is_bad():
            return list(self._names)
        return [self._value(slot.value_type, depth) for _ in range(count)]

    def _text(self) -> str:
        return self._rng.choice(TEXTS if self._is_bad() else self._words)

    def _basic(self, kind: str) -> Any:
        if kind == "boolean":
            return self._rng.random() < 0.5
        if kind == "octet":
            return bytes([self._rng.randrange(256)])
        if kind in ("float", "double", "long double"):
            return self._float(kind == "float")
        return self._integer(kind)

    def _float(self, single: bool) -> float:
        if not self._is_bad():
            return self._rng.choice((0.0, 0.1, 0.5, 1.0, self._rng.uniform(-1.0, 1.0)))
        value = self._rng.choice(FLOATS)
        if single and math.isfinite(value):
            value = max(-LARGEST_FLOAT32, min(LARGEST_FLOAT32, value))
        return value

    def _integer(self, kind: str) -> int:
        if kind in ("char", "wchar"):
            kind = "uint8"
        bits = int(kind.removeprefix("uint").removeprefix("int"))
        low, high = (
            (0, 2**bits - 1) if kind[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        if not self._is_bad():
            return self._rng.randrange(0, 6)
        return int(max(low, min(high, self._rng.choice((low, high, -1, 0, 200, 1000, high - 1)))))
