"""Kernels that measure constraints and bring configurations back to them.

Projection by Newton's steps of least length, from the Jacobian of the rows that miss their bounds
(Berenson, Srinivasa, Ferguson, Kuffner, "Manipulation planning on constraint manifolds", ICRA
2009). A projection aims a little inside of what it has to reach: so it ends after a few steps.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.ik.chain.evaluation import log_derivative, rotation_vector
from rigid_tree_kinematics.ik.constraints.arrays import (
    AIM,
    ANGLE,
    BALL,
    BODY,
    BOUNDS,
    CIRCLE_JOINT,
    CONE,
    CONSTRAINT_WORK,
    CONSTRAINTS,
    CYLINDER,
    FIRST,
    FRAME,
    GROUP,
    KIND,
    LAST,
    NODE,
    PLANES,
    POINT,
    REFERENCE,
    ROTATION_VECTOR,
    ROWS,
    RPY_ANGLES,
    SIGHT,
    TOOL,
)
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    compose,
    parent_from_body,
    read_table,
    rotate,
    sincos,
    unrotate,
    velocity_axis,
    velocity_count,
)
from rigid_tree_kinematics.kinematics.topology import write_between, write_velocity_way
from rigid_tree_kinematics.model.compiled import KIND as JOINT_KIND
from rigid_tree_kinematics.model.compiled import PARENT, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import INTERVAL

DAMPING = 1e-8  # of the squared rows, so that rows that say the same can be solved for
LONGEST_STEP = 0.5  # rad or m, of a position in one of Newton's steps
SOLUTIONS_OF_A_STEP = 3  # while there are joints to take out of it
SMALLEST_COSINE = 1e-3  # of the second angle: nearer to its poles the others turn at any speed
TINY = 1e-12
# The three turns that a rate is asked for.
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inlined
def _read_frame(frames: Any, i: int) -> Any:
    return (
        frames[i, 0], frames[i, 1], frames[i, 2], frames[i, 3],
        frames[i, 4], frames[i, 5], frames[i, 6], frames[i, 7],
        frames[i, 8], frames[i, 9], frames[i, 10], frames[i, 11],
    )  # fmt: skip


@inlined
def _inverse(m: Any) -> Any:
    x, y, z = unrotate(m, -m[3], -m[7], -m[11])
    return m[0], m[4], m[8], x, m[1], m[5], m[9], y, m[2], m[6], m[10], z


@inlined
def _transposed(m: Any) -> Any:
    return m[0], m[4], m[8], 0.0, m[1], m[5], m[9], 0.0, m[2], m[6], m[10], 0.0


@inlined
def _place(constraints: Any, q: Any, frames: Any) -> None:
    """Write the frames of the bodies that the items need."""
    table, bodies = constraints.table, constraints.bodies
    for k in range(bodies.shape[0]):
        i = bodies[k]
        m = IDENTITY
        if i > 0:
            m = parent_from_body(table, q, i)
            parent = int(table[i, PARENT])
            if parent > 0:
                m = compose(_read_frame(frames, parent), m)
        for c in range(12):
            frames[i, c] = m[c]


@inlined
def _tool_in_frame(items: Any, i: int, frames: Any) -> Any:
    m = _read_frame(frames, int(items[i, BODY]))
    reference = int(items[i, REFERENCE])
    if reference > 0:
        m = compose(_inverse(_read_frame(frames, reference)), m)
    return compose(compose(read_table(items, i, FRAME), m), read_table(items, i, TOOL))


@inlined
def _worst_plane(planes: Any, first: int, last: int, m: Any) -> Any:
    most, worst = -math.inf, first
    for p in range(first, last):
        height = planes[p, 0] * m[3] + planes[p, 1] * m[7] + planes[p, 2] * m[11] - planes[p, 3]
        if height > most:
            most, worst = height, p
    return most, worst


@inlined
def _xyz_angles(m: Any) -> Any:
    middle = math.atan2(m[2], math.sqrt(m[6] * m[6] + m[10] * m[10]))
    return math.atan2(-m[6], m[10]), middle, math.atan2(-m[1], m[0])


@inlined
def _values(items: Any, planes: Any, i: int, m: Any, q: Any) -> Any:
    """Return the three values that item ``i`` bounds, of the tool in the frame, ``m``."""
    kind = int(items[i, KIND])
    if kind == POINT:
        return m[3], m[7], m[11]
    if kind == BALL:
        return math.sqrt(m[3] * m[3] + m[7] * m[7] + m[11] * m[11]), 0.0, 0.0
    if kind == CYLINDER:
        return math.sqrt(m[3] * m[3] + m[7] * m[7]), m[11], 0.0
    if kind == PLANES:
        most, _ = _worst_plane(planes, int(items[i, FIRST]), int(items[i, LAST]), m)
        return most, 0.0, 0.0
    if kind == CONE:
        return math.atan2(math.sqrt(m[2] * m[2] + m[6] * m[6]), m[10]), 0.0, 0.0
    if kind == SIGHT:
        return math.atan2(math.sqrt(m[3] * m[3] + m[7] * m[7]), m[11]), 0.0, 0.0
    if kind == CIRCLE_JOINT:
        away = q[int(items[i, FIRST])] - items[i, FRAME]
        return away - 2.0 * math.pi * math.floor(away / (2.0 * math.pi) + 0.5), 0.0, 0.0
    if kind in (ROTATION_VECTOR, ANGLE):
        x, y, z = rotation_vector(m)
        if kind == ANGLE:
            return math.sqrt(x * x + y * y + z * z), 0.0, 0.0
        return x, y, z
    if kind == RPY_ANGLES:
        x, y, z = _xyz_angles(_transposed(m))
        return -x, -y, -z
    return _xyz_angles(m)


@inlined
def _beyond(items: Any, i: int, level: int, row: int, value: float) -> float:
    """Return by how much a value is above (positive) or below (negative) its bounds."""
    at = BOUNDS + 2 * ROWS * level + row
    return max(0.0, value - items[i, at + ROWS]) + min(0.0, value - items[i, at])


@inlined
def _missed(items: Any, i: int, level: int, values: Any) -> float:
    """Return the squared length of what three values miss their bounds by."""
    x = _beyond(items, i, level, 0, values[0])
    y = _beyond(items, i, level, 1, values[1])
    z = _beyond(items, i, level, 2, values[2])
    return x * x + y * y + z * z


@inlined
def _best_of_group(constraints: Any, first: int, level: int, q: Any, frames: Any) -> Any:
    """Return what the best alternative from item ``first`` on misses, which it is, and the next.

    The squared length, the item, and the first item of the next group.
    """
    items, planes = constraints.items, constraints.planes
    least, best = math.inf, first
    k = first
    while k < items.shape[0] and items[k, GROUP] == items[first, GROUP]:
        values = _values(items, planes, k, _tool_in_frame(items, k, frames), q)
        missed = _missed(items, k, level, values)
        if not missed >= least:  # what is not a number is the worst
            least, best = missed, k
        k += 1
    return least, best, k


@kernel(types.boolean(CONSTRAINTS, types.int64, VECTOR, CONSTRAINT_WORK))
def satisfied(constraints: Any, level: int, q: Any, work: Any) -> bool:
    """Return whether a configuration (nq,) keeps all bounds of a level."""
    _place(constraints, q, work.frames)
    k = 0
    while k < constraints.items.shape[0]:
        missed, _, k = _best_of_group(constraints, k, level, q, work.frames)
        if not missed <= 0.0:
            return False
    return True


@kernel(types.float64(CONSTRAINTS, types.int64, VECTOR, CONSTRAINT_WORK))
def violation_of(constraints: Any, level: int, q: Any, work: Any) -> float:
    """Return by how much (m and rad) a configuration (nq,) misses the bounds of a level."""
    _place(constraints, q, work.frames)
    total = 0.0
    k = 0
    while k < constraints.items.shape[0]:
        missed, _, k = _best_of_group(constraints, k, level, q, work.frames)
        total += missed
    return math.sqrt(total)


@inlined
def _write_slopes(items: Any, planes: Any, i: int, m: Any, slopes: Any) -> None:
    """Write the rates of the values of item ``i`` by the tool's velocity and turning.

    Both are in the frame's axes, the velocity that of the tool's origin.
    """
    slopes[:] = 0.0
    kind = int(items[i, KIND])
    if kind == POINT:
        for r in range(ROWS):
            slopes[r, r] = 1.0
    elif kind == BALL:
        length = max(TINY, math.sqrt(m[3] * m[3] + m[7] * m[7] + m[11] * m[11]))
        slopes[0, 0], slopes[0, 1], slopes[0, 2] = m[3] / length, m[7] / length, m[11] / length
    elif kind == CYLINDER:
        length = max(TINY, math.sqrt(m[3] * m[3] + m[7] * m[7]))
        slopes[0, 0], slopes[0, 1], slopes[1, 2] = m[3] / length, m[7] / length, 1.0
    elif kind == PLANES:
        _, worst = _worst_plane(planes, int(items[i, FIRST]), int(items[i, LAST]), m)
        for c in range(3):
            slopes[0, c] = planes[worst, c]
    elif kind == CONE:
        sine = math.sqrt(m[2] * m[2] + m[6] * m[6])
        if sine > TINY:
            slopes[0, 3], slopes[0, 4] = -m[6] / sine, m[2] / sine
        else:
            slopes[0, 3] = 1.0
    elif kind == SIGHT:
        across = max(TINY, math.sqrt(m[3] * m[3] + m[7] * m[7]))
        squared = across * across + m[11] * m[11]
        slopes[0, 0] = m[3] * m[11] / (across * squared)
        slopes[0, 1] = m[7] * m[11] / (across * squared)
        slopes[0, 2] = -across / squared
    elif kind in (ROTATION_VECTOR, ANGLE):
        w = rotation_vector(m)
        if kind == ANGLE:
            length = max(TINY, math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))
            for c in range(3):
                slopes[0, 3 + c] = w[c] / length
        else:
            for c in range(3):
                x, y, z = log_derivative(w, UNIT[c][0], UNIT[c][1], UNIT[c][2])
                slopes[0, 3 + c], slopes[1, 3 + c], slopes[2, 3 + c] = x, y, z
    else:
        turned = _transposed(m) if kind == RPY_ANGLES else m
        first, middle, _ = _xyz_angles(turned)
        s, c = sincos(first)
        sm, cm = sincos(middle)
        cm = max(cm, SMALLEST_COSINE)
        slopes[0, 3], slopes[0, 4], slopes[0, 5] = 1.0, s * sm / cm, -c * sm / cm
        slopes[1, 4], slopes[1, 5] = c, s
        slopes[2, 4], slopes[2, 5] = -s / cm, c / cm
        if kind == RPY_ANGLES:
            # The opposite angles of the transpose, which turns the opposite way in its own axes.
            for r in range(ROWS):
                x, y, z = rotate(m, slopes[r, 3], slopes[r, 4], slopes[r, 5])
                slopes[r, 3], slopes[r, 4], slopes[r, 5] = x, y, z


@inlined
def _add_chain(
    constraints: Any, q: Any, frames: Any, body: int, sign: float, g: Any, row: Any
) -> None:
    """Add to a row of the Jacobian what the joints between the base and a body do to it.

    ``g`` are the rates by the velocity of a point, by turning, and the point, in the base's axes.
    """
    table = constraints.table
    i = body
    while i > 0:
        count = velocity_count(int(table[i, JOINT_KIND]))
        if count > 0:
            m = _read_frame(frames, i)
            first = int(table[i, VELOCITY])
            for k in range(count):
                turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
                x, y, z = rotate(m, x, y, z)
                if turns != 0.0:
                    px, py, pz = rotate(m, px, py, pz)
                    rx, ry, rz = g[6] - px - m[3], g[7] - py - m[7], g[8] - pz - m[11]
                    rate = g[0] * (y * rz - z * ry) + g[1] * (z * rx - x * rz)
                    rate += g[2] * (x * ry - y * rx) + g[3] * x + g[4] * y + g[5] * z
                else:
                    rate = g[0] * x + g[1] * y + g[2] * z
                row[first + k] += sign * rate
        i = int(table[i, PARENT])


@inlined
def _write_rows(constraints: Any, q: Any, work: Any) -> int:
    """Write errors and Jacobian of the rows that miss where a projection aims; return how many."""
    items, frames = constraints.items, work.frames
    _place(constraints, q, frames)
    rows = 0
    k = 0
    while k < items.shape[0]:
        missed, i, k = _best_of_group(constraints, k, AIM, q, frames)
        if missed <= 0.0:
            continue
        m = _tool_in_frame(items, i, frames)
        values = _values(items, constraints.planes, i, m, q)
        work.values[0], work.values[1], work.values[2] = values
        if int(items[i, KIND]) == CIRCLE_JOINT:
            work.errors[rows] = _beyond(items, i, AIM, 0, values[0])
            work.J[rows] = 0.0
            work.J[rows, int(items[i, LAST])] = 1.0
            rows += 1
            continue
        _write_slopes(items, constraints.planes, i, m, work.slopes)
        body, reference = int(items[i, BODY]), int(items[i, REFERENCE])
        tool = read_table(items, i, TOOL)
        at = _read_frame(frames, body)
        px, py, pz = rotate(at, tool[3], tool[7], tool[11])
        px, py, pz = px + at[3], py + at[7], pz + at[11]
        from_reference = read_table(items, i, FRAME)
        above = IDENTITY
        if reference > 0:
            above = _read_frame(frames, reference)
        for r in range(ROWS):
            error = _beyond(items, i, AIM, r, work.values[r])
            if error == 0.0:
                continue
            s = work.slopes[r]
            x, y, z = unrotate(from_reference, s[0], s[1], s[2])
            x, y, z = rotate(above, x, y, z)
            wx, wy, wz = unrotate(from_reference, s[3], s[4], s[5])
            wx, wy, wz = rotate(above, wx, wy, wz)
            g = (x, y, z, wx, wy, wz, px, py, pz)
            work.errors[rows] = error
            row = work.J[rows]
            row[:] = 0.0
            _add_chain(constraints, q, frames, body, 1.0, g, row)
            _add_chain(constraints, q, frames, reference, -1.0, g, row)
            rows += 1
    return rows


@inlined
def _solve_least_step(rows: int, work: Any) -> None:
    """Write the shortest v with J v = -errors, J damped, into ``work.v`` (Cholesky)."""
    J, A, y, v, mask = work.J, work.A, work.y, work.v, work.mask
    for r in range(rows):
        for c in range(r + 1):
            total = 0.0
            for k in range(v.shape[0]):
                total += J[r, k] * mask[k] * J[c, k]
            A[r, c] = total
    for r in range(rows):
        A[r, r] += DAMPING * A[r, r] + TINY
        y[r] = work.errors[r]
        for c in range(r + 1):
            total = A[r, c]
            for k in range(c):
                total -= A[r, k] * A[c, k]
            if c < r:
                A[r, c] = total / A[c, c]
            else:
                A[r, r] = math.sqrt(max(total, TINY))
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
        v[k] = total * mask[k]
        longest = max(longest, abs(v[k]))
    if longest > LONGEST_STEP:
        for k in range(v.shape[0]):
            v[k] *= LONGEST_STEP / longest


@inlined
def _stop_at_limits(constraints: Any, q: Any, v: Any, mask: Any) -> bool:
    """Take joints out of a step that would leave the limits at which they stand; return if any."""
    changed = False
    for k in range(v.shape[0]):
        p = constraints.position_of_velocity[k]
        if constraints.kinds[p] != INTERVAL or mask[k] == 0.0:
            continue
        if (q[p] <= constraints.lower[p] and v[k] < 0.0) or (
            q[p] >= constraints.upper[p] and v[k] > 0.0
        ):
            mask[k] = 0.0
            changed = True
    return changed


@kernel(types.boolean(CONSTRAINTS, VECTOR, types.int64, CONSTRAINT_WORK))
def project(constraints: Any, q: Any, most: int, work: Any) -> bool:
    """Move ``q`` (nq,), in place, to where the bounds of a node are kept; return whether it is.

    At most ``most`` steps are taken. A step ends at the limits, and a joint that it would lead
    beyond the limit at which it stands takes no part in it.
    """
    lower, upper, way, v, mask = constraints.lower, constraints.upper, work.way, work.v, work.mask
    way[:] = 0.0
    for _ in range(most):
        if satisfied(constraints, NODE, q, work):
            return True
        rows = _write_rows(constraints, q, work)
        mask[:] = constraints.moves
        for _ in range(SOLUTIONS_OF_A_STEP):
            _solve_least_step(rows, work)
            if not _stop_at_limits(constraints, q, v, mask):
                break
        write_velocity_way(constraints.table, q, v, way)
        work.q[:] = q
        write_between(constraints.kinds, work.q, way, 1.0, q)
        for k in range(q.shape[0]):
            if constraints.kinds[k] == INTERVAL and way[k] != 0.0:
                q[k] = min(max(q[k], lower[k]), upper[k])
        if not abs(q[0]) < math.inf:
            return False
    return satisfied(constraints, NODE, q, work)
