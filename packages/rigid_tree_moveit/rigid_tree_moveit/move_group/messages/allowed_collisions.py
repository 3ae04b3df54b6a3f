"""Conversion of MoveIt's allowed collision matrix."""

import itertools
from collections.abc import Callable

from moveit_msgs.msg import AllowedCollisionEntry, AllowedCollisionMatrix

from rigid_tree_kinematics.collision import AllowedCollisions
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_moveit.move_group.messages.objects import Remarks
from rigid_tree_moveit.move_group.robot import MoveItRobot


def read_allowed(
    matrix: AllowedCollisionMatrix, robot: MoveItRobot, remarks: Remarks
) -> AllowedCollisions:
    """Return the allowed collisions of a matrix that differ from the robot's own rules.

    As in MoveIt, a matrix replaces the previous one, and the entries above its diagonal are used.
    Pairs of links that are not in it keep the robot's own rules. Rows of another length are left
    out. Raises CollisionError for other invalid matrices.
    """
    names = list(matrix.entry_names)
    rows = [list(entry.enabled) for entry in matrix.entry_values]
    defaults = list(matrix.default_entry_names), list(matrix.default_entry_values)
    if len(defaults[0]) != len(defaults[1]):
        problem = (
            f"{len(defaults[0])} default_entry_names, {len(defaults[1])} default_entry_values"
        )
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    if len(rows) != len(names) or len(set(names)) < len(names):
        problem = f"{len(names)} different entry_names need as many rows, not {len(rows)}"
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    short = {name: len(row) for name, row in zip(names, rows, strict=True)}
    short = {name: count for name, count in short.items() if count != len(names)}
    remarks.left_out += [
        f"allowed_collision_matrix: row of '{name}': {count} entries for {len(names)} names"
        for name, count in short.items()
    ]
    fallback = AllowedCollisions({}, dict(zip(*defaults, strict=True)))
    may_touch = _rules(fallback, robot)
    entries = {
        frozenset((first, second)): bool(rows[i][j])
        for (i, first), (j, second) in itertools.combinations(enumerate(names), 2)
        if first not in short and rows[i][j] != may_touch(first, second)
    }
    return AllowedCollisions(entries, fallback.defaults)


def allowed_message(allowed: AllowedCollisions, robot: MoveItRobot) -> AllowedCollisionMatrix:
    """Return allowed collisions as a message, with all links and all named obstacles."""
    named = {name for pair in allowed.pairs for name in pair} | set(allowed.defaults)
    names = [*robot.link_names, *sorted(named - set(robot.link_names))]
    may_touch = _rules(allowed, robot)
    rows = [[may_touch(row, column) for column in names] for row in names]
    return AllowedCollisionMatrix(
        entry_names=names,
        entry_values=[AllowedCollisionEntry(enabled=row) for row in rows],
        default_entry_names=list(allowed.defaults),
        default_entry_values=list(allowed.defaults.values()),
    )


def _rules(allowed: AllowedCollisions, robot: MoveItRobot) -> Callable[[str, str], bool]:
    """Return whether two things are allowed to collide; default: the robot's own rules."""
    links = set(robot.link_names)
    checked = {frozenset(pair) for pair in robot.checkers.self_pairs}

    def may_touch(first: str, second: str) -> bool:
        rule, pair = allowed.decide(first, second), frozenset((first, second))
        return (pair <= links and pair not in checked) if rule is None else rule

    return may_touch
