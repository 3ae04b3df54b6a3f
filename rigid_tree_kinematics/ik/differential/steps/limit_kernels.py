"""The limits of a step: bounds of the velocities, and rows of the barriers."""

import math

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential.steps.layout import Program
from rigid_tree_kinematics.ik.differential.steps.task_kernels import write_planes
from rigid_tree_kinematics.kernels import inlined

UNMOVED = 1e-6  # m/rad or m/m; a distance with smaller derivatives cannot be influenced


@inlined
def stoppable(distance: float, acceleration: float, dt: float) -> float:
    """Return the largest velocity that stops within a distance, in steps of ``dt``.

    A velocity of n * a * dt stops within n (n + 1) / 2 * a * dt^2; linear in between.
    """
    if acceleration == math.inf or distance == math.inf:
        return distance / dt
    unit = acceleration * dt * dt
    far = distance / unit
    n = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * far) - 1.0))
    rest = (far - 0.5 * n * (n + 1.0)) / (n + 1.0)
    return float(acceleration * dt * (n + rest))


@inlined
def write_bounds(program: Program, q: Array, v: Array, dt: float) -> None:
    """Write the bounds of the velocities and which limits they are."""
    joints, reasons = program.joints, program.reasons
    low, high = program.constraints.low, program.constraints.high
    for k in range(joints.shape[0]):
        speed, acceleration = joints[k, layout.SPEED], joints[k, layout.ACCELERATION]
        low[k], high[k] = -speed, speed
        reasons[0, k] = reasons[1, k] = layout.AT_VELOCITY
        if joints[k, layout.FREE] == 0.0:
            low[k], high[k] = -math.inf, math.inf
            continue
        if acceleration < math.inf:
            change = acceleration * dt
            if v[k] - change > low[k]:
                low[k], reasons[0, k] = v[k] - change, layout.AT_ACCELERATION
            if v[k] + change < high[k]:
                high[k], reasons[1, k] = v[k] + change, layout.AT_ACCELERATION
        slot = int(joints[k, layout.SLOT])
        if slot < 0:
            continue
        down = -stoppable(max(q[slot] - joints[k, layout.LOWER], 0.0), acceleration, dt)
        up = stoppable(max(joints[k, layout.UPPER] - q[slot], 0.0), acceleration, dt)
        if down > low[k]:
            low[k], reasons[0, k] = down, layout.AT_POSITION
            high[k] = max(high[k], down)
        if up < high[k]:
            high[k], reasons[1, k] = up, layout.AT_POSITION
            low[k] = min(low[k], up)


@inlined
def stopping_time(program: Program, v: Array) -> float:
    """Return the time (s) in which the slowest joint stops."""
    time = 0.0
    for k in range(v.shape[0]):
        time = max(time, abs(v[k]) / program.joints[k, layout.ACCELERATION])
    return time


@inlined
def write_barriers(program: Program, q: Array, v: Array, row: int, dt: float) -> int:
    """Write the rows of planes and near pairs, from ``row`` on; return the row after them."""
    constraints, first = program.constraints, row
    row = write_planes(program, q, row, dt, stopping_time(program, v) + dt)
    for pair in range(program.counts[layout.NEAR]):
        for k in range(v.shape[0]):
            constraints.A[row, k] = program.near[pair, k]
        constraints.row_low[row] = program.near_low[pair]
        row += 1
    for k in range(first, row):
        largest = 0.0
        for j in range(v.shape[0]):
            constraints.A[k, j] *= program.joints[j, layout.FREE]
            largest = max(largest, abs(constraints.A[k, j]))
        constraints.row_high[k] = math.inf
        if largest < UNMOVED:
            constraints.row_low[k] = -math.inf
    return row
