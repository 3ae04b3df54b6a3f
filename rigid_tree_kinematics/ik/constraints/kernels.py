"""Kernels that check constraints and project configurations onto them.

Projection by Newton steps of least length, from the Jacobian of the rows that miss their bounds
(Berenson, Srinivasa, Ferguson, Kuffner, "Manipulation planning on constraint manifolds", ICRA
2009). A projection aims slightly inside the bounds, so it ends after a few steps.
"""

import math
from typing import Any

import rigid_tree_kinematics.ik.constraints.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.constraints.arrays import (
    CONSTRAINT_WORK,
    CONSTRAINTS,
    ConstraintArrays,
    ConstraintWork,
)
from rigid_tree_kinematics.ik.constraints.measures import (
    TINY,
    body_center,
    point_in_base,
    robot_center,
    tool_in_frame,
    values_of,
    vector_kind,
    write_frames,
    write_slopes,
)
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    Transform,
    Vector,
    read_table,
    rotate,
    twelve,
    unrotate,
    velocity_axis,
    velocity_count,
)
from rigid_tree_kinematics.kinematics.topology import (
    write_between,
    write_displacement,
)
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import INTERVAL

DAMPING = 1e-8  # of the squared rows, so that dependent rows can be solved
LONGEST_STEP = 0.5  # rad, in one Newton step
FAR = 3.0  # m; farther from the target than that, translations do most of the motion
SHORT = 10.0  # times its bound, a vector is brought to it by its components
SOLUTIONS_OF_A_STEP = 3  # while joints are removed from it


@inlined
def _beyond(item: Any, level: int, row: int, value: float) -> float:
    """Return the amount by which a value is above (positive) or below (negative) its bounds."""
    above, below = value - item["upper"][level, row], value - item["lower"][level, row]
    return float(max(0.0, above) + min(0.0, below))


@inlined
def _best_of_group(
    constraints: ConstraintArrays, first: int, level: int, q: Array, frames: Array
) -> tuple[float, int, int]:
    """Return the squared violation of the best alternative from ``first`` on, and its index.

    And the first item of the next group.
    """
    items = constraints.items
    least, best = math.inf, first
    k = first
    while k < items.shape[0] and items[k]["group"] == items[first]["group"]:
        m, kind = tool_in_frame(constraints, k, frames), items[k]["kind"]
        values = values_of(constraints, k, kind, m, q)
        missed = 0.0
        for r in range(arrays.ROWS):
            missed += _beyond(items[k], level, r, values[r]) ** 2
        if not missed >= least:  # NaN is the worst
            least, best = missed, k
        k += 1
    return least, best, k


@kernel(types.boolean(CONSTRAINTS, types.int64, VECTOR, CONSTRAINT_WORK))
def satisfied(constraints: ConstraintArrays, level: int, q: Array, work: ConstraintWork) -> bool:
    """Return whether a configuration (nq,) satisfies all bounds of a level."""
    write_frames(constraints, q, work.frames)
    k = 0
    while k < constraints.items.shape[0]:
        missed, _, k = _best_of_group(constraints, k, level, q, work.frames)
        if not missed <= 0.0:
            return False
    return True


@kernel(types.void(CONSTRAINTS, types.int64, VECTOR, CONSTRAINT_WORK, VECTOR))
def write_misses(
    constraints: ConstraintArrays, level: int, q: Array, work: ConstraintWork, out: Array
) -> None:
    """Write the violation (m or rad) of each group of a level at a configuration (nq,)."""
    write_frames(constraints, q, work.frames)
    k = 0
    while k < constraints.items.shape[0]:
        group = constraints.items[k]["group"]
        missed, _, k = _best_of_group(constraints, k, level, q, work.frames)
        out[group] = math.sqrt(missed)


@inlined
def _add_chain(
    constraints: ConstraintArrays,
    q: Array,
    frames: Array,
    body: int,
    weight: float,
    rates: tuple[Vector, Vector, Vector],
    row: Array,
) -> None:
    """Add to a row of the Jacobian the effect of the joints between the base and a body.

    ``rates`` are those by the velocity of a point, by rotation, and the point, in the base's axes.
    """
    table = constraints.table
    g, w, p = rates
    i = body
    while i > 0:
        count = velocity_count(int(table[i, KIND]))
        if count > 0:
            m = read_table(frames, i, 0)
            first = int(table[i, VELOCITY])
            for k in range(count):
                turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
                x, y, z = rotate(m, x, y, z)
                if turns != 0.0:
                    px, py, pz = rotate(m, px, py, pz)
                    rx, ry, rz = p[0] - px - m[3], p[1] - py - m[7], p[2] - pz - m[11]
                    rate = g[0] * (y * rz - z * ry) + g[1] * (z * rx - x * rz)
                    rate += g[2] * (x * ry - y * rx) + w[0] * x + w[1] * y + w[2] * z
                else:
                    rate = g[0] * x + g[1] * y + g[2] * z
                row[first + k] += weight * rate
        i = int(table[i, PARENT])


@inlined
def _write_errors(
    constraints: ConstraintArrays, i: int, level: int, m: Transform, q: Array, work: ConstraintWork
) -> int:
    """Write the amounts by which an item misses its bounds to work.values; return their kind.

    Steps that shorten a vector must not turn it: where it is much longer than its bound, its
    components are brought to the bound, not its length.
    """
    item, values = constraints.items[i], work.values
    kind = int(item["kind"])
    values[0], values[1], values[2] = values_of(constraints, i, kind, m, q)
    most = item["upper"][level, 0]
    vector = vector_kind(kind)
    if vector != kind and values[0] > SHORT * most:
        excess = 1.0 - most / values[0]
        x, y, z = values_of(constraints, i, vector, m, q)
        values[0], values[1], values[2] = excess * x, excess * y, excess * z
        return vector
    for r in range(arrays.ROWS):
        values[r] = _beyond(item, level, r, values[r])
    return kind


@inlined
def _write_item_rows(
    constraints: ConstraintArrays, i: int, level: int, q: Array, work: ConstraintWork, rows: int
) -> int:
    """Append the rows of item ``i`` that violate their bounds; return the number of rows."""
    item, frames = constraints.items[i], work.frames
    m = tool_in_frame(constraints, i, frames)
    weight = item["weight"]
    kind = _write_errors(constraints, i, level, m, q, work)
    if kind >= arrays.JOINT:
        work.errors[rows] = weight * work.values[0]
        work.J[rows] = 0.0
        work.J[rows, item["velocity"]] = weight
        return rows + 1
    write_slopes(constraints, i, kind, m, work.slopes)
    body, reference, tool = item["body"], item["reference"], item["tool"]
    if kind == arrays.CENTER_OF_MASS:
        point = robot_center(constraints, frames)
    else:
        point = point_in_base(frames, body, tool[3], tool[7], tool[11])
    from_reference = twelve(item["frame"])
    above = IDENTITY
    if reference > 0:
        above = read_table(frames, reference, 0)
    for r in range(arrays.ROWS):
        error = work.values[r]
        if error == 0.0:
            continue
        s = work.slopes[r]
        x, y, z = unrotate(from_reference, s[0], s[1], s[2])
        g = rotate(above, x, y, z)
        x, y, z = unrotate(from_reference, s[3], s[4], s[5])
        w = rotate(above, x, y, z)
        work.errors[rows] = weight * error
        row = work.J[rows]
        row[:] = 0.0
        _add_chain(constraints, q, frames, reference, -weight, (g, w, point), row)
        if kind == arrays.CENTER_OF_MASS:
            for k in range(1, constraints.mass.shape[0]):
                center = body_center(constraints, frames, k)
                share = weight * constraints.mass[k]
                _add_chain(constraints, q, frames, k, share, (g, w, center), row)
        else:
            _add_chain(constraints, q, frames, body, weight, (g, w, point), row)
        rows += 1
    return rows


@kernel(types.int64(CONSTRAINTS, types.int64, VECTOR, CONSTRAINT_WORK))
def write_rows(constraints: ConstraintArrays, level: int, q: Array, work: ConstraintWork) -> int:
    """Write errors and Jacobian of rows that violate a level's bounds; return their number."""
    write_frames(constraints, q, work.frames)
    rows = 0
    k = 0
    while k < constraints.items.shape[0]:
        missed, i, k = _best_of_group(constraints, k, level, q, work.frames)
        if missed > 0.0:
            rows = _write_item_rows(constraints, i, level, q, work, rows)
    return rows


@inlined
def _factorize(rows: int, work: ConstraintWork) -> None:
    """Write the Cholesky factor of J J^T, damped, over the joints of ``work.mask``."""
    J, A, mask = work.J, work.A, work.mask
    for r in range(rows):
        for c in range(r + 1):
            total = 0.0
            for k in range(mask.shape[0]):
                total += J[r, k] * mask[k] * J[c, k]
            A[r, c] = total
    for r in range(rows):
        A[r, r] += DAMPING * A[r, r] + TINY
        for c in range(r + 1):
            total = A[r, c]
            for k in range(c):
                total -= A[r, k] * A[c, k]
            if c < r:
                A[r, c] = total / A[c, c]
            else:
                A[r, r] = math.sqrt(max(total, TINY))


@inlined
def _set_units(constraints: ConstraintArrays, rows: int, work: ConstraintWork) -> None:
    """Write the squared units of the velocities into ``work.mask``.

    Far from the target, translations have a long unit: a mobile base drives there and the arm
    keeps its posture.
    """
    largest = FAR
    for r in range(rows):
        largest = max(largest, abs(work.errors[r]))
    unit = largest / FAR
    for k in range(work.mask.shape[0]):
        long = unit * unit if constraints.slides[k] != 0.0 else 1.0
        work.mask[k] = constraints.moves[k] * long


@inlined
def _solve_least_step(constraints: ConstraintArrays, rows: int, work: ConstraintWork) -> None:
    """Write the v of least length, in units, with J v = -errors, J damped, into ``work.v``."""
    J, A, y, v = work.J, work.A, work.y, work.v
    _factorize(rows, work)
    for r in range(rows):
        y[r] = work.errors[r]
        for k in range(r):
            y[r] -= A[r, k] * y[k]
        y[r] /= A[r, r]
    for r in range(rows - 1, -1, -1):
        for k in range(r + 1, rows):
            y[r] -= A[k, r] * y[k]
        y[r] /= A[r, r]
    longest = 0.0
    for k in range(v.shape[0]):
        total = 0.0
        for r in range(rows):
            total -= J[r, k] * y[r]
        v[k] = total * work.mask[k]
        if constraints.slides[k] == 0.0:
            longest = max(longest, abs(v[k]))
    if longest > LONGEST_STEP:
        for k in range(v.shape[0]):
            v[k] *= LONGEST_STEP / longest


@inlined
def _stop_at_limits(constraints: ConstraintArrays, q: Array, v: Array, mask: Array) -> bool:
    """Remove joints from a step that would exceed their limits; return whether any did."""
    changed = False
    for k in range(v.shape[0]):
        p = constraints.position_of_velocity[k]
        if constraints.kinds[p] != INTERVAL or mask[k] == 0.0:
            continue
        low, high = constraints.lower[p], constraints.upper[p]
        if (q[p] <= low and v[k] < 0.0) or (q[p] >= high and v[k] > 0.0):
            mask[k] = 0.0
            changed = True
    return changed


@kernel(types.boolean(CONSTRAINTS, VECTOR, types.int64, CONSTRAINT_WORK))
def project(constraints: ConstraintArrays, q: Array, most: int, work: ConstraintWork) -> bool:
    """Project ``q`` (nq,), in place, into the bounds of a node; return whether it succeeds.

    At most ``most`` steps are taken. Steps end at the limits; they exclude joints at
    a limit that they would exceed.
    """
    lower, upper, displacement, v, mask = (
        constraints.lower, constraints.upper, work.displacement, work.v, work.mask,
    )  # fmt: skip
    displacement[:] = 0.0
    for _ in range(most):
        if satisfied(constraints, arrays.NODE, q, work):
            return True
        rows = write_rows(constraints, arrays.AIM, q, work)
        _set_units(constraints, rows, work)
        for _ in range(SOLUTIONS_OF_A_STEP):
            _solve_least_step(constraints, rows, work)
            if not _stop_at_limits(constraints, q, v, mask):
                break
        write_displacement(constraints.table, q, v, displacement)
        for k in range(q.shape[0]):
            work.q[k] = q[k]
        write_between(constraints.kinds, work.q, displacement, 1.0, q)
        for k in range(q.shape[0]):
            if constraints.kinds[k] == INTERVAL and displacement[k] != 0.0:
                q[k] = min(max(q[k], lower[k]), upper[k])
        if not abs(q[0]) < math.inf:
            return False
    return bool(satisfied(constraints, arrays.NODE, q, work))
