"""Compilation of constraints to the kernels' arrays."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

import rigid_tree_kinematics.ik.constraints.arrays as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints.arrays import ConstraintArrays
from rigid_tree_kinematics.ik.constraints.constraints import (
    NO_PLANES,
    Constraint,
    Group,
    Item,
    JointBounds,
)
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import CIRCLE

# The smallest half width of bounds (m, rad) along a path, which consists of straight motions.
TIGHTEST = 2e-4
# By how much the bounds of each level are inside those requested: a share of half their width, but
# at most MOST_INSIDE (m, rad). Between the points where a motion is checked, and where a driver
# connects points by curves, it strays less than MOTION allows; NODE leaves room for straight
# motions between nodes.
SHARES = (0.0, 0.05, 0.3, 0.4)
MOST_INSIDE = (0.0, 5e-4, 0.03, 0.04)
ROUNDING = 1e-6  # m, rad; misses by no more than this satisfy the requested bounds


def compile_constraints(
    compiled: CompiledTree,
    constraints: Sequence[Constraint],
    locked: Collection[str],
    tightest: float = TIGHTEST,
    exact: bool = False,
) -> tuple[ConstraintArrays, list[Group]]:
    """Return constraints as arrays, and their groups in the order of the items.

    ``tightest`` is the smallest half width of bounds (m, rad). If ``exact``, for generalized
    inverse kinematics, the requested bounds are not widened, targets without a tolerance are
    vectors, and weights scale rows; otherwise JointBounds narrow the limits. Raises ModelError and
    UnknownNameError for constraints that do not fit the robot.
    """
    for constraint in constraints:
        constraint.check(compiled)
    for name in locked:
        compiled.slot_of(name)
    if exact:
        tightest = 0.0
    groups = [group for one in constraints for group in one.groups(compiled, exact)]
    rows: list[Array] = []
    planes = [NO_PLANES]
    for number, group in enumerate(groups):
        for item in group.items:
            row = _row(compiled, item, tightest)
            row[layout.GROUP] = number
            row[layout.WEIGHT] = math.sqrt(group.constraint.weight) if exact else 1.0
            if item.kind < layout.JOINT:
                row[layout.FIRST] = sum(map(len, planes))
                planes.append(item.planes)
                row[layout.LAST] = sum(map(len, planes))
            rows.append(row)
    items = np.array(rows).reshape(-1, layout.ITEM_COLUMNS)
    lower, upper = compiled.lower.copy(), compiled.upper.copy()
    if not exact:
        _narrow_limits(compiled, constraints, tightest, lower, upper)
    moves = [
        compiled.joint_of_position[at] not in locked and lower[at] < upper[at]
        for at in compiled.position_of_velocity
    ]
    made = ConstraintArrays(
        table=compiled.table.copy(),
        kinds=compiled.position_kinds.copy(),
        bodies=_needed_bodies(compiled, items),
        items=items,
        planes=np.vstack(planes),
        lower=lower,
        upper=upper,
        moves=np.array(moves, dtype=np.float64),
        position_of_velocity=compiled.position_of_velocity.copy(),
        mass=compiled.mass / max(compiled.mass.sum(), 1e-300),
        center=compiled.center_of_mass.copy(),
    )
    return made, groups


def _needed_bodies(compiled: CompiledTree, items: Array) -> np.ndarray:
    """Return the rows of the bodies whose frames the items need, parents first."""
    if (items[:, layout.KIND] == layout.CENTER_OF_MASS).any():
        return np.arange(len(compiled.body_names))
    needed = {0, *items[:, layout.BODY].astype(int), *items[:, layout.REFERENCE].astype(int)}
    for row in list(needed):
        while row > 0:
            needed.add(row)
            row = int(compiled.parents[row])
    return np.array(sorted(needed), dtype=np.int64)


def _narrow_limits(
    compiled: CompiledTree,
    constraints: Sequence[Constraint],
    tightest: float,
    lower: Array,
    upper: Array,
) -> None:
    """Narrow limits (nq,), in place, to JointBounds, except those of circles."""
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
        raise ModelError(f"JointBounds: the bounds and limits do not overlap for {names}")


def _row(compiled: CompiledTree, item: Item, tightest: float) -> Array:
    """Return the row of an item, without its group, weight and planes."""
    row = np.zeros(layout.ITEM_COLUMNS)
    bodies = (0 if name is None else compiled.index_of(name) for name in item[3:5])
    row[[layout.KIND, layout.BODY, layout.REFERENCE]] = item.kind, *bodies
    row[[layout.FIRST, layout.LAST]] = item.joint
    row[layout.FRAME : layout.FRAME + 12] = item.frame[:3].ravel()
    row[layout.TOOL : layout.TOOL + 12] = item.tool[:3].ravel()
    low, high = np.full(layout.ROWS, -math.inf), np.full(layout.ROWS, math.inf)
    low[: len(item.low)], high[: len(item.high)] = item.low, item.high
    # A length or an angle has no lower bound; its width is the upper one.
    half = np.where(np.isneginf(low), high, 0.5 * (high - low))
    missing = np.maximum(0.0, tightest - half)
    low, high, half = low - missing, high + missing, half + missing
    for level, (share, most) in enumerate(zip(SHARES, MOST_INSIDE, strict=True)):
        inside = np.minimum(share * half, most) if level else np.full(3, -min(ROUNDING, tightest))
        at = layout.BOUNDS + 2 * layout.ROWS * level
        row[at : at + layout.ROWS] = low + inside
        row[at + layout.ROWS : at + 2 * layout.ROWS] = high - inside
    return row
