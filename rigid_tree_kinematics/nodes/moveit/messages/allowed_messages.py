"""AllowedCollisionMatrix: from MoveIt's message to allowed collisions, and back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from moveit_msgs.msg import AllowedCollisionEntry, AllowedCollisionMatrix

from rigid_tree_kinematics.collision import AllowedCollisions
from rigid_tree_kinematics.errors import CollisionError

Pairs = Sequence[tuple[str, str]]


def read_allowed(
    matrix: AllowedCollisionMatrix, checked: Pairs, links: Sequence[str]
) -> AllowedCollisions:
    """Return the allowed collisions of a matrix that differ from the robot's own rules.

    ``checked`` are the pairs of the robot's ``links`` that these rules check. Like in MoveIt a
    matrix replaces the one before, and its entries above the diagonal are used. Pairs of links
    that it does not name keep the robot's own rules. Raises CollisionError for an invalid matrix.
    """
    names = list(matrix.entry_names)
    rows = [list(entry.enabled) for entry in matrix.entry_values]
    defaults = list(matrix.default_entry_names), list(matrix.default_entry_values)
    if len(defaults[0]) != len(defaults[1]):
        raise CollisionError(
            f"allowed_collision_matrix: {len(defaults[0])} default_entry_names, but "
            f"{len(defaults[1])} default_entry_values"
        )
    if [len(row) for row in rows] != [len(names)] * len(names) or len(set(names)) < len(names):
        raise CollisionError(
            f"allowed_collision_matrix: {len(names)} different entry_names need as many rows of "
            "as many entries"
        )
    words = AllowedCollisions({}, dict(zip(*defaults, strict=True)))
    own = {frozenset(pair) for pair in checked}
    robot = set(links)
    said = {}
    for (i, first), (j, second) in itertools.combinations(enumerate(names), 2):
        pair = frozenset((first, second))
        plain = words.decide(first, second)
        if plain is None:
            plain = pair <= robot and pair not in own
        if rows[i][j] != plain:
            said[pair] = bool(rows[i][j])
    return AllowedCollisions(said, words.defaults)


def allowed_message(
    allowed: AllowedCollisions, checked: Pairs, links: Sequence[str]
) -> AllowedCollisionMatrix:
    """Return allowed collisions as a message, with all links and all named obstacles."""
    own = {frozenset(pair) for pair in checked}
    named = {name for pair in allowed.pairs for name in pair} | set(allowed.defaults)
    names = [*links, *sorted(named - set(links))]
    robot = set(links)

    def enabled(first: str, second: str) -> bool:
        said = allowed.decide(first, second)
        if said is not None:
            return said
        pair = frozenset((first, second))
        return pair <= robot and pair not in own

    return AllowedCollisionMatrix(
        entry_names=names,
        entry_values=[
            AllowedCollisionEntry(enabled=[enabled(row, column) for column in names])
            for row in names
        ],
        default_entry_names=list(allowed.defaults),
        default_entry_values=list(allowed.defaults.values()),
    )
