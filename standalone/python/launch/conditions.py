"""Conditions under which an action is executed."""

from rigid_tree_stand_in import missing_name

from ._bases import Condition, SomeSubstitutionsType
from .launch_context import LaunchContext
from .utilities import describe_all, normalize_to_list_of_substitutions, perform_substitutions

__getattr__ = missing_name(__name__)

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class InvalidConditionExpressionError(ValueError):
    """The text of a condition is not true, 1, false or 0."""


class IfCondition(Condition):
    """True if the expression is ``true`` or ``1``, ignoring case and surrounding blanks."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self._expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._is_true)

    def _is_true(self, context: LaunchContext) -> bool:
        text = perform_substitutions(context, self._expression)
        truth = _TRUTH.get(text.strip().lower())
        if truth is None:
            raise InvalidConditionExpressionError(
                f"a condition cannot be '{text}' (from {describe_all(self._expression)}): it must "
                f"be one of {', '.join(_TRUTH)}"
            )
        return truth


class UnlessCondition(IfCondition):
    """True if the expression is ``false`` or ``0``."""

    def _is_true(self, context: LaunchContext) -> bool:
        return not super()._is_true(context)
