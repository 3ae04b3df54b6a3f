"""Types of the ``remappings`` of a node."""

from __future__ import annotations

from collections.abc import Iterable

from launch import SomeSubstitutionsType, Substitution

SomeRemapRule = tuple[SomeSubstitutionsType, SomeSubstitutionsType]
SomeRemapRules = Iterable[SomeRemapRule]
RemapRule = tuple[tuple[Substitution, ...], tuple[Substitution, ...]]
