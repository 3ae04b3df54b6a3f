"""The type of "a text, a substitution, or several of them to be joined"."""

from collections.abc import Iterable

from .substitution import Substitution

SomeSubstitutionsType = str | Substitution | Iterable[str | Substitution]
