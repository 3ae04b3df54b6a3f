"""Conditions under which an action is executed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from .condition import Condition
from .launch_context import LaunchContext
from .some_substitutions_type import SomeSubstitutionsType
from .substitution import Substitution
from .utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "IfCondition",
    "InvalidConditionExpressionError",
    "LaunchConfigurationEquals",
    "LaunchConfigurationNotEquals",
    "UnlessCondition",
    "evaluate_condition_expression",
]

_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class InvalidConditionExpressionError(ValueError):
    """A condition's text is none of true, 1, false and 0."""

    def __init__(
        self,
        expression: str,
        unexpanded_expression: Sequence[Substitution],
        valid_expressions: Sequence[str],
    ) -> None:
        """Create the error for the text and the substitutions it came from."""
        origin = " + ".join(str(sub) for sub in unexpanded_expression)
        super().__init__(
            f"a condition cannot be '{expression}' (from '{origin}'): it must be one of "
            f"{', '.join(valid_expressions)}"
        )


def evaluate_condition_expression(
    context: LaunchContext, expression: Sequence[Substitution]
) -> bool:
    """Return the truth of a performed text, ignoring case and surrounding blanks."""
    text = perform_substitutions(context, expression).strip().lower()
    if text not in _TRUTH:
        raise InvalidConditionExpressionError(text, expression, list(_TRUTH))
    return _TRUTH[text]


class IfCondition(Condition):
    """Holds if the expression is true (or 1)."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        """Create a condition from a text or substitutions."""
        self.__expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(predicate=self._predicate_func)

    def _predicate_func(self, context: LaunchContext) -> bool:
        return evaluate_condition_expression(context, self.__expression)


class UnlessCondition(IfCondition):
    """Holds if the expression is false (or 0)."""

    def _predicate_func(self, context: LaunchContext) -> bool:
        return not super()._predicate_func(context)


class LaunchConfigurationEquals(Condition):
    """Holds if a launch configuration has a value; deprecated in favour of EqualsSubstitution."""

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None
    ) -> None:
        """Create a condition; an expected value of None means "not set"."""
        warnings.warn(
            f"{type(self).__name__} is deprecated, use IfCondition with EqualsSubstitution or "
            "NotEqualsSubstitution instead",
            UserWarning,
            stacklevel=2,
        )
        self.__name = launch_configuration_name
        self.__expected = (
            None if expected_value is None else normalize_to_list_of_substitutions(expected_value)
        )
        super().__init__(predicate=self._predicate_func)

    def _predicate_func(self, context: LaunchContext) -> bool:
        expected = (
            None if self.__expected is None else perform_substitutions(context, self.__expected)
        )
        return context.launch_configurations.get(self.__name) == expected


class LaunchConfigurationNotEquals(LaunchConfigurationEquals):
    """Holds if a launch configuration has another value; deprecated like its opposite."""

    def _predicate_func(self, context: LaunchContext) -> bool:
        return not super()._predicate_func(context)
