"""Substitutions that stand for 'true' or 'false', and the choice between two texts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import is_substitution, perform_typed_substitution
from .substitution_failure import SubstitutionFailure


def _truth(context: LaunchContext, value: list[Substitution]) -> bool:
    try:
        return perform_typed_substitution(context, value, bool)
    except (TypeError, ValueError) as error:
        raise SubstitutionFailure(error) from error


def _text(truth: bool) -> str:
    return "true" if truth else "false"


class NotSubstitution(Substitution):
    """The opposite of a truth value."""

    def __init__(self, value: SomeSubstitutionsType) -> None:
        """Create a substitution from the value to be negated."""
        self.__value = normalize_to_list_of_substitutions(value)

    @property
    def value(self) -> list[Substitution]:
        """The value to be negated."""
        return self.__value

    def describe(self) -> str:
        """Return ``NotSubstitution(value)``."""
        return f"NotSubstitution({self.value})"

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'; raises SubstitutionFailure for any other value."""
        return _text(not _truth(context, self.value))


class _ManyValued(Substitution):
    """Base of the substitutions that combine truth values."""

    def __init__(self, *args: SomeSubstitutionsType) -> None:
        """Create a substitution from the values to be combined."""
        self.__args = [normalize_to_list_of_substitutions(arg) for arg in args]

    @property
    def args(self) -> list[list[Substitution]]:
        """The values to be combined."""
        return self.__args

    def describe(self) -> str:
        """Return the class name and the values."""
        return f"{type(self).__name__}({' '.join(str(arg) for arg in self.args)})"

    def _truths(self, context: LaunchContext) -> list[bool]:
        return [_truth(context, arg) for arg in self.args]


class AnySubstitution(_ManyValued):
    """True if at least one value is."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'; raises SubstitutionFailure for any other value."""
        return _text(any(self._truths(context)))


class AllSubstitution(_ManyValued):
    """True if all values are."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'; raises SubstitutionFailure for any other value."""
        return _text(all(self._truths(context)))


class OrSubstitution(AnySubstitution):
    """True if one of two values is."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        """Create a substitution from two values."""
        super().__init__(left, right)

    @property
    def left(self) -> list[Substitution]:
        """The first value."""
        return self.args[0]

    @property
    def right(self) -> list[Substitution]:
        """The second value."""
        return self.args[1]


class AndSubstitution(AllSubstitution):
    """True if both values are."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        """Create a substitution from two values."""
        super().__init__(left, right)

    @property
    def left(self) -> list[Substitution]:
        """The first value."""
        return self.args[0]

    @property
    def right(self) -> list[Substitution]:
        """The second value."""
        return self.args[1]


class EqualsSubstitution(Substitution):
    """True if two texts are equal as truth values, else as numbers, else as texts."""

    def __init__(
        self, left: Any | Iterable[Any] | None, right: Any | Iterable[Any] | None
    ) -> None:
        """Create a substitution; None means the empty text."""
        self.__left = self.__normalize(left)
        self.__right = self.__normalize(right)

    @staticmethod
    def __normalize(value: Any) -> list[Substitution]:
        if is_substitution(value):
            return normalize_to_list_of_substitutions(value)
        if value is None:
            return normalize_to_list_of_substitutions("")
        return normalize_to_list_of_substitutions(
            _text(value) if isinstance(value, bool) else str(value)
        )

    @property
    def left(self) -> list[Substitution]:
        """The first text."""
        return self.__left

    @property
    def right(self) -> list[Substitution]:
        """The second text."""
        return self.__right

    def describe(self) -> str:
        """Return the class name and both texts."""
        return f"{type(self).__name__}({self.left} {self.right})"

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        left = perform_substitutions(context, self.left)
        right = perform_substitutions(context, self.right)
        return _text(_equal(left, right))


class NotEqualsSubstitution(EqualsSubstitution):
    """The opposite of EqualsSubstitution."""

    def perform(self, context: LaunchContext) -> str:
        """Return 'true' or 'false'."""
        return _text(super().perform(context) == "false")


def _equal(left: str, right: str) -> bool:
    truths = {"true": True, "1": True, "false": False, "0": False}
    if left.lower() in truths and right.lower() in truths:
        return truths[left.lower()] == truths[right.lower()]
    try:
        return math.isclose(float(left), float(right))
    except ValueError:
        return left == right


class IfElseSubstitution(Substitution):
    """One of two texts, depending on a truth value."""

    def __init__(
        self,
        condition: SomeSubstitutionsType,
        if_value: SomeSubstitutionsType = "",
        else_value: SomeSubstitutionsType = "",
    ) -> None:
        """Create a substitution; at least one of the two texts must be given."""
        if if_value == else_value == "":
            raise RuntimeError("IfElseSubstitution needs an if_value or an else_value")
        self.__condition = normalize_to_list_of_substitutions(condition)
        self.__if_value = normalize_to_list_of_substitutions(if_value)
        self.__else_value = normalize_to_list_of_substitutions(else_value)

    @property
    def condition(self) -> list[Substitution]:
        """The truth value."""
        return self.__condition

    @property
    def if_value(self) -> list[Substitution]:
        """The text if the condition is true."""
        return self.__if_value

    @property
    def else_value(self) -> list[Substitution]:
        """The text if the condition is false."""
        return self.__else_value

    def describe(self) -> str:
        """Return ``IfElseSubstitution(condition, if, else)``."""
        return f"IfElseSubstitution({self.condition}, {self.if_value}, {self.else_value})"

    def perform(self, context: LaunchContext) -> str:
        """Return the chosen text; raises SubstitutionFailure if there is no truth value."""
        chosen = self.if_value if _truth(context, self.condition) else self.else_value
        return perform_substitutions(context, chosen)
