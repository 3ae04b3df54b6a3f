"""The type of "a text, a substitution, or several of them to be joined"."""

import collections.abc
from collections.abc import Iterable
from typing import Union

from .substitution import Substitution

SomeSubstitutionsType = Union[str, Substitution, Iterable[Union[str, Substitution]]]  # noqa: UP007
SomeSubstitutionsType_types_tuple = (str, Substitution, collections.abc.Iterable)
