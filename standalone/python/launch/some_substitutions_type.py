"""The type of "a text, a substitution, or several of them to be joined"."""

import collections.abc
from collections.abc import Iterable

from .substitution import Substitution

SomeSubstitutionsType = str | Substitution | Iterable[str | Substitution]
SomeSubstitutionsType_types_tuple = (str, Substitution, collections.abc.Iterable)
