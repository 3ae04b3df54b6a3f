"""Functions that actions and substitutions share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution

if TYPE_CHECKING:
    from ..launch_context import LaunchContext


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
    return "".join(sub.perform(context) for sub in subs)


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
