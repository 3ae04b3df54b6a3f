"""Functions that actions and substitutions share."""

from __future__ import annotations

import asyncio
import collections.abc
import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..launch_description_entity import LaunchDescriptionEntity
from ..some_entities_type import SomeEntitiesType
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution

if TYPE_CHECKING:
    from ..launch_context import LaunchContext

__all__ = [
    "ensure_argument_type",
    "is_a",
    "is_a_subclass",
    "normalize_to_list_of_entities",
    "normalize_to_list_of_substitutions",
    "perform_substitutions",
    "visit_all_entities_and_collect_futures",
]


def is_a(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance of ``entity_type``."""
    return isinstance(obj, entity_type)


def is_a_subclass(obj: Any, entity_type: type) -> bool:
    """Return whether ``obj`` is an instance or a subclass of ``entity_type``."""
    return isinstance(obj, entity_type) or (inspect.isclass(obj) and issubclass(obj, entity_type))


def ensure_argument_type(
    argument: Any,
    types: type | Iterable[type],
    argument_name: str,
    caller: str | None = None,
) -> None:
    """Raise TypeError, naming argument and caller, if the argument is of none of the types."""
    allowed = tuple(types) if isinstance(types, collections.abc.Iterable) else (types,)
    if isinstance(argument, allowed):
        return
    prefix = "" if caller is None else f"{caller}: "
    raise TypeError(
        f"{prefix}'{argument_name}' is {argument!r} ({type(argument)}), "
        f"not one of [{', '.join(str(x) for x in allowed)}]"
    )


def normalize_to_list_of_entities(
    entities: Iterable[SomeEntitiesType],
) -> list[LaunchDescriptionEntity]:
    """Flatten one level of nesting."""
    flat: list[LaunchDescriptionEntity] = []
    for entity in entities:
        flat.extend([entity] if isinstance(entity, LaunchDescriptionEntity) else entity)
    return flat


def normalize_to_list_of_substitutions(subs: SomeSubstitutionsType) -> list[Substitution]:
    """Return a list of substitutions, with texts wrapped in TextSubstitution."""
    from ..substitutions import TextSubstitution

    if isinstance(subs, (str, Substitution)):
        subs = [subs]
    normalized: list[Substitution] = []
    for sub in subs:
        if isinstance(sub, str):
            sub = TextSubstitution(text=sub)
        elif not isinstance(sub, Substitution):
            raise TypeError(
                f"{sub!r} ({type(sub)}) is no part of a text: give a str or a Substitution"
            )
        normalized.append(sub)
    return normalized


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the joined texts of the substitutions."""
    return "".join(context.perform_substitution(sub) for sub in subs)


def visit_all_entities_and_collect_futures(
    entity: LaunchDescriptionEntity, context: LaunchContext
) -> list[tuple[LaunchDescriptionEntity, asyncio.Future]]:
    """Visit an entity and, depth first, all it yields; return the futures of unfinished work."""
    sub_entities = entity.visit(context)
    future = entity.get_asyncio_future()
    pairs = [] if future is None else [(entity, future)]
    for sub_entity in sub_entities or ():
        pairs.extend(visit_all_entities_and_collect_futures(sub_entity, context))
    return pairs
