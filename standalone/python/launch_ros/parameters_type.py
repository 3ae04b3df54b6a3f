"""What a node's ``parameters`` may be made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from launch import SomeSubstitutionsType, Substitution

from .parameter_descriptions import Parameter, ParameterFile

SomeParameterFile = Union[SomeSubstitutionsType, os.PathLike, ParameterFile]  # noqa: UP007
SomeParametersDict = Mapping[Any, Any]
SomeParameters = Sequence[Union[SomeParameterFile, Parameter, SomeParametersDict]]  # noqa: UP007
ParametersDict = dict[tuple[Substitution, ...], Any]
Parameters = Sequence[Union[ParameterFile, Parameter, ParametersDict]]  # noqa: UP007
