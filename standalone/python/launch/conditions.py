"""Conditions under which an action is executed."""

from __future__ import annotations

from rigid_tree_stand_in import missing_name

from .condition import Condition
from .launch_context import LaunchContext
from .some_substitutions_type import SomeSubstitutionsType
from .utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = ["IfCondition", "InvalidConditionExpressionError", "UnlessCondition"]
__getattr__ = missing_name(__name__)

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class InvalidConditionExpressionError(ValueError):
    """A condition's text is none of true, 1, false and 0."""


class IfCondition(Condition):
    """Holds if the expression is true (or 1), whatever its case and the blanks around it."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        """Create a condition from a text or substitutions."""
        self.__expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._predicate_func)

    def _predicate_func(self, context: LaunchContext) -> bool:
        text = perform_substitutions(context, self.__expression)
        truth = _TRUTH.get(text.strip().lower())
        if truth is None:
            origin = " + ".join(sub.describe() for sub in self.__expression)
            raise InvalidConditionExpressionError(
                f"a condition cannot be '{text}' (from {origin}): it must be one of "
                f"{', '.join(_TRUTH)}"
            )
        return truth


class UnlessCondition(IfCondition):
    """Holds if the expression is false (or 0)."""

    def _predicate_func(self, context: LaunchContext) -> bool:
        return not super()._predicate_func(context)
