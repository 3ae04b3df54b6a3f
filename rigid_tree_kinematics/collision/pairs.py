"""The pairs of bodies that are checked for collisions, and reasons for exclusions."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import combinations

import numpy as np

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.collision.conservative import ConservativeLevel, of_pair, pair_cleared
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.robot import Part, rigid_groups
from rigid_tree_kinematics.collision.robot.parts import neighbors
from rigid_tree_kinematics.collision.shapes.fit_cache import cached_fit, rounded
from rigid_tree_kinematics.collision.world import make_work
from rigid_tree_kinematics.description.srdf import CollisionRules
from rigid_tree_kinematics.errors import CollisionError, UnknownNameError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import random_configuration

# "Always in collision" of MoveIt's setup assistant (compute_default_collisions.cpp).
SAMPLES = 200
ALWAYS = 0.95
SAMPLE_SEED = 7
TOUCHING_VERSION = 1  # increment when the results cached on disk change

Pair = tuple[str, str]


class LeftOut(Enum):
    """Reasons why a pair of bodies is not checked; the values are used in messages."""

    FIXED = "fixed to each other"
    ADJACENT = "adjacent"
    SRDF = "disabled by the SRDF"
    MODEL = "excluded by the robot's model"
    ARGUMENT = "disabled by disabled_pairs"
    ALWAYS = f"touching in more than {ALWAYS:.0%} of {SAMPLES} random configurations"


@dataclass(frozen=True)
class BodyPairs:
    """The pairs of bodies with shapes."""

    checked: tuple[tuple[int, int], ...]
    left_out: Mapping[Pair, LeftOut]
    find_touching: Callable[[], tuple[Pair, ...]]

    @cached_property
    def touching(self) -> tuple[Pair, ...]:
        """The checked pairs that are nearly always in contact."""
        return self.find_touching()

    @property
    def summary(self) -> str:
        """The numbers of checked and excluded pairs, and the names of those always in contact."""
        total = len(self.checked) + len(self.left_out)
        text = f"{len(self.checked)} of {total} pairs of bodies are checked for self-collision"
        reasons = []
        for reason in LeftOut:
            pairs = [pair for pair, why in self.left_out.items() if why is reason]
            if pairs:
                names = f" ({named(pairs)})" if reason is LeftOut.ALWAYS else ""
                reasons.append(f"{len(pairs)} {reason.value}{names}")
        return f"{text}; excluded: {', '.join(reasons)}" if reasons else text


def choose_pairs(
    compiled: CompiledTree,
    parts: Sequence[Part],
    padding: float,
    srdf: CollisionRules | None,
    excluded: Collection[frozenset[str]],
    disabled: Iterable[Pair],
    checked: Iterable[Pair],
) -> BodyPairs:
    """Choose the pairs of bodies with shapes that are checked for collisions.

    Bodies fixed to each other are not. An SRDF determines all others. Without one, pairs are
    left out if they are ``excluded``, if a joint connects them (also through bodies without
    shapes), or if closer than ``padding`` (m) in more than ALWAYS of SAMPLES random
    configurations. ``disabled`` pairs are left out and ``checked`` pairs are checked in any case.

    Raises UnknownNameError for a name that the robot does not have, CollisionError for a
    ``checked`` pair that is also ``disabled``, or that cannot be checked.
    """
    unwanted = {_known(compiled, pair, "disabled_pairs") for pair in disabled}
    wanted = {_known(compiled, pair, "checked_pairs") for pair in checked}
    _check_wanted(wanted, unwanted, {part.name for part in parts})
    group = rigid_groups(compiled)
    adjacent = neighbors(compiled, [part.row for part in parts])
    left_out: dict[Pair, LeftOut] = {}
    candidates = []
    for a, b in combinations(range(len(parts)), 2):
        names = parts[a].name, parts[b].name
        groups = group[parts[a].row], group[parts[b].row]
        reason = _reason(frozenset(names), groups, adjacent, srdf, excluded, wanted, unwanted)
        if reason is None:
            candidates.append((a, b))
        else:
            left_out[names] = reason

    @cache
    def touching() -> set[tuple[int, int]]:
        always = _always_touching(compiled, parts, candidates, padding)
        return {candidates[k] for k in np.flatnonzero(always)}

    chosen = []
    for a, b in candidates:
        names = parts[a].name, parts[b].name
        if srdf is None and frozenset(names) not in wanted and (a, b) in touching():
            left_out[names] = LeftOut.ALWAYS
        else:
            chosen.append((a, b))

    def names_of_touching() -> tuple[Pair, ...]:
        return tuple((parts[a].name, parts[b].name) for a, b in chosen if (a, b) in touching())

    return BodyPairs(tuple(chosen), left_out, names_of_touching)


def _check_wanted(
    wanted: Collection[frozenset[str]],
    unwanted: Collection[frozenset[str]],
    with_shapes: Collection[str],
) -> None:
    for pair in wanted:
        if pair in unwanted:
            raise CollisionError(
                f"checked_pairs and disabled_pairs both have {_quoted(sorted(pair))}"
            )
        if len(pair) != 2 or not pair.issubset(with_shapes):
            raise CollisionError(
                f"checked_pairs: {_quoted(sorted(pair))} are not two bodies with collision shapes"
            )


def _reason(
    pair: frozenset[str],
    groups: tuple[int, int],
    adjacent: Collection[tuple[int, int]],
    srdf: CollisionRules | None,
    excluded: Collection[frozenset[str]],
    wanted: Collection[frozenset[str]],
    unwanted: Collection[frozenset[str]],
) -> LeftOut | None:
    """Return why two bodies are not checked (never LeftOut.ALWAYS); None: they are."""
    if pair in wanted:
        return None
    if pair in unwanted:
        return LeftOut.ARGUMENT
    if groups[0] == groups[1]:
        return LeftOut.FIXED
    if srdf is not None:
        return LeftOut.SRDF if srdf.disables(pair) else None
    if pair in excluded:
        return LeftOut.MODEL
    return LeftOut.ADJACENT if (min(groups), max(groups)) in adjacent else None


def _always_touching(
    compiled: CompiledTree, parts: Sequence[Part], pairs: Sequence[tuple[int, int]], padding: float
) -> Mask:
    """Return ``always_touching``, cached on disk because it is expensive."""
    content = [compiled.table, compiled.home, compiled.lower, compiled.upper]
    digest = hashlib.sha256(b"".join(rounded(part).tobytes() for part in content))
    digest.update(f"{[part.digest for part in parts]} {pairs} {padding}".encode())
    return cached_fit(
        f"{digest.hexdigest()}-touching-{TOUCHING_VERSION}",
        lambda: always_touching(compiled, parts, pairs, padding),
        np.bool_,
        (len(pairs),),
    )


def always_touching(
    compiled: CompiledTree, parts: Sequence[Part], pairs: Sequence[tuple[int, int]], padding: float
) -> Mask:
    """Return which pairs are in contact in more than ALWAYS of SAMPLES configurations.

    The conservative level finds pairs that are apart, the exact level checks the others.
    """
    model = ConservativeLevel(compiled, parts, pairs, padding).model(compiled.home)
    work = make_work(model)
    work.steps[:] = 0.0
    alone = [of_pair(compiled, model, k) for k in range(len(pairs))]

    def proven_apart(q: Array, asked: Mask) -> Mask:
        found = np.zeros(len(pairs), dtype=np.bool_)
        for k in np.flatnonzero(asked).tolist():
            found[k] = pair_cleared(alone[k], k, q, 0.0, work) >= 1.0
        return found

    touching = _rarely_apart(compiled, len(pairs), proven_apart)
    left = [pairs[k] for k in np.flatnonzero(touching).tolist()]
    used = sorted({part for pair in left for part in pair})
    renamed = [(used.index(a), used.index(b)) for a, b in left]
    level = ExactLevel(compiled, [parts[k] for k in used], renamed, padding)
    touching[touching] = _rarely_apart(
        compiled, len(left), lambda q, asked: asked & ~level.touching_pairs(q, asked)
    )
    return touching


def _rarely_apart(
    compiled: CompiledTree, count: int, are_apart: Callable[[Array, Mask], Mask]
) -> Mask:
    """Return which pairs are apart in too few configurations, checked by ``are_apart``."""
    rng = np.random.default_rng(SAMPLE_SEED)
    apart = np.zeros(count, dtype=np.int64)
    left = np.ones(count, dtype=np.bool_)
    for _ in range(SAMPLES):
        if not left.any():
            break
        apart += are_apart(random_configuration(compiled, rng), left)
        left = SAMPLES - apart > ALWAYS * SAMPLES
    return left


def named(pairs: Iterable[Pair]) -> str:
    """Return pairs of names for a message."""
    return ", ".join(_quoted(pair) for pair in pairs)


def _known(compiled: CompiledTree, pair: Pair, argument: str) -> frozenset[str]:
    """Return an unordered pair of names; raises UnknownNameError for unknown bodies."""
    for name in pair:
        if name not in compiled.body_index:
            where = f"{argument}: robot '{compiled.name}'"
            raise UnknownNameError("body", name, compiled.body_names, where)
    return frozenset(pair)


def _quoted(pair: Iterable[str]) -> str:
    return " and ".join(f"'{name}'" for name in pair)
