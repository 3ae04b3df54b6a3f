"""Quantities of constraint items at a configuration, and their derivatives."""

import math

import rigid_tree_kinematics.ik.constraints.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.constraints.arrays import ConstraintArrays
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    Transform,
    Vector,
    compose,
    inverse_of,
    log_derivative,
    parent_from_body,
    read_table,
    rotate,
    rotation_vector,
    shift,
    sincos,
    twelve,
)
from rigid_tree_kinematics.model.columns import PARENT

SMALLEST_COSINE = 1e-3  # of the second angle: near its poles the rates of the others are unbounded
TINY = 1e-12
# The three rotations whose rates are computed.
UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inlined
def write_frames(constraints: ConstraintArrays, q: Array, frames: Array) -> None:
    """Write the frames of the bodies that the items need."""
    table, bodies = constraints.table, constraints.bodies
    for k in range(bodies.shape[0]):
        i = bodies[k]
        m = IDENTITY
        if i > 0:
            m = parent_from_body(table, q, i)
            parent = int(table[i, PARENT])
            if parent > 0:
                m = compose(read_table(frames, parent, 0), m)
        for c in range(12):
            frames[i, c] = m[c]


@inlined
def point_in_base(frames: Array, body: int, x: float, y: float, z: float) -> Vector:
    """Return a body's point in the base frame."""
    m = read_table(frames, body, 0)
    x, y, z = rotate(m, x, y, z)
    return x + m[3], y + m[7], z + m[11]


@inlined
def body_center(constraints: ConstraintArrays, frames: Array, body: int) -> Vector:
    """Return a body's center of mass in the base frame."""
    center = constraints.center
    return point_in_base(frames, body, center[body, 0], center[body, 1], center[body, 2])


@inlined
def robot_center(constraints: ConstraintArrays, frames: Array) -> Vector:
    """Return the robot's center of mass in the base frame."""
    sx = sy = sz = 0.0
    for body in range(constraints.mass.shape[0]):
        share = constraints.mass[body]
        x, y, z = body_center(constraints, frames, body)
        sx, sy, sz = sx + share * x, sy + share * y, sz + share * z
    return sx, sy, sz


@inlined
def tool_in_frame(constraints: ConstraintArrays, i: int, frames: Array) -> Transform:
    """Return the transform that item ``i`` measures."""
    item = constraints.items[i]
    if item["kind"] == arrays.CENTER_OF_MASS:
        x, y, z = robot_center(constraints, frames)
        m = shift(IDENTITY, x, y, z)
    else:
        m = read_table(frames, item["body"], 0)
    reference = item["reference"]
    if reference > 0:
        m = compose(inverse_of(read_table(frames, reference, 0)), m)
    return compose(compose(twelve(item["frame"]), m), twelve(item["tool"]))


@inlined
def _highest_plane(planes: Array, first: int, last: int, m: Transform) -> tuple[float, int]:
    most, highest = -math.inf, first
    for p in range(first, last):
        height = planes[p, 0] * m[3] + planes[p, 1] * m[7] + planes[p, 2] * m[11] - planes[p, 3]
        if height > most:
            most, highest = height, p
    return most, highest


@inlined
def _xyz_angles(m: Transform) -> Vector:
    middle = math.atan2(m[2], math.sqrt(m[6] * m[6] + m[10] * m[10]))
    return math.atan2(-m[6], m[10]), middle, math.atan2(-m[1], m[0])


@inlined
def _transposed(m: Transform) -> Transform:
    return m[0], m[4], m[8], 0.0, m[1], m[5], m[9], 0.0, m[2], m[6], m[10], 0.0


@inlined
def _angle_from_z(x: float, y: float, z: float) -> Vector:
    """Return the angle between z and a direction, and the unit vector of its x and y."""
    across = math.sqrt(x * x + y * y)
    if across > TINY:
        return math.atan2(across, z), x / across, y / across
    return math.atan2(across, z), 1.0, 0.0


@inlined
def _position_values(constraints: ConstraintArrays, i: int, kind: int, m: Transform) -> Vector:
    if kind == arrays.POINT:
        return m[3], m[7], m[11]
    if kind == arrays.BALL:
        return math.sqrt(m[3] * m[3] + m[7] * m[7] + m[11] * m[11]), 0.0, 0.0
    if kind == arrays.CYLINDER:
        return math.sqrt(m[3] * m[3] + m[7] * m[7]), m[11], 0.0
    if kind <= arrays.CENTER_OF_MASS:
        planes = constraints.items[i]["planes"]
        return _highest_plane(constraints.planes, planes[0], planes[1], m)[0], 0.0, 0.0
    angle, x, y = _angle_from_z(m[3], m[7], m[11])
    if kind == arrays.SIGHT:
        return angle, 0.0, 0.0
    return angle * x, angle * y, 0.0


@inlined
def _rotation_values(kind: int, m: Transform) -> Vector:
    if kind in (arrays.ROTATION_VECTOR, arrays.ANGLE):
        x, y, z = rotation_vector(m)
        if kind == arrays.ANGLE:
            return math.sqrt(x * x + y * y + z * z), 0.0, 0.0
        return x, y, z
    if kind in (arrays.CONE, arrays.CONE_VECTOR):
        angle, x, y = _angle_from_z(m[2], m[6], m[10])
        if kind == arrays.CONE:
            return angle, 0.0, 0.0
        return -angle * y, angle * x, 0.0
    if kind == arrays.RPY_ANGLES:
        x, y, z = _xyz_angles(_transposed(m))
        return -x, -y, -z
    return _xyz_angles(m)


@inlined
def vector_kind(kind: int) -> int:
    """Return the kind of the vector whose length a kind is, or the kind itself."""
    if kind == arrays.BALL:
        return arrays.POINT
    if kind == arrays.SIGHT:
        return arrays.SIGHT_VECTOR
    if kind == arrays.ANGLE:
        return arrays.ROTATION_VECTOR
    if kind == arrays.CONE:
        return arrays.CONE_VECTOR
    return kind


@inlined
def values_of(constraints: ConstraintArrays, i: int, kind: int, m: Transform, q: Array) -> Vector:
    """Return three values of a kind, of the tool of item ``i`` in its frame, ``m``."""
    if kind <= arrays.SIGHT_VECTOR:
        return _position_values(constraints, i, kind, m)
    if kind < arrays.JOINT:
        return _rotation_values(kind, m)
    item = constraints.items[i]
    away = q[item["position"]] - item["middle"]
    if kind == arrays.CIRCLE_JOINT:
        away -= 2.0 * math.pi * math.floor(away / (2.0 * math.pi) + 0.5)
    return away, 0.0, 0.0


@inlined
def write_slopes(
    constraints: ConstraintArrays, i: int, kind: int, m: Transform, slopes: Array
) -> None:
    """Write the rates of the values of a kind, of item ``i``, by the tool's velocity and rotation.

    Both are in the frame's axes, the velocity that of the tool's origin.
    """
    slopes[:] = 0.0
    if kind in (arrays.SIGHT, arrays.SIGHT_VECTOR):
        _write_sight_slopes(kind, m, slopes)
    elif kind < arrays.SIGHT:
        _write_position_slopes(constraints, i, kind, m, slopes)
    elif kind in (arrays.CONE, arrays.CONE_VECTOR):
        if kind == arrays.CONE_VECTOR:
            slopes[0, 3] = slopes[1, 4] = 1.0
        else:
            _, x, y = _angle_from_z(m[2], m[6], m[10])
            slopes[0, 3], slopes[0, 4] = -y, x
    elif kind in (arrays.ROTATION_VECTOR, arrays.ANGLE):
        _write_vector_slopes(kind, m, slopes)
    else:
        _write_angle_slopes(kind, m, slopes)


@inlined
def _write_position_slopes(
    constraints: ConstraintArrays, i: int, kind: int, m: Transform, slopes: Array
) -> None:
    if kind == arrays.POINT:
        for r in range(arrays.ROWS):
            slopes[r, r] = 1.0
    elif kind == arrays.BALL:
        length = max(TINY, math.sqrt(m[3] * m[3] + m[7] * m[7] + m[11] * m[11]))
        slopes[0, 0], slopes[0, 1], slopes[0, 2] = m[3] / length, m[7] / length, m[11] / length
    elif kind == arrays.CYLINDER:
        length = max(TINY, math.sqrt(m[3] * m[3] + m[7] * m[7]))
        slopes[0, 0], slopes[0, 1], slopes[1, 2] = m[3] / length, m[7] / length, 1.0
    else:
        planes = constraints.items[i]["planes"]
        _, highest = _highest_plane(constraints.planes, planes[0], planes[1], m)
        for c in range(3):
            slopes[0, c] = constraints.planes[highest, c]


@inlined
def _write_sight_slopes(kind: int, m: Transform, slopes: Array) -> None:
    angle, x, y = _angle_from_z(m[3], m[7], m[11])
    across = math.sqrt(m[3] * m[3] + m[7] * m[7])
    squared = max(TINY, across * across + m[11] * m[11])
    outward, along = m[11] / squared, -across / squared  # rates of the angle
    if kind == arrays.SIGHT:
        slopes[0, 0], slopes[0, 1], slopes[0, 2] = x * outward, y * outward, along
        return
    sideways = angle / across if across > TINY else outward
    slopes[0, 0] = x * x * outward + y * y * sideways
    slopes[0, 1] = slopes[1, 0] = x * y * (outward - sideways)
    slopes[1, 1] = y * y * outward + x * x * sideways
    slopes[0, 2], slopes[1, 2] = x * along, y * along


@inlined
def _write_vector_slopes(kind: int, m: Transform, slopes: Array) -> None:
    w = rotation_vector(m)
    if kind == arrays.ANGLE:
        length = max(TINY, math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]))
        for c in range(3):
            slopes[0, 3 + c] = w[c] / length
        return
    for c in range(3):
        x, y, z = log_derivative(w, UNIT[c][0], UNIT[c][1], UNIT[c][2])
        slopes[0, 3 + c], slopes[1, 3 + c], slopes[2, 3 + c] = x, y, z


@inlined
def _write_angle_slopes(kind: int, m: Transform, slopes: Array) -> None:
    turned = _transposed(m) if kind == arrays.RPY_ANGLES else m
    first, middle, _ = _xyz_angles(turned)
    s, c = sincos(first)
    sm, cm = sincos(middle)
    cm = max(cm, SMALLEST_COSINE)
    slopes[0, 3], slopes[0, 4], slopes[0, 5] = 1.0, s * sm / cm, -c * sm / cm
    slopes[1, 4], slopes[1, 5] = c, s
    slopes[2, 4], slopes[2, 5] = -s / cm, c / cm
    if kind == arrays.RPY_ANGLES:
        # The opposite angles of the transpose, which rotates the opposite way in its own axes.
        for r in range(arrays.ROWS):
            x, y, z = rotate(m, slopes[r, 3], slopes[r, 4], slopes[r, 5])
            slopes[r, 3], slopes[r, 4], slopes[r, 5] = x, y, z
