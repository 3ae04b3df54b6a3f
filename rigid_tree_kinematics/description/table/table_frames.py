"""Bodies read from a table, before they become a tree: their order and their frames."""

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
    """A body, its joint, and where the file puts the frames; angles and lengths all at zero.

    Attributes:
        parent: the parent body's name.
        joint: without its fixed transforms.
        before: the joint's frame in the parent's frame (4x4).
        after: the body's frame, as the table has it, in the joint's frame (4x4).
        follows_table: ``before`` starts at the parent's frame as the table has it, not at the
            turned one.
        turned: the body's axes are made parallel to the base's.
        mimic: set when all joints are in the tree.
        section: where the file says all this.
    """

    name: str
    parent: str
    joint: Joint
    before: Array
    section: Section
    after: Array = field(default_factory=lambda: np.eye(4))
    follows_table: bool = False
    turned: bool = False
    mimic: Mimic | None = None


def in_tree_order(bodies: Sequence[FramedBody], base: str) -> list[FramedBody]:
    """Return the bodies with parents before children, otherwise in the order of the file.

    Raises DescriptionError for names used twice, unknown parents, and parents in a circle.
    """
    by_name = {base: None} | _unique(bodies, base)
    done: dict[str, FramedBody] = {}
    for body in bodies:
        line = [body]
        while line[-1].name not in done:
            above = by_name.get(line[-1].parent, line[-1])
            if above is line[-1]:
                hint = unknown_name(line[-1].parent, by_name).replace("name", "body", 1)
                raise line[-1].section.error(f"hangs on the {hint}")
            if above is None or above.name in done:
                break
            if above in line:
                circle = " -> ".join(item.name for item in [*line, above])
                raise above.section.error(f"the bodies hang on each other in a circle: {circle}")
            line.append(above)
        for item in reversed(line):
            done.setdefault(item.name, item)
    return list(done.values())


def place(bodies: Sequence[FramedBody]) -> None:
    """Set the fixed transforms of all joints; the bodies come in tree order."""
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
            # The joint's own frame is turned with the body's: they stay the same, as in a URDF.
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
                    f"the {kind} '{name}' is there already (line {seen[name].section.line}); "
                    "choose another name"
                )
            seen[name] = body
    return by_name


def _rounded(values: Array) -> Array:
    """Return the values with those next to 0, 1 and -1 made exactly so."""
    nearest = np.clip(np.round(values), -1.0, 1.0)
    return np.where(np.abs(values - nearest) < ROUNDING, nearest, values) + 0.0
