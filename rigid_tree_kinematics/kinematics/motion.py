"""Arithmetic of the kernels: transforms as tuples of 12 numbers, and a joint's motion.

A transform is rows 0 to 2 of the 4x4, row-major. Every function here is inlined into the kernels
that use it, so that the numbers stay in registers.
"""

import math

import rigid_tree_kinematics.model.columns as columns
import rigid_tree_kinematics.model.joints.joint_types as joint_types
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import inlined

Transform = tuple[float, ...]  # 12 numbers
Vector = tuple[float, float, float]

PLANAR_VELOCITIES = joint_types.VELOCITY_COUNTS[joint_types.PLANAR]
FLOATING_VELOCITIES = joint_types.VELOCITY_COUNTS[joint_types.FLOATING]

# sin and cos: pi/2 in three parts of 33 bits, and the polynomials' coefficients.
LARGEST_REDUCED = 1e5  # rad; beyond this the product of turns and HALF_PI[0] is no longer exact
HALF_PI = 1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21
SINE = (
    -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
    2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
)  # fmt: skip
COSINE = (
    4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
    -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
)  # fmt: skip


@inlined
def sincos(x: float) -> tuple[float, float]:
    """Return (sin x, cos x) to an ulp or two, in half the time of the C library's two calls.

    Reduction by pi/2 in three parts (Cody and Waite 1980), then the minimax polynomials of
    fdlibm's k_sin.c and k_cos.c.
    """
    if not abs(x) < LARGEST_REDUCED:
        return math.sin(x), math.cos(x)
    turns = math.floor(x * (2.0 / math.pi) + 0.5)
    r = x - turns * HALF_PI[0]
    r = r - turns * HALF_PI[1]
    r = r - turns * HALF_PI[2]
    z = r * r
    s = SINE[4] + z * SINE[5]
    s = SINE[2] + z * (SINE[3] + z * s)
    s = r + r * z * (SINE[0] + z * (SINE[1] + z * s))
    c = COSINE[4] + z * COSINE[5]
    c = COSINE[2] + z * (COSINE[3] + z * c)
    c = 1.0 - 0.5 * z + z * z * (COSINE[0] + z * (COSINE[1] + z * c))
    quadrant = int(turns) & 3
    if quadrant & 1:
        s, c = c, s
    if quadrant == 1 or quadrant == 2:
        c = -c
    if quadrant >= 2:
        s = -s
    return s, c


@inlined
def compose(a: Transform, b: Transform) -> Transform:
    """Return the product of two transforms (12-tuples)."""
    return (
        a[0] * b[0] + a[1] * b[4] + a[2] * b[8],
        a[0] * b[1] + a[1] * b[5] + a[2] * b[9],
        a[0] * b[2] + a[1] * b[6] + a[2] * b[10],
        a[0] * b[3] + a[1] * b[7] + a[2] * b[11] + a[3],
        a[4] * b[0] + a[5] * b[4] + a[6] * b[8],
        a[4] * b[1] + a[5] * b[5] + a[6] * b[9],
        a[4] * b[2] + a[5] * b[6] + a[6] * b[10],
        a[4] * b[3] + a[5] * b[7] + a[6] * b[11] + a[7],
        a[8] * b[0] + a[9] * b[4] + a[10] * b[8],
        a[8] * b[1] + a[9] * b[5] + a[10] * b[9],
        a[8] * b[2] + a[9] * b[6] + a[10] * b[10],
        a[8] * b[3] + a[9] * b[7] + a[10] * b[11] + a[11],
    )


@inlined
def read_table(table: Array, i: int, start: int) -> Transform:
    """Return the transform that starts at a column of the table."""
    return (
        table[i, start], table[i, start + 1], table[i, start + 2], table[i, start + 3],
        table[i, start + 4], table[i, start + 5], table[i, start + 6], table[i, start + 7],
        table[i, start + 8], table[i, start + 9], table[i, start + 10], table[i, start + 11],
    )  # fmt: skip


@inlined
def twelve(numbers: Array) -> Transform:
    """Return the transform in an array of 12 numbers."""
    return (
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
        numbers[6], numbers[7], numbers[8], numbers[9], numbers[10], numbers[11],
    )  # fmt: skip


@inlined
def turn(m: Transform, x: float, y: float, z: float, c: float, s: float) -> Transform:
    """Return ``m`` followed by a rotation about a unit axis (x, y, z), given cosine and sine."""
    v = 1.0 - c
    rotation = (
        x * x * v + c, x * y * v - z * s, x * z * v + y * s, 0.0,
        x * y * v + z * s, y * y * v + c, y * z * v - x * s, 0.0,
        x * z * v - y * s, y * z * v + x * s, z * z * v + c, 0.0,
    )  # fmt: skip
    return compose(m, rotation)


@inlined
def turn_x(m: Transform, c: float, s: float) -> Transform:
    """Return ``m`` followed by a rotation about x."""
    return (
        m[0], c * m[1] + s * m[2], c * m[2] - s * m[1], m[3],
        m[4], c * m[5] + s * m[6], c * m[6] - s * m[5], m[7],
        m[8], c * m[9] + s * m[10], c * m[10] - s * m[9], m[11],
    )  # fmt: skip


@inlined
def turn_y(m: Transform, c: float, s: float) -> Transform:
    """Return ``m`` followed by a rotation about y."""
    return (
        c * m[0] - s * m[2], m[1], s * m[0] + c * m[2], m[3],
        c * m[4] - s * m[6], m[5], s * m[4] + c * m[6], m[7],
        c * m[8] - s * m[10], m[9], s * m[8] + c * m[10], m[11],
    )  # fmt: skip


@inlined
def turn_z(m: Transform, c: float, s: float) -> Transform:
    """Return ``m`` followed by a rotation about z."""
    return (
        c * m[0] + s * m[1], c * m[1] - s * m[0], m[2], m[3],
        c * m[4] + s * m[5], c * m[5] - s * m[4], m[6], m[7],
        c * m[8] + s * m[9], c * m[9] - s * m[8], m[10], m[11],
    )  # fmt: skip


@inlined
def shift(m: Transform, x: float, y: float, z: float) -> Transform:
    """Return ``m`` followed by a translation."""
    return (
        m[0], m[1], m[2], m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4], m[5], m[6], m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8], m[9], m[10], m[8] * x + m[9] * y + m[10] * z + m[11],
    )  # fmt: skip


@inlined
def turn_quaternion(m: Transform, x: float, y: float, z: float, w: float) -> Transform:
    """Return ``m`` followed by the rotation of a quaternion of any length."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    rotation = (
        1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w), 0.0,
        s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w), 0.0,
        s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y), 0.0,
    )  # fmt: skip
    return compose(m, rotation)


@inlined
def parent_from_body(table: Array, q: Array, i: int) -> Transform:
    """Return the transform from the parent body's frame to body i's, i > 0."""
    m = read_table(table, i, columns.FIXED_TRANSFORM)
    kind = int(table[i, columns.KIND])
    if kind == joint_types.FIXED:
        return m
    at = int(table[i, columns.POSITION])
    if kind == joint_types.FLOATING:
        m = shift(m, q[at], q[at + 1], q[at + 2])
        m = turn_quaternion(m, q[at + 3], q[at + 4], q[at + 5], q[at + 6])
    elif kind == joint_types.PLANAR:
        m = shift(m, q[at], q[at + 1], 0.0)
        s, c = sincos(q[at + 2])
        m = turn_z(m, c, s)
    else:
        x, y, z = table[i, columns.AXIS], table[i, columns.AXIS + 1], table[i, columns.AXIS + 2]
        value = table[i, columns.MULTIPLIER] * q[at] + table[i, columns.OFFSET]
        if kind == joint_types.PRISMATIC:
            m = shift(m, x * value, y * value, z * value)
        else:
            s, c = sincos(value)
            if kind == joint_types.REVOLUTE:
                m = turn(m, x, y, z, c, s)
            elif kind == joint_types.REVOLUTE_X:
                m = turn_x(m, c, s)
            elif kind == joint_types.REVOLUTE_Y:
                m = turn_y(m, c, s)
            else:
                m = turn_z(m, c, s)
    if table[i, columns.MOVED_CHILD] != 0.0:
        m = compose(m, read_table(table, i, columns.CHILD_TRANSFORM))
    return m


@inlined
def base_from_body(table: Array, q: Array, body: int) -> Transform:
    """Return the transform from the base to a body, along its chain."""
    m = IDENTITY
    i = body
    while i > 0:
        m = compose(parent_from_body(table, q, i), m)
        i = int(table[i, columns.PARENT])
    return m


@inlined
def inverse_of(m: Transform) -> Transform:
    """Return the inverse of a transform."""
    x, y, z = unrotate(m, -m[3], -m[7], -m[11])
    return m[0], m[4], m[8], x, m[1], m[5], m[9], y, m[2], m[6], m[10], z


@inlined
def all_finite(q: Array) -> bool:
    """Return whether all positions are finite (0 * inf and 0 * nan are nan)."""
    total = 0.0
    for i in range(q.shape[0]):
        total += 0.0 * q[i]
    return total == 0.0


@inlined
def read_transform(out: Array, i: int) -> Transform:
    """Return row i of an (n, 4, 4) array."""
    return (
        out[i, 0, 0], out[i, 0, 1], out[i, 0, 2], out[i, 0, 3],
        out[i, 1, 0], out[i, 1, 1], out[i, 1, 2], out[i, 1, 3],
        out[i, 2, 0], out[i, 2, 1], out[i, 2, 2], out[i, 2, 3],
    )  # fmt: skip


@inlined
def write_matrix(out: Array, m: Transform) -> None:
    """Write a transform into a (4, 4) array."""
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = m[0], m[1], m[2], m[3]
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = m[4], m[5], m[6], m[7]
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = m[8], m[9], m[10], m[11]
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0


IDENTITY: Transform = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@inlined
def rotate(m: Transform, x: float, y: float, z: float) -> Vector:
    """Return the rotation of ``m`` applied to a vector."""
    return (
        m[0] * x + m[1] * y + m[2] * z,
        m[4] * x + m[5] * y + m[6] * z,
        m[8] * x + m[9] * y + m[10] * z,
    )


@inlined
def unrotate(m: Transform, x: float, y: float, z: float) -> Vector:
    """Return the inverse rotation of ``m`` applied to a vector."""
    return (
        m[0] * x + m[4] * y + m[8] * z,
        m[1] * x + m[5] * y + m[9] * z,
        m[2] * x + m[6] * y + m[10] * z,
    )


@inlined
def velocity_count(kind: int) -> int:
    """Return the number of velocities of a kind of joint: VELOCITY_COUNTS[kind], but faster."""
    if kind == joint_types.PLANAR:
        return PLANAR_VELOCITIES
    if kind == joint_types.FLOATING:
        return FLOATING_VELOCITIES
    return 0 if kind == joint_types.FIXED else 1


@inlined
def velocity_axis(table: Array, q: Array, i: int, k: int) -> tuple[float, ...]:
    """Return body i's motion per unit of its joint's k-th velocity: (turns, axis, point).

    (turns, x, y, z, px, py, pz) in body i's frame: a rotation about the axis through the point,
    or, if ``turns`` is 0, a translation along it. A planar joint's velocity is the rate of its
    (x, y, theta), a floating joint's is (linear, angular) in the moved joint frame.
    """
    kind = int(table[i, columns.KIND])
    turns, x, y, z = 0.0, 0.0, 0.0, 0.0
    if kind == joint_types.FLOATING:
        turns = 1.0 if k >= 3 else 0.0
        x = 1.0 if k % 3 == 0 else 0.0
        y = 1.0 if k % 3 == 1 else 0.0
        z = 1.0 if k % 3 == 2 else 0.0
    elif kind == joint_types.PLANAR and k == 2:
        turns = z = 1.0
    elif kind == joint_types.PLANAR:
        s, c = sincos(q[int(table[i, columns.POSITION]) + 2])
        x, y = (c, -s) if k == 0 else (s, c)
    else:
        turns, scale = 0.0 if kind == joint_types.PRISMATIC else 1.0, table[i, columns.MULTIPLIER]
        x, y, z = table[i, columns.AXIS], table[i, columns.AXIS + 1], table[i, columns.AXIS + 2]
        x, y, z = x * scale, y * scale, z * scale
    if table[i, columns.MOVED_CHILD] == 0.0:
        return turns, x, y, z, 0.0, 0.0, 0.0
    child = read_table(table, i, columns.CHILD_TRANSFORM)
    ax, ay, az = unrotate(child, x, y, z)
    px, py, pz = unrotate(child, -child[3], -child[7], -child[11])
    return turns, ax, ay, az, px, py, pz


@inlined
def quaternion_of(m: Transform) -> tuple[float, ...]:
    """Return (x, y, z, w), w >= 0, of a transform's rotation (Shepperd 1978)."""
    trace = m[0] + m[5] + m[10]
    if trace > m[0] and trace > m[5] and trace > m[10]:
        x, y, z, w = m[9] - m[6], m[2] - m[8], m[4] - m[1], 1.0 + trace
    elif m[0] >= m[5] and m[0] >= m[10]:
        x, y, z, w = 1.0 + 2.0 * m[0] - trace, m[4] + m[1], m[2] + m[8], m[9] - m[6]
    elif m[5] >= m[10]:
        x, y, z, w = m[4] + m[1], 1.0 + 2.0 * m[5] - trace, m[9] + m[6], m[2] - m[8]
    else:
        x, y, z, w = m[2] + m[8], m[9] + m[6], 1.0 + 2.0 * m[10] - trace, m[4] - m[1]
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    if w < 0.0:
        scale = -scale
    return x * scale, y * scale, z * scale, w * scale


@inlined
def rotation_vector(m: Transform) -> Vector:
    """Return axis times angle (rad, angle in [0, pi]) of a transform's rotation."""
    x, y, z, w = quaternion_of(m)
    norm2 = x * x + y * y + z * z
    # Below this the angle is 2 norm to the last digit, and the quotient would be 0 / 0.
    scale = 2.0
    if norm2 > 1e-24:
        norm = math.sqrt(norm2)
        scale = 2.0 * math.atan2(norm, w) / norm
    return scale * x, scale * y, scale * z


@inlined
def log_derivative(w: Vector, x: float, y: float, z: float) -> Vector:
    """Return the rate of a rotation vector w for the angular velocity (x, y, z).

    The inverse left Jacobian of SO(3) (Barfoot 2017, eq. 7.76).
    """
    t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    # (1 - (t/2) cot(t/2)) / t^2, or its series; t <= pi, so the sine is not zero.
    k = 1.0 / 12.0 + t2 / 720.0
    if t2 > 1e-4:
        half = 0.5 * math.sqrt(t2)
        s, c = sincos(half)
        k = (1.0 - half * c / s) / t2
    ax = w[1] * z - w[2] * y
    ay = w[2] * x - w[0] * z
    az = w[0] * y - w[1] * x
    bx = w[1] * az - w[2] * ay
    by = w[2] * ax - w[0] * az
    bz = w[0] * ay - w[1] * ax
    return x - 0.5 * ax + k * bx, y - 0.5 * ay + k * by, z - 0.5 * az + k * bz
