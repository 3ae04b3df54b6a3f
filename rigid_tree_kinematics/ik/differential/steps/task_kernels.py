"""Rows of the tasks: for row k, A[k] @ v is to be FEED + REMOVE (m/s, rad/s).

Tasks are linearized at ``Program.ahead``, to which ``Program.guess`` moves in the step.
"""

import math

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential.steps.layout import PROGRAM, Program
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, TABLE, inlined, kernel, types
from rigid_tree_kinematics.kinematics.kernels import body_transforms, center_of_mass
from rigid_tree_kinematics.kinematics.motion import (
    Transform,
    Vector,
    compose,
    read_table,
    read_transform,
    rotate,
    rotation_vector,
    unrotate,
    velocity_axis,
    velocity_count,
)
from rigid_tree_kinematics.kinematics.vectors import (
    cross,
    dot,
    length,
    minus,
    relative,
    rotated,
    transformed,
    vector,
)
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY

NUMBER = types.float64
POINT = types.UniTuple(NUMBER, 3)
RETREAT = 0.01  # m/s, at most, where a distance is less than its minimum
TINY = 1e-12  # rad or m; shorter vectors have no direction


@kernel(types.void(TABLE, READ_1D, BATCH, types.int64, NUMBER, POINT, MATRIX))
def add_point_jacobian(
    table: Array,
    q: Array,
    frames: Array,
    body: int,
    sign: float,
    point: Vector,
    J: Array,
) -> None:
    """Add ``sign`` times the Jacobian of a point of a body to ``J`` (6, nv): linear, angular.

    The point and the result are in the base frame, as are the bodies' ``frames`` (n, 4, 4).
    """
    i = body
    while i > 0:
        m = read_transform(frames, i)
        first = int(table[i, VELOCITY])
        for k in range(velocity_count(int(table[i, KIND]))):
            turns, ax, ay, az, px, py, pz = velocity_axis(table, q, i, k)
            axis = rotate(m, ax, ay, az)
            if turns != 0.0:
                joint = transformed(m, (px, py, pz))
                linear = cross(axis, minus(point, joint))
                for r in range(3):
                    J[r, first + k] += sign * linear[r]
                    J[3 + r, first + k] += sign * axis[r]
            else:
                for r in range(3):
                    J[r, first + k] += sign * axis[r]
        i = int(table[i, PARENT])


@inlined
def _add_row(
    program: Program,
    task: int,
    row: int,
    direction: Vector,
    first: int,
    feed: float,
    error: float,
) -> int:
    """Add the row of a ``direction`` of three rows of J, from ``first`` on; return the next.

    ``feed`` and ``error`` are velocities; the error is the one that the guess leaves.
    """
    A, J, joints = program.constraints.A, program.J, program.joints
    for k in range(J.shape[1]):
        value = 0.0
        for r in range(3):
            value += direction[r] * J[first + r, k]
        A[row, k] = value * joints[k, layout.FREE]
        error += A[row, k] * program.guess[k]
    goals, gain = program.goals, program.numbers[task, layout.GAIN]
    goals[row, layout.FEED] = feed
    goals[row, layout.REMOVE] = gain * (error - feed)
    goals[row, layout.UNIT] = -1.0
    return row + 1


@inlined
def _clear(J: Array) -> None:
    for r in range(J.shape[0]):
        for k in range(J.shape[1]):
            J[r, k] = 0.0


@inlined
def _target(program: Program, task: int, root: Transform, start: int) -> Transform:
    return compose(root, read_table(program.numbers, task, start))


@inlined
def _pose_rows(program: Program, task: int, row: int, dt: float) -> int:
    """Rows of a frame's pose, along its own axes or those of its target."""
    numbers, body, root = (
        program.numbers,
        program.tasks[task, layout.BODY],
        program.tasks[task, layout.ROOT],
    )
    m = compose(read_transform(program.frames, body), read_table(numbers, task, layout.FRAME))
    base_from_root = read_transform(program.frames, root)
    goal = _target(program, task, base_from_root, layout.TARGET)
    by_target = program.tasks[task, layout.KIND] == layout.POSE_BY_TARGET
    axes = goal if by_target else m
    feed_linear, feed_angular = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if numbers[task, layout.FOLLOWS] != 0.0:
        before = _target(program, task, base_from_root, layout.PREVIOUS)
        feed_linear = unrotate(
            axes, goal[3] - before[3], goal[7] - before[7], goal[11] - before[11]
        )
        turn = rotated(before, rotation_vector(relative(before, goal)))
        feed_angular = unrotate(axes, turn[0], turn[1], turn[2])
    origin = (m[3], m[7], m[11])
    error = unrotate(axes, goal[3] - m[3], goal[7] - m[7], goal[11] - m[11])
    turn = rotation_vector(relative(m, goal))  # the same along the axes of both
    _clear(program.J)
    q = program.ahead
    add_point_jacobian(program.table, q, program.frames, body, 1.0, origin, program.J)
    if root > 0:
        add_point_jacobian(program.table, q, program.frames, root, -1.0, origin, program.J)
    for r in range(6):
        axis = r % 3
        value = error[axis] if r < 3 else turn[axis]
        feed = feed_linear[axis] if r < 3 else feed_angular[axis]
        numbers[task, layout.ERROR + r] = value
        cost = numbers[task, layout.COST + r]
        if cost > 0.0:
            program.goals[row, layout.WEIGHT] = cost
            direction = (axes[axis], axes[4 + axis], axes[8 + axis])
            first = 0 if r < 3 else 3
            row = _add_row(program, task, row, direction, first, feed / dt, value / dt)
    return row


@inlined
def _point(numbers: Array, task: int, start: int) -> Vector:
    return numbers[task, start + 3], numbers[task, start + 7], numbers[task, start + 11]


@inlined
def _axis(r: int) -> Vector:
    return 1.0 if r == 0 else 0.0, 1.0 if r == 1 else 0.0, 1.0 if r == 2 else 0.0


@inlined
def _center_of_mass_rows(program: Program, task: int, row: int, dt: float) -> int:
    """Rows of the center of mass, along the base's axes."""
    numbers, com = program.numbers, program.com
    center_of_mass(
        program.table,
        program.mass,
        program.center,
        program.ahead,
        program.frames,
        program.moments,
        com,
    )
    for r in range(3):
        for k in range(program.J.shape[1]):
            program.J[r, k] = com[r, 1 + k]
    goal, before = _point(numbers, task, layout.TARGET), _point(numbers, task, layout.PREVIOUS)
    for r in range(3):
        error = goal[r] - com[r, 0]
        feed = (goal[r] - before[r]) * numbers[task, layout.FOLLOWS]
        numbers[task, layout.ERROR + r] = error
        cost = numbers[task, layout.COST + r]
        if cost > 0.0:
            program.goals[row, layout.WEIGHT] = cost
            row = _add_row(program, task, row, _axis(r), 0, feed / dt, error / dt)
    return row


@inlined
def _look_at_rows(program: Program, task: int, row: int, dt: float) -> int:
    """Rows of the rotation of a frame's z axis to the direction d to a point, at a distance L.

    The axis turns by the angular velocity w, and d by -d x v / L.
    """
    numbers, body = program.numbers, program.tasks[task, layout.BODY]
    m = compose(read_transform(program.frames, body), read_table(numbers, task, layout.FRAME))
    origin = (m[3], m[7], m[11])
    away = minus(_point(numbers, task, layout.TARGET), origin)
    distance = length(away)
    if distance < TINY:
        return row
    axis = (m[2], m[6], m[10])
    d = (away[0] / distance, away[1] / distance, away[2] / distance)
    turn = cross(axis, d)
    sine = length(turn)
    angle = math.atan2(sine, dot(axis, d))
    if sine < TINY:
        turn, sine = (m[0], m[4], m[8]), 1.0  # the opposite direction: about the x axis
    J = program.J
    _clear(J)
    add_point_jacobian(program.table, program.ahead, program.frames, body, 1.0, origin, J)
    for k in range(J.shape[1]):
        u, w = (J[0, k], J[1, k], J[2, k]), (J[3, k], J[4, k], J[5, k])
        along, swing = dot(axis, w), cross(d, u)
        for r in range(3):
            J[r, k] = w[r] - along * axis[r] + swing[r] / distance
    for r in range(3):
        error = angle * turn[r] / sine
        numbers[task, layout.ERROR + 3 + r] = error
        program.goals[row, layout.WEIGHT] = numbers[task, layout.COST + 3]
        row = _add_row(program, task, row, _axis(r), 0, 0.0, error / dt)
    return row


@inlined
def _joint_rows(program: Program, task: int, row: int, dt: float) -> int:
    """Rows of single velocities: of a posture, or of given velocities."""
    numbers, joints, goals = program.numbers, program.joints, program.goals
    A = program.constraints.A
    costs = layout.VALUES + program.kinds.shape[0]
    squares = 0.0
    for k in range(joints.shape[0]):
        cost, slot = numbers[task, costs + k], int(joints[k, layout.SLOT])
        if cost == 0.0 or joints[k, layout.FREE] == 0.0:
            continue
        feed = error = before = 0.0
        if program.tasks[task, layout.KIND] == layout.VELOCITY:
            feed = numbers[task, layout.VALUES + k]
        else:
            error = numbers[task, layout.VALUES + slot] - program.ahead[slot]
            if joints[k, layout.CIRCULAR] != 0.0:
                error -= 2.0 * math.pi * math.floor(0.5 * error / math.pi + 0.5)
            before = program.guess[k]
        squares += error * error
        for j in range(joints.shape[0]):
            A[row, j] = 0.0
        A[row, k] = 1.0
        goals[row, layout.FEED] = feed
        goals[row, layout.REMOVE] = numbers[task, layout.GAIN] * (error / dt + before)
        goals[row, layout.WEIGHT] = cost
        goals[row, layout.UNIT] = k
        row += 1
    numbers[task, layout.ERROR] = math.sqrt(squares)
    return row


@kernel(types.int64(PROGRAM, types.int64, types.int64, NUMBER))
def write_rows(program: Program, task: int, row: int, dt: float) -> int:
    """Write a task's rows, from ``row`` on, and its errors; return the row after them."""
    kind = program.tasks[task, layout.KIND]
    if kind in (layout.POSE, layout.POSE_BY_TARGET):
        return int(_pose_rows(program, task, row, dt))
    if kind == layout.CENTER_OF_MASS:
        return int(_center_of_mass_rows(program, task, row, dt))
    if kind == layout.LOOK_AT:
        return int(_look_at_rows(program, task, row, dt))
    return int(_joint_rows(program, task, row, dt))


@inlined
def allowed_approach(room: float, rate: float, dt: float, stop_time: float) -> float:
    """Return the speed (m/s) at which a distance, ``room`` above its minimum, may shrink.

    It decays at ``rate`` (1/s), and leaves room to stop. Below the minimum, it has to grow.
    """
    if room <= 0.0:
        return max(rate * room, -RETREAT)
    return min(rate * room, room / (1.5 * dt + 0.5 * stop_time))


@kernel(types.int64(PROGRAM, READ_1D, types.int64, NUMBER, NUMBER))
def write_planes(program: Program, q: Array, row: int, dt: float, stop_time: float) -> int:
    """Write the rows of the planes' barriers, from ``row`` on; return the row after them."""
    planes, constraints, frames = program.planes, program.constraints, program.start_frames
    if planes.shape[0] > 0:
        body_transforms(program.table, q, frames)
    for plane in range(planes.shape[0]):
        body = int(planes[plane, layout.PLANE_BODY])
        m = read_transform(frames, body)
        point = transformed(m, vector(planes, plane, layout.PLANE_POINT))
        normal = vector(planes, plane, layout.PLANE_NORMAL)
        _clear(program.J)
        add_point_jacobian(program.table, q, frames, body, 1.0, point, program.J)
        for k in range(program.J.shape[1]):
            value = 0.0
            for r in range(3):
                value += normal[r] * program.J[r, k]
            constraints.A[row, k] = value
        height = dot(normal, point) - planes[plane, layout.PLANE_OFFSET]
        rate = planes[plane, layout.PLANE_RATE]
        constraints.row_low[row] = -allowed_approach(height, rate, dt, stop_time)
        row += 1
    return row
