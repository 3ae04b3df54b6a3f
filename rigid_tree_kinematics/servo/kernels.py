"""The compiled part of a servo step: a tip's twist, what limits velocities, where a stop ends.

In arrays: n pairs of things that are near each other, k joints that are led.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.kernels import MATRIX, TABLE, VECTOR, inlined, kernel
from rigid_tree_kinematics.kinematics.kernels import chain_transform, jacobian

INDICES = types.int64[::1]
FLAGS = types.boolean[::1]
NUMBER = types.float64

# Share of the largest singular value: below the condition number 30 it changes velocities by
# less than 0.1 %, and at a singularity it keeps them finite.
DAMPING = 1e-3
ORTHOGONAL = 1e-14  # cosine of columns that count as orthogonal
MOST_SWEEPS = 30  # of one-sided Jacobi, which needs six to ten
AT_CONTACT = 0.001  # share of the speed that is left at distance 0, as moveit_servo has it
CLEARANCE = 0.001  # m, at which approaching motions have stopped
CREEPING = 1e-4  # m/s; slower changes of a distance are no approach, but rounding

# -- the tip -------------------------------------------------------------------------------------


@inlined
def _decompose(
    table: Any, q: Any, body: int, columns: Any, J: Any, W: Any, V: Any, squares: Any
) -> None:
    """Decompose the Jacobian of some columns as V W': V (6, 6) orthonormal, W (k, 6) orthogonal.

    ``squares`` (6,) become those of the singular values, the lengths of W's columns. By one-sided
    Jacobi rotations (Hestenes 1958).
    """
    jacobian(table, q, body, True, J)
    for i in range(6):
        for k in range(columns.shape[0]):
            W[k, i] = J[i, columns[k]]
        for j in range(6):
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(MOST_SWEEPS):
        turned = False
        for a in range(5):
            for b in range(a + 1, 6):
                aa = bb = ab = 0.0
                for k in range(W.shape[0]):
                    aa += W[k, a] * W[k, a]
                    bb += W[k, b] * W[k, b]
                    ab += W[k, a] * W[k, b]
                if abs(ab) <= ORTHOGONAL * math.sqrt(aa * bb):
                    continue
                turned = True
                ratio = (bb - aa) / (2.0 * ab)
                tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
                c = 1.0 / math.sqrt(1.0 + tangent * tangent)
                s = c * tangent
                for k in range(W.shape[0]):
                    W[k, a], W[k, b] = c * W[k, a] - s * W[k, b], s * W[k, a] + c * W[k, b]
                for i in range(6):
                    V[i, a], V[i, b] = c * V[i, a] - s * V[i, b], s * V[i, a] + c * V[i, b]
        if not turned:
            break
    for i in range(6):
        squares[i] = 0.0
        for k in range(W.shape[0]):
            squares[i] += W[k, i] * W[k, i]


@inlined
def _invert(twist: Any, W: Any, V: Any, squares: Any, out: Any) -> None:
    """Write damped least-squares velocities (Wampler 1986) for a twist (6,) into ``out`` (k,)."""
    damping = DAMPING * DAMPING * squares.max()
    out[:] = 0.0
    for i in range(6):
        if squares[i] + damping == 0.0:
            continue
        gain = 0.0
        for j in range(6):
            gain += V[j, i] * twist[j]
        gain /= squares[i] + damping
        for k in range(out.shape[0]):
            out[k] += gain * W[k, i]


@kernel(
    types.void(
        TABLE, VECTOR, types.int64, INDICES, INDICES, VECTOR, NUMBER,
        VECTOR, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR,
    )
)  # fmt: skip
def tip_velocity(
    table: Any, q: Any, body: int, columns: Any, slots: Any, twist: Any, period: float,
    end: Any, J: Any, W: Any, V: Any, squares: Any, out: Any,
) -> None:  # fmt: skip
    """Write joint velocities (k,) that move a body by a twist (6,) at the end of a step.

    The Jacobian is that of the end, which keeps the tip on its way.
    """
    _decompose(table, q, body, columns, J, W, V, squares)
    _invert(twist, W, V, squares, out)
    end[:] = q
    for k in range(slots.shape[0]):
        end[slots[k]] += period * out[k]
    _decompose(table, end, body, columns, J, W, V, squares)
    _invert(twist, W, V, squares, out)


@kernel(NUMBER(TABLE, VECTOR, types.int64, INDICES, types.int64, MATRIX, MATRIX, MATRIX, VECTOR))
def condition(
    table: Any, q: Any, body: int, columns: Any, rank: int, J: Any, W: Any, V: Any, squares: Any
) -> float:
    """Return the Jacobian's largest singular value over the one that is number ``rank``."""
    _decompose(table, q, body, columns, J, W, V, squares)
    squares.sort()
    smallest = squares[6 - rank]
    return math.sqrt(squares[5] / smallest) if smallest > 0.0 else math.inf


# -- what limits velocities ----------------------------------------------------------------------


@inlined
def share_that_stops(room: float, rate: float, time: float, period: float) -> float:
    """Return the largest share of a velocity that ends within a room.

    With the share s, what moves at ``rate`` goes s * rate * period until the next step, and then
    s * rate * s * time / 2 while it slows down; s solves that this is the room.

    Args:
        room: rad or m, that is left.
        rate: rad/s or m/s, above 0 where the room shrinks; otherwise the share is 1.
        time: s, that the whole velocity takes to stop.
        period: s, of a step.
    """
    if rate <= 0.0:
        return 1.0
    left = max(room, 0.0) / rate
    if time > 0.0:
        return min((math.sqrt(period**2 + 2.0 * time * left) - period) / time, 1.0)
    return min(left / period, 1.0)


@inlined
def _largest(values: Any) -> float:
    largest = 0.0
    for value in values:
        largest = max(largest, abs(value))
    return largest


@kernel(
    types.Tuple((types.int64, NUMBER))(
        VECTOR, INDICES, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER, NUMBER, types.boolean,
        VECTOR, MATRIX, VECTOR, VECTOR, FLAGS,
    )
)  # fmt: skip
def limit(
    q: Any, slots: Any, wanted: Any, speed: Any, low: Any, high: Any, period: float,
    acceleration: float, all_together: bool,
    distances: Any, gradients: Any, slow_within: Any, way: Any, bound: Any,
) -> Any:  # fmt: skip
    """Make ``wanted`` velocities (k,) smaller where speeds, limits and near things call for it.

    Args:
        q: configuration (nq,), of which the joints' positions are at ``slots`` (k,).
        wanted: (k,), is changed.
        speed: (k,) of the joints.
        low, high: (k,) where they halt.
        period: s, of a step.
        acceleration: rad/s^2 or m/s^2, with which they stop.
        all_together: whether a joint at its limit holds up the others.
        distances, gradients, slow_within: (n,), (n, k), (n,), see ``Nearness``.
        way: (k,) gone since those were seen.
        bound: (k,), becomes whether a joint's limit holds it up.

    Returns:
        The pair that allows the smallest share, and this share; -1 and 1 where none slows down.
    """
    fastest = 1.0
    for k in range(wanted.shape[0]):
        fastest = max(fastest, abs(wanted[k]) / speed[k])
    wanted /= fastest
    time = _largest(wanted) / acceleration
    least = 1.0
    for k in range(wanted.shape[0]):
        at = q[slots[k]]
        room = high[k] - at if wanted[k] > 0.0 else at - low[k]
        share = share_that_stops(room, abs(wanted[k]), time, period)
        bound[k] = share < 1.0
        least = min(least, share)
        if not all_together:
            wanted[k] *= share
    if all_together:
        wanted *= least

    time = _largest(wanted) / acceleration
    held, nearest = 1.0, -1
    for pair in range(distances.shape[0]):
        distance, approach = distances[pair], 0.0
        for k in range(way.shape[0]):
            distance += gradients[pair, k] * way[k]
            approach -= gradients[pair, k] * wanted[k]
        if approach <= CREEPING:
            continue
        # Exponentially, as moveit_servo does, and early enough to stop.
        beyond = min((distance - slow_within[pair]) / slow_within[pair], 0.0)
        share = 0.0 if distance <= CLEARANCE else AT_CONTACT**-beyond
        share = min(share, share_that_stops(distance - CLEARANCE, approach, time, period))
        if share < held:
            held, nearest = share, pair
    wanted *= held
    return nearest, held


@kernel(
    types.boolean(
        VECTOR, INDICES, VECTOR, VECTOR, NUMBER, NUMBER, VECTOR, VECTOR, VECTOR, VECTOR, NUMBER,
        VECTOR, VECTOR, FLAGS,
    )
)  # fmt: skip
def go_and_stop(
    q: Any, slots: Any, before: Any, v: Any, period: float, acceleration: float,
    lower: Any, upper: Any, low: Any, high: Any, slack: float,
    step: Any, end: Any, beyond: Any,
) -> bool:  # fmt: skip
    """Write the configurations (nq,) after a step, and after a stop; return whether one is beyond.

    The step begins with the velocities ``before`` (k,) and ends with ``v`` (k,). The joints stay
    within ``lower`` and ``upper`` (k,), or are led back there. ``beyond`` (k,) becomes whether a
    stop would end behind ``low`` or ``high`` (k,) by more than ``slack``.
    """
    step[:] = q
    end[:] = q
    time = _largest(v) / acceleration
    any_beyond = False
    for k in range(slots.shape[0]):
        slot = slots[k]
        # A joint that was beyond a limit is led back, not thrown back.
        least, most = min(lower[k], q[slot]), max(upper[k], q[slot])
        after = q[slot] + 0.5 * period * (before[k] + v[k])
        step[slot] = min(max(after, least), most)
        end[slot] = min(max(step[slot] + 0.5 * time * v[k], least), most)
        beyond[k] = (v[k] > 0.0 and end[slot] > high[k] + slack) or (
            v[k] < 0.0 and end[slot] < low[k] - slack
        )
        any_beyond |= beyond[k]
    return any_beyond


# -- what is near --------------------------------------------------------------------------------


@kernel(
    types.void(TABLE, VECTOR, INDICES, MATRIX, MATRIX, NUMBER, INDICES, MATRIX, MATRIX, MATRIX)
)
def add_gradients(
    table: Any, q: Any, bodies: Any, points: Any, normals: Any, sign: float, columns: Any,
    J: Any, T: Any, out: Any,
) -> None:  # fmt: skip
    """Add how fast points (n, 3) of bodies (n,) move along normals (n, 3) to ``out`` (n, k).

    A body -1 stands.
    """
    for pair in range(bodies.shape[0]):
        if bodies[pair] < 0:
            continue
        jacobian(table, q, bodies[pair], True, J)
        chain_transform(table, q, bodies[pair], T)
        nx, ny, nz = normals[pair, 0], normals[pair, 1], normals[pair, 2]
        x = points[pair, 0] - T[0, 3]
        y = points[pair, 1] - T[1, 3]
        z = points[pair, 2] - T[2, 3]
        mx, my, mz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        for k in range(columns.shape[0]):
            c = columns[k]
            along = nx * J[0, c] + ny * J[1, c] + nz * J[2, c]
            out[pair, k] += sign * (along + mx * J[3, c] + my * J[4, c] + mz * J[5, c])
