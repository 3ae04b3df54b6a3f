"""Compiles constraints into the items of ``arrays.py``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints import arrays as kind
from rigid_tree_kinematics.ik.constraints.arrays import (
    BODY,
    BOUNDS,
    FIRST,
    FRAME,
    GROUP,
    ITEM_COLUMNS,
    KIND,
    LAST,
    REFERENCE,
    ROWS,
    TOOL,
)
from rigid_tree_kinematics.ik.constraints.bounds import (
    ROTATION_VECTOR,
    RPY,
    DirectionBounds,
    OrientationBounds,
    RegionBounds,
    ViewBounds,
    hull_planes,
)
from rigid_tree_kinematics.ik.constraints.constraints import (
    CartesianBounds,
    Constraint,
    JointBounds,
    OrientationTarget,
    PoseTarget,
    PositionTarget,
)
from rigid_tree_kinematics.ik.constraints.visibility import VisibilityBounds
from rigid_tree_kinematics.model import Box, CompiledTree, Cylinder, Sphere
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_kinematics.model.transforms import inverse, rotation_taking_z_to, transform

# The smallest half width of bounds (m, rad): paths consist of straight motions.
TIGHTEST = 2e-4
# What the bounds of each level keep from those asked for: a share of half their width, and no more
# than so much (m, rad). Between the points at which a motion is looked at, and where a driver
# joins points by curves, it strays less than MOTION leaves; NODE leaves straight ways room to sag.
SHARES = (0.0, 0.05, 0.3, 0.4)
MOST_KEPT = (0.0, 5e-4, 0.03, 0.04)
ROUNDING = 1e-6  # m, rad; what is asked for is met by what misses it by no more

Bounds = tuple[Array, Array]  # lows and highs, (3,) each
# What an item holds: its kind, T_frame_reference, T_body_tool, its bounds, its planes.
Item = tuple[int, Array, Array, Bounds, Array]
NO_PLANES = np.zeros((0, 4))


def items_of(
    compiled: CompiledTree, constraints: Sequence[Constraint], tightest: float = TIGHTEST
) -> tuple[Array, Array]:
    """Return the items (C, ITEM_COLUMNS) and planes (P, 4) of constraints.

    What leaves less room than ``tightest`` (m, rad) either way gets so much.

    Raises ModelError for a kind of constraint without a compiled form. Only the JointBounds of
    circles become items; the others are limits, see ``narrowed_limits``.
    """
    rows: list[Array] = []
    planes: list[Array] = []
    group = 0
    for constraint in (part for whole in constraints for part in _parts(whole)):
        for item in _circle_items(compiled, constraint):
            rows.append(_row(item, 0, 0, group, tightest))
            rows[-1][[FIRST, LAST]] = item[1][3, :2]
            group += 1
        if isinstance(constraint, JointBounds):
            continue
        maker = _MAKERS.get(type(constraint))
        if maker is None:
            kinds: tuple[type, ...] = (*_MAKERS, JointBounds, PoseTarget, VisibilityBounds)
            known = ", ".join(sorted(constraint.__name__ for constraint in kinds))
            raise ModelError(
                f"{type(constraint).__name__} cannot constrain a path; these can: {known}"
            )
        placed: Any = constraint  # whatever has a maker has a body and a reference
        body = compiled.index_of(placed.body)
        named = placed.reference
        reference = 0 if named is None else compiled.index_of(named)
        for item in maker(constraint):
            row = _row(item, body, reference, group, tightest)
            row[FIRST] = sum(len(part) for part in planes)
            planes.append(item[4])
            row[LAST] = row[FIRST] + len(item[4])
            rows.append(row)
        group += 1
    return (
        np.array(rows).reshape(-1, ITEM_COLUMNS),
        np.vstack([NO_PLANES, *planes]),
    )


def narrowed_limits(
    compiled: CompiledTree, constraints: Sequence[Constraint], tightest: float = TIGHTEST
) -> tuple[Array, Array]:
    """Return the joint limits (nq,) and (nq,) that JointBounds leave."""
    lower, upper = compiled.lower.copy(), compiled.upper.copy()
    for constraint in constraints:
        if not isinstance(constraint, JointBounds):
            continue
        for name, (low, high) in constraint.bounds.items():
            at = compiled.joint_slots[name][0]
            if compiled.position_kinds[at] != CIRCLE:
                middle = 0.5 * (low + high)
                half = max(0.5 * (high - low), tightest)
                lower[at] = max(lower[at], middle - half)
                upper[at] = min(upper[at], middle + half)
    if (lower > upper).any():
        names = ", ".join(compiled.position_names[k] for k in np.flatnonzero(lower > upper))
        raise ModelError(f"JointBounds: nothing is left between the limits of {names}")
    return lower, upper


def _row(item: Item, body: int, reference: int, group: int, tightest: float) -> Array:
    what, T_frame_reference, T_body_tool, (low, high), _ = item
    row = np.zeros(ITEM_COLUMNS)
    row[[KIND, BODY, REFERENCE, GROUP]] = what, body, reference, group
    row[FRAME : FRAME + 12] = T_frame_reference[:3].ravel()
    row[TOOL : TOOL + 12] = T_body_tool[:3].ravel()
    # A length or an angle has no lower bound; its width is the upper one.
    one_sided = np.isneginf(low)
    half = np.where(one_sided, high, 0.5 * (high - low))
    missing = np.maximum(0.0, tightest - half)
    low, high, half = low - missing, high + missing, half + missing
    for level, (share, most) in enumerate(zip(SHARES, MOST_KEPT, strict=True)):
        kept = np.minimum(share * half, most) if level else np.full(3, -min(ROUNDING, tightest))
        at = BOUNDS + 2 * ROWS * level
        row[at : at + ROWS] = low + kept
        row[at + ROWS : at + 2 * ROWS] = high - kept
    return row


def _bounds(low: Sequence[float] | Array, high: Sequence[float] | Array) -> Bounds:
    """Return up to three lows and highs, the rest being free."""
    lows, highs = np.full(ROWS, -math.inf), np.full(ROWS, math.inf)
    lows[: len(low)], highs[: len(high)] = low, high
    return lows, highs


def _shifted(point: Any) -> Array:
    return transform(np.asarray(point, dtype=np.float64))


def _turned(R: Any) -> Array:
    return transform((0.0, 0.0, 0.0), np.asarray(R))


def _parts(constraint: Constraint) -> list[Constraint]:
    """Return what a constraint asks for as constraints that are one group of items each."""
    if isinstance(constraint, VisibilityBounds):
        return constraint.angles
    if not isinstance(constraint, PoseTarget):
        return [constraint]
    body, reference, tool = constraint.body, constraint.reference, np.asarray(constraint.tool)
    T = np.asarray(constraint.target)
    return [
        PositionTarget(body, T[:3, 3].tolist(), reference, tool[:3, 3].tolist()),
        OrientationTarget(body, T[:3, :3] @ tool[:3, :3].T, reference),
    ]


def _of_position(constraint: PositionTarget) -> list[Item]:
    frame, tool = inverse(_shifted(constraint.target)), _shifted(constraint.point)
    return [(kind.BALL, frame, tool, _bounds([-math.inf], [constraint.tolerance]), NO_PLANES)]


def _of_orientation(constraint: OrientationTarget) -> list[Item]:
    frame = inverse(_turned(constraint.target))
    bounds = _bounds([-math.inf], [constraint.tolerance])
    return [(kind.ANGLE, frame, np.eye(4), bounds, NO_PLANES)]


def _of_box(constraint: CartesianBounds) -> list[Item]:
    frame, tool = inverse(np.asarray(constraint.box)), _shifted(constraint.point)
    bounds = _bounds(constraint.lower, constraint.upper)
    return [(kind.POINT, frame, tool, bounds, NO_PLANES)]


def _of_turns(constraint: OrientationBounds) -> list[Item]:
    target = _turned(constraint.target)
    bounds = _bounds(*np.asarray(constraint.tolerances).T)
    if constraint.angles == ROTATION_VECTOR:
        axes = _turned(constraint.axes)
        frame, tool = inverse(axes), inverse(target) @ axes
        return [(kind.ROTATION_VECTOR, frame, tool, bounds, NO_PLANES)]
    what = kind.RPY_ANGLES if constraint.angles == RPY else kind.XYZ_ANGLES
    return [(what, inverse(target), np.eye(4), bounds, NO_PLANES)]


def _of_direction(constraint: DirectionBounds) -> list[Item]:
    frame = inverse(_turned(rotation_taking_z_to(np.asarray(constraint.direction))))
    tool = _turned(rotation_taking_z_to(np.asarray(constraint.axis)))
    return [(kind.CONE, frame, tool, _bounds([-math.inf], [constraint.tolerance]), NO_PLANES)]


def _of_view(constraint: ViewBounds) -> list[Item]:
    frame, tool = inverse(np.asarray(constraint.camera)), _shifted(constraint.point)
    return [(kind.SIGHT, frame, tool, _bounds([-math.inf], [constraint.tolerance]), NO_PLANES)]


def _of_regions(constraint: RegionBounds) -> list[Item]:
    tool = _shifted(constraint.point)
    items: list[Item] = []
    for shape, place in constraint.regions:
        frame = inverse(np.asarray(place))
        planes = NO_PLANES
        if isinstance(shape, Box):
            half = 0.5 * np.array(shape.size)
            what, bounds = kind.POINT, _bounds(-half, half)
        elif isinstance(shape, Sphere):
            what, bounds = kind.BALL, _bounds([-math.inf], [shape.radius])
        elif isinstance(shape, Cylinder):
            half_length = 0.5 * shape.length
            bounds = _bounds([-math.inf, -half_length], [shape.radius, half_length])
            what = kind.CYLINDER
        else:
            planes = hull_planes(shape)
            # Heights over the planes count from so far inside as there is room.
            depth = float(np.min(planes[:, 3] - planes[:, :3] @ np.mean(shape, axis=0)))
            planes[:, 3] -= depth
            what, bounds = kind.PLANES, _bounds([-math.inf], [depth])
        items.append((what, frame, tool, bounds, planes))
    return items


_MAKERS: dict[type[Constraint], Callable[[Any], list[Item]]] = {
    PositionTarget: _of_position,
    OrientationTarget: _of_orientation,
    CartesianBounds: _of_box,
    OrientationBounds: _of_turns,
    DirectionBounds: _of_direction,
    RegionBounds: _of_regions,
    ViewBounds: _of_view,
}


def _circle_items(compiled: CompiledTree, constraint: Constraint) -> list[Item]:
    """Return the items of circles, which no limit bounds: position and velocity stand in row 3."""
    items: list[Item] = []
    if not isinstance(constraint, JointBounds):
        return items
    for name, (low, high) in constraint.bounds.items():
        at = compiled.joint_slots[name][0]
        if compiled.position_kinds[at] == CIRCLE and high - low < 2.0 * math.pi:
            place = np.zeros((4, 4))
            place[0, 0] = 0.5 * (low + high)
            place[3, :2] = at, compiled.velocity_of_position[at]
            half = 0.5 * (high - low)
            items.append(
                (kind.CIRCLE_JOINT, place, np.eye(4), _bounds([-half], [half]), NO_PLANES)
            )
    return items
