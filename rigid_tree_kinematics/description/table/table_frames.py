"""Order and frames of a table's bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.table.expression import unknown_name
from rigid_tree_kinematics.description.table.yaml_section import Section
from rigid_tree_kinematics.model import Joint, Mimic
from rigid_tree_kinematics.model.transforms import inverse, transform

# Products of a dozen sines and cosines of right angles miss 0 and 1 by no more than this.
ROUNDING = 1e-14


@dataclass
class FramedBody:
    """A body with its joint and frames at zero joint positions."""

    name: str
    parent: str
    joint: Joint  # without its fixed transforms
    before: Array  # 4x4, the joint's frame in the parent's
    section: Section  # its place in the file
    after: Array = field(default_factory=lambda: np.eye(4))  # the table's frame in the joint's
    follows_table: bool = False  # ``before`` is in the parent's frame of the table
    turned: bool = False  # its axes are parallel to the base's
    mimic: Mimic | None = None  # set when all joints are in the tree


def in_tree_order(bodies: Sequence[FramedBody], base: str) -> list[FramedBody]:
    """Return the bodies in the order of the file, with parents before children.

    Raises DescriptionError for repeated names, unknown parents and loops.
    """
    by_name = {base: None} | _unique(bodies, base)
    done: dict[str, FramedBody] = {}
    for body in bodies:
        line = [body]
        while line[-1].name not in done:
            above = by_name.get(line[-1].parent, line[-1])
            if above is line[-1]:
                hint = unknown_name(line[-1].parent, by_name).replace("name", "body", 1)
                raise line[-1].section.error(f"the parent is an {hint}")
            if above is None or above.name in done:
                break
            if above in line:
                circle = " -> ".join(item.name for item in [*line, above])
                raise above.section.error(f"the parents form a loop: {circle}")
            line.append(above)
        for item in reversed(line):
            done.setdefault(item.name, item)
    return list(done.values())


def place(bodies: Sequence[FramedBody]) -> None:
    """Set the fixed transforms of all joints; bodies must be in tree order."""
    rows: dict[str, Array] = {}  # each body's frame as the table has it, in the base's frame
    turns: dict[str, Array] = {}  # each body's frame in its frame as the table has it
    for body in bodies:
        above = rows.get(body.parent, np.eye(4))
        turn_above = turns.get(body.parent, np.eye(4))
        before = body.before
        if body.follows_table:
            before = inverse(turn_above) @ before
        else:
            above = above @ turn_above
        row = above @ body.before @ body.after
        turn = transform(rotation=row[:3, :3].T) if body.turned else np.eye(4)
        rows[body.name], turns[body.name] = row, turn
        if not body.turned:
            body.joint.set_transforms(before, body.after)
        elif np.array_equal(body.after, np.eye(4)):
            # Turn the joint's frame with the body's, so that they stay equal, as in URDF.
            body.joint.axis = _rounded(turn[:3, :3].T @ body.joint.axis)
            body.joint.set_transforms(_rounded(before @ turn), np.eye(4))
        else:
            body.joint.set_transforms(_rounded(before), _rounded(body.after @ turn))


def _unique(bodies: Sequence[FramedBody], base: str) -> dict[str, FramedBody]:
    by_name: dict[str, FramedBody] = {}
    by_joint: dict[str, FramedBody] = {}
    for body in bodies:
        if body.name == base:
            raise body.section.error(f"the body '{base}' is the base; choose another name")
        for kind, name, seen in (
            ("body", body.name, by_name),
            ("joint", body.joint.name, by_joint),
        ):
            if name in seen:
                raise body.section.error(
                    f"the {kind} '{name}' already exists (line {seen[name].section.line}); "
                    "choose another name"
                )
            seen[name] = body
    return by_name


def _rounded(values: Array) -> Array:
    """Return the values, with those within rounding of 0, 1 and -1 made exact."""
    nearest = np.clip(np.round(values), -1.0, 1.0)
    return np.where(np.abs(values - nearest) < ROUNDING, nearest, values) + 0.0
