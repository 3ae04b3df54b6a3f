"""Parameters of nodes: a value of a wanted type, a name with a value, a YAML file."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import yaml
from launch import LaunchContext, SomeSubstitutionsType, SomeSubstitutionsType_types_tuple
from launch.frontend.parse_substitution import parse_substitution
from launch.substitutions import SubstitutionFailure
from launch.utilities import (
    ensure_argument_type,
    normalize_to_list_of_substitutions,
    perform_substitutions,
)
from launch.utilities.type_utils import (
    AllowedTypesType,
    SomeValueType,
    normalize_typed_substitution,
    perform_typed_substitution,
)


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
        self.__evaluated: Any = None

    @property
    def value(self) -> Any:
        """The value as evaluated last, or as described."""
        return self.__value if self.__evaluated is None else self.__evaluated

    @property
    def value_type(self) -> AllowedTypesType | None:
        """The wanted type."""
        return self.__value_type

    def __str__(self) -> str:
        """Return value and type."""
        return (
            f"launch_ros.description.ParameterValue(value={self.value}, "
            f"value_type={self.value_type})"
        )

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value in this context."""
        self.__evaluated = perform_typed_substitution(context, self.__value, self.__value_type)
        return self.__evaluated


class Parameter:
    """A name and a value; given to the node as ``-p name:=value``."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeValueType,
        *,
        value_type: AllowedTypesType | None = None,
    ) -> None:
        """Create a description; see ParameterValue for the value."""
        ensure_argument_type(name, SomeSubstitutionsType_types_tuple, "name")
        self.__name = normalize_to_list_of_substitutions(name)
        self.__evaluated_name: str | None = None
        self.__value = ParameterValue(value, value_type=value_type)

    @property
    def name(self) -> Any:
        """The name as evaluated, or as described."""
        return self.__name if self.__evaluated_name is None else self.__evaluated_name

    @property
    def value(self) -> Any:
        """The value as evaluated, or as described."""
        return self.__value.value

    @property
    def value_type(self) -> AllowedTypesType | None:
        """The wanted type."""
        return self.__value.value_type

    def __str__(self) -> str:
        """Return name, value and type."""
        return (
            f"launch_ros.description.Parameter(name={self.name}, value={self.value}, "
            f"value_type={self.value_type})"
        )

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        """Return name and value in this context."""
        self.__evaluated_name = perform_substitutions(context, self.__name)
        return self.__evaluated_name, self.__value.evaluate(context)


class ParameterFile:
    """A YAML file of parameters; with ``allow_substs`` it may contain ``$(var name)`` and such."""

    def __init__(
        self,
        param_file: SomeSubstitutionsType | os.PathLike | bytes,
        *,
        allow_substs: bool = False,
    ) -> None:
        """Create a description of the file at a path."""
        types = (*SomeSubstitutionsType_types_tuple, os.PathLike, bytes)
        ensure_argument_type(param_file, types, "param_file", "ParameterFile()")
        ensure_argument_type(allow_substs, bool, "allow_substs", "ParameterFile()")
        if isinstance(param_file, (os.PathLike, bytes)):
            param_file = os.fsdecode(param_file)
        self.__path = normalize_to_list_of_substitutions(param_file)
        self.__allow_substs = allow_substs
        self.__evaluated: Path | None = None
        self.__temporary: Path | None = None

    @property
    def param_file(self) -> Any:
        """The path as evaluated, or as described."""
        return self.__path if self.__evaluated is None else self.__evaluated

    @property
    def allow_substs(self) -> bool:
        """Whether the file may contain substitutions."""
        return self.__allow_substs

    def __str__(self) -> str:
        """Return the path and whether substitutions are allowed."""
        return (
            f"launch_ros.description.ParameterFile(param_file={self.param_file}, "
            f"allow_substs={self.allow_substs})"
        )

    def evaluate(self, context: LaunchContext) -> Path:
        """Return the path; that of a temporary copy if substitutions had to be performed."""
        if self.__evaluated is None:
            self.__evaluated = Path(perform_substitutions(context, self.__path))
            if self.__allow_substs:
                self.__evaluated = self.__temporary = _performed_copy(context, self.__evaluated)
        return self.__evaluated

    def cleanup(self) -> None:
        """Remove the temporary copy, if there is one."""
        if self.__temporary is not None:
            self.__temporary.unlink(missing_ok=True)
            self.__temporary = self.__evaluated = None

    def __del__(self) -> None:
        """Remove the temporary copy."""
        self.cleanup()


def _performed_copy(context: LaunchContext, path: Path) -> Path:
    text = perform_substitutions(context, parse_substitution(path.read_text()))
    try:
        yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise SubstitutionFailure(
            f"with its substitutions, parameter file '{path}' is no valid yaml: {error}"
        ) from error
    with NamedTemporaryFile("w", prefix="launch_params_", delete=False) as copy:
        copy.write(text)
    return Path(copy.name)
