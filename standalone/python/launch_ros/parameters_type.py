"""What a node's ``parameters`` may be made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from launch import SomeSubstitutionsType, Substitution

from .parameter_descriptions import Parameter, ParameterFile

SomeParameterFile = SomeSubstitutionsType | os.PathLike | ParameterFile
SomeParametersDict = Mapping[Any, Any]
SomeParameters = Sequence[SomeParameterFile | Parameter | SomeParametersDict]
ParametersDict = dict[tuple[Substitution, ...], Any]
Parameters = Sequence[ParameterFile | Parameter | ParametersDict]
