"""Parameters of nodes: a value of a wanted type."""

from __future__ import annotations

from typing import Any

from launch import LaunchContext
from launch.utilities.type_utils import (
    AllowedTypesType,
    SomeValueType,
    normalize_typed_substitution,
    perform_typed_substitution,
)
from rigid_tree_stand_in import missing_name

__all__ = ["ParameterValue"]
__getattr__ = missing_name(__name__)


class ParameterValue:
    """A value, or a substitution whose text becomes a value of ``value_type``.

    Without ``value_type`` the text is read as YAML; with ``value_type=str`` it stays a text.
    """

    def __init__(
        self, value: SomeValueType, *, value_type: AllowedTypesType | None = None
    ) -> None:
        """Create a description; raises TypeError if the value cannot be of the type."""
        self.__value = normalize_typed_substitution(value, value_type)
        self.__value_type = value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value in this context."""
        return perform_typed_substitution(context, self.__value, self.__value_type)
