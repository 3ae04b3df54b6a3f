"""Kernels of a servo step: joint velocities for a twist, limits and stops.

Array sizes: n near pairs, k moved joints.
"""

import math
from typing import NamedTuple

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.kernels import MATRIX, TABLE, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.kernels import jacobian
from rigid_tree_kinematics.kinematics.motion import base_from_body
from rigid_tree_kinematics.kinematics.topology import copy_numbers

INDICES = types.int64[::1]
FLAGS = types.boolean[::1]
NUMBER = types.float64

# Share of the largest singular value: below the condition number 30 it changes velocities by
# less than 0.1 %, and at a singularity it keeps them finite.
DAMPING = 1e-3
ORTHOGONAL = 1e-14  # cosine of columns that are treated as orthogonal
MOST_SWEEPS = 30  # of one-sided Jacobi, which needs six to ten
AT_CONTACT = 0.001  # share of the speed at distance 0, as in moveit_servo
CLEARANCE = 0.001  # m, distance at which approaching motions have stopped
CREEPING = 1e-4  # m/s; slower changes of a distance are rounding, not an approach
MARGIN_SLACK = 2e-3  # rad or m; a stop in steps is slightly longer than a continuous one


class TipArrays(NamedTuple):
    """A tip's body and joints, and work arrays for its Jacobian and the factors V W'."""

    table: Array  # of the compiled tree
    body: int
    columns: Integers  # (k,) of the joints' velocities
    slots: Integers  # (k,) of their positions
    end: Array  # (nq,)
    J: Array  # (6, nv)
    W: Array  # (k, 6)
    V: Array  # (6, 6)
    squares: Array  # (6,) of the singular values


class JointArrays(NamedTuple):
    """The joints that are moved, (k,) each."""

    slots: Integers  # of their positions
    speed: Array
    acceleration: Array  # rad/s^2, m/s^2
    lower: Array  # limits
    upper: Array
    low: Array  # limits with margins
    high: Array


class StepTiming(NamedTuple):
    """Period (s); whether a joint limit stops all joints."""

    period: float
    all_together: bool


class NearPairs(NamedTuple):
    """Near pairs: distances (n,), gradients (n, k), and slow-down distances (n,)."""

    distances: Array
    gradients: Array
    slow_within: Array


TIP = types.NamedTuple(
    (TABLE, types.int64, INDICES, INDICES, VECTOR, MATRIX, MATRIX, MATRIX, VECTOR), TipArrays
)
JOINTS = types.NamedTuple((INDICES, *[VECTOR] * 6), JointArrays)
STEP_TIMING = types.NamedTuple((NUMBER, types.boolean), StepTiming)
NEAR = types.NamedTuple((VECTOR, MATRIX, VECTOR), NearPairs)

# -- the tip -------------------------------------------------------------------------------------


@inlined
def _orthogonalize(W: Array, V: Array, a: int, b: int) -> bool:
    """Orthogonalize two columns of W, rotate those of V alike; return whether they changed."""
    aa = bb = ab = 0.0
    for k in range(W.shape[0]):
        aa += W[k, a] * W[k, a]
        bb += W[k, b] * W[k, b]
        ab += W[k, a] * W[k, b]
    if abs(ab) <= ORTHOGONAL * math.sqrt(aa * bb):
        return False
    ratio = (bb - aa) / (2.0 * ab)
    tangent = math.copysign(1.0, ratio) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
    c = 1.0 / math.sqrt(1.0 + tangent * tangent)
    s = c * tangent
    for k in range(W.shape[0]):
        W[k, a], W[k, b] = c * W[k, a] - s * W[k, b], s * W[k, a] + c * W[k, b]
    for i in range(6):
        V[i, a], V[i, b] = c * V[i, a] - s * V[i, b], s * V[i, a] + c * V[i, b]
    return True


@inlined
def _decompose(tip: TipArrays, q: Array) -> None:
    """Decompose the Jacobian as V W': V (6, 6) orthonormal, W (k, 6) orthogonal.

    By one-sided Jacobi rotations (Hestenes 1958). ``tip.squares`` become the squared singular
    values, the squared lengths of W's columns.
    """
    J, W, V = tip.J, tip.W, tip.V
    jacobian(tip.table, q, tip.body, True, J)
    for i in range(6):
        for k in range(tip.columns.shape[0]):
            W[k, i] = J[i, tip.columns[k]]
        for j in range(6):
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(MOST_SWEEPS):
        rotated = False
        for a in range(5):
            for b in range(a + 1, 6):
                rotated |= _orthogonalize(W, V, a, b)
        if not rotated:
            break
    for i in range(6):
        tip.squares[i] = 0.0
        for k in range(W.shape[0]):
            tip.squares[i] += W[k, i] * W[k, i]


@inlined
def _invert(tip: TipArrays, twist: Array, out: Array) -> None:
    """Write damped least-squares velocities (Wampler 1986) for a twist (6,) to ``out`` (k,)."""
    W, V, squares = tip.W, tip.V, tip.squares
    largest = 0.0
    for i in range(6):
        largest = max(largest, squares[i])
    damping = DAMPING * DAMPING * largest
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


@kernel(types.void(TIP, VECTOR, VECTOR, NUMBER, VECTOR))
def tip_velocity(tip: TipArrays, q: Array, twist: Array, period: float, out: Array) -> None:
    """Write joint velocities (k,) that move a body by a twist (6,) at the end of a step.

    The Jacobian is that of the end, which keeps the tip on its path.
    """
    _decompose(tip, q)
    _invert(tip, twist, out)
    for k in range(q.shape[0]):
        tip.end[k] = q[k]
    for k in range(tip.slots.shape[0]):
        tip.end[tip.slots[k]] += period * out[k]
    _decompose(tip, tip.end)
    _invert(tip, twist, out)


@kernel(NUMBER(TIP, VECTOR, types.int64))
def condition(tip: TipArrays, q: Array, rank: int) -> float:
    """Return the ratio of the Jacobian's largest and ``rank``-th singular values."""
    _decompose(tip, q)
    squares = tip.squares
    for i in range(1, 6):  # sorted
        for j in range(i, 0, -1):
            if squares[j] < squares[j - 1]:
                squares[j], squares[j - 1] = squares[j - 1], squares[j]
    smallest = squares[6 - rank]
    return float(math.sqrt(squares[5] / smallest)) if smallest > 0.0 else math.inf


# -- limits of velocities ----------------------------------------------------------------------


@inlined
def share_that_stops(room: float, rate: float, time: float, period: float) -> float:
    """Return the largest fraction of a velocity that stops within a distance.

    With the share s, a motion covers s * rate * period until the next step, and then
    s * rate * s * time / 2 while it decelerates; s makes the sum equal to ``room``.

    Args:
        room: rad or m, remaining distance.
        rate: rad/s or m/s, above 0 if the room shrinks; otherwise the share is 1.
        time: s, to stop from the full velocity.
        period: s, of a step.
    """
    if rate <= 0.0:
        return 1.0
    left = max(room, 0.0) / rate
    if time > 0.0:
        return min((math.sqrt(period**2 + 2.0 * time * left) - period) / time, 1.0)
    return min(left / period, 1.0)


@inlined
def _stopping_time(joints: JointArrays, velocities: Array) -> float:
    """Return the time (s) in which the slowest joint stops from velocities (k,)."""
    time = 0.0
    for k in range(velocities.shape[0]):
        time = max(time, abs(velocities[k]) / joints.acceleration[k])
    return time


@inlined
def _limit_to_joints(
    joints: JointArrays, timing: StepTiming, q: Array, wanted: Array, bound: Mask
) -> None:
    """Scale velocities to the joints' speed limits, and to stop inside their margins."""
    fastest = 1.0
    for k in range(wanted.shape[0]):
        fastest = max(fastest, abs(wanted[k]) / joints.speed[k])
    wanted /= fastest
    time = _stopping_time(joints, wanted)
    least = 1.0
    for k in range(wanted.shape[0]):
        at = q[joints.slots[k]]
        room = joints.high[k] - at if wanted[k] > 0.0 else at - joints.low[k]
        share = share_that_stops(room, abs(wanted[k]), time, timing.period)
        bound[k] = share < 1.0
        least = min(least, share)
        if not timing.all_together:
            wanted[k] *= share
    if timing.all_together:
        wanted *= least


@kernel(types.UniTuple(NUMBER, 2)(JOINTS, STEP_TIMING, VECTOR, VECTOR, NEAR, VECTOR, FLAGS))
def limit(
    joints: JointArrays,
    timing: StepTiming,
    q: Array,
    wanted: Array,
    near: NearPairs,
    moved: Array,
    bound: Mask,
) -> tuple[float, float]:
    """Scale ``wanted`` velocities (k,), in place, to limits of joints and near pairs.

    ``moved`` (k,) are the joints' motions since the pairs were computed. ``bound`` (k,) becomes
    whether a joint's limit slows it down. Returns the pair that allows the smallest share, and
    this share; -1 and 1 if none slows down.
    """
    _limit_to_joints(joints, timing, q, wanted, bound)
    time = _stopping_time(joints, wanted)
    least, nearest = 1.0, -1
    for pair in range(near.distances.shape[0]):
        distance, approach = near.distances[pair], 0.0
        for k in range(moved.shape[0]):
            distance += near.gradients[pair, k] * moved[k]
            approach -= near.gradients[pair, k] * wanted[k]
        if approach <= CREEPING:
            continue
        # Exponentially, like moveit_servo, and early enough to stop.
        slow_within = near.slow_within[pair]
        beyond = min((distance - slow_within) / slow_within, 0.0)
        share = 0.0 if distance <= CLEARANCE else AT_CONTACT**-beyond
        room = distance - CLEARANCE
        share = min(share, share_that_stops(room, approach, time, timing.period))
        if share < least:
            least, nearest = share, pair
    wanted *= least
    return float(nearest), least


@kernel(types.boolean(JOINTS, STEP_TIMING, VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, FLAGS))
def go_and_stop(
    joints: JointArrays,
    timing: StepTiming,
    q: Array,
    before: Array,
    v: Array,
    step: Array,
    end: Array,
    beyond: Mask,
) -> bool:
    """Write the configurations after a step and a stop; return whether one exceeds limits.

    The step starts with the velocities ``before`` (k,) and ends with ``v`` (k,). The joints stay
    within their limits, or are moved back there. ``beyond`` (k,) becomes whether a stop would end
    outside a joint's margins.
    """
    copy_numbers(q, step)
    copy_numbers(q, end)
    time, moving = _stopping_time(joints, v), timing.period
    if time == 0.0:  # the stop, which may end within the step
        moving = min(moving, _stopping_time(joints, before))
    any_beyond = False
    for k in range(v.shape[0]):
        slot = joints.slots[k]
        # A joint beyond a limit moves back smoothly.
        least, most = min(joints.lower[k], q[slot]), max(joints.upper[k], q[slot])
        after = q[slot] + 0.5 * moving * (before[k] + v[k])
        step[slot] = min(max(after, least), most)
        end[slot] = min(max(step[slot] + 0.5 * time * v[k], least), most)
        beyond[k] = (v[k] > 0.0 and end[slot] > joints.high[k] + MARGIN_SLACK) or (
            v[k] < 0.0 and end[slot] < joints.low[k] - MARGIN_SLACK
        )
        any_beyond |= beyond[k]
    return any_beyond


# -- near pairs ----------------------------------------------------------------------------------


@kernel(types.void(TABLE, VECTOR, INDICES, MATRIX, MATRIX, INDICES, MATRIX, MATRIX))
def add_gradients(
    table: Array,
    q: Array,
    bodies: Integers,
    points: Array,
    normals: Array,
    columns: Integers,
    J: Array,
    out: Array,
) -> None:
    """Add the speeds of points (n, 3) of bodies (n,) along normals (n, 3) to ``out`` (n, k).

    Points of body -1 do not move. ``J`` (6, nv) is work space.
    """
    for pair in range(bodies.shape[0]):
        if bodies[pair] < 0:
            continue
        jacobian(table, q, bodies[pair], True, J)
        m = base_from_body(table, q, bodies[pair])
        nx, ny, nz = normals[pair, 0], normals[pair, 1], normals[pair, 2]
        x = points[pair, 0] - m[3]
        y = points[pair, 1] - m[7]
        z = points[pair, 2] - m[11]
        mx, my, mz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        for k in range(columns.shape[0]):
            c = columns[k]
            along = nx * J[0, c] + ny * J[1, c] + nz * J[2, c]
            out[pair, k] += along + mx * J[3, c] + my * J[4, c] + mz * J[5, c]
