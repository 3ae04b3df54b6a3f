"""Spatial arithmetic of the dynamics kernels, with vectors as tuples of six numbers.

A motion vector is (angular velocity, linear velocity of the point at the frame's origin), a force
vector (moment about the origin, force), both along the frame's axes. Source of all formulas: Roy
Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, chapters 2 and 5 to 7.
"""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.lumped import INERTIA, MASS, MOMENT, MOTION_AXIS
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Transform, rotate, unrotate, velocity_axis
from rigid_tree_kinematics.kinematics.vectors import cross
from rigid_tree_kinematics.model.columns import KIND
from rigid_tree_kinematics.model.joints.joint_types import PRISMATIC

Six = tuple[float, float, float, float, float, float]

ZERO = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inlined
def read_six(array: Array, i: int, at: int) -> Six:
    """Return six numbers of row i, from column ``at`` on."""
    return (
        array[i, at], array[i, at + 1], array[i, at + 2],
        array[i, at + 3], array[i, at + 4], array[i, at + 5],
    )  # fmt: skip


@inlined
def write_six(array: Array, i: int, at: int, x: Six) -> None:
    """Write six numbers of row i, from column ``at`` on."""
    for k in range(6):
        array[i, at + k] = x[k]


@inlined
def add_six(array: Array, i: int, at: int, x: Six) -> None:
    """Add to six numbers of row i, from column ``at`` on."""
    for k in range(6):
        array[i, at + k] += x[k]


@inlined
def write_pose(array: Array, i: int, m: Transform) -> None:
    """Write a transform as the first twelve numbers of row i; ``read_table`` reads it."""
    for k in range(12):
        array[i, k] = m[k]


@inlined
def plus(a: Six, b: Six, scale: float) -> Six:
    """Return a + scale * b."""
    return (
        a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2],
        a[3] + scale * b[3], a[4] + scale * b[4], a[5] + scale * b[5],
    )  # fmt: skip


@inlined
def dot(a: Six, b: Six) -> float:
    """Return the scalar product of a motion and a force: their power."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@inlined
def motion_to_child(m: Transform, x: Six) -> Six:
    """Transform a motion from the parent's frame to the child's; ``m`` is parent from child."""
    px, py, pz = m[3], m[7], m[11]
    wx, wy, wz = unrotate(m, x[0], x[1], x[2])
    vx, vy, vz = unrotate(
        m, x[3] + x[1] * pz - x[2] * py, x[4] + x[2] * px - x[0] * pz, x[5] + x[0] * py - x[1] * px
    )
    return wx, wy, wz, vx, vy, vz


@inlined
def force_to_parent(m: Transform, f: Six) -> Six:
    """Transform a force from the child's frame to the parent's; ``m`` is parent from child."""
    fx, fy, fz = rotate(m, f[3], f[4], f[5])
    nx, ny, nz = rotate(m, f[0], f[1], f[2])
    px, py, pz = m[3], m[7], m[11]
    return nx + py * fz - pz * fy, ny + pz * fx - px * fz, nz + px * fy - py * fx, fx, fy, fz


@inlined
def motion_cross(v: Six, x: Six) -> Six:
    """Return v cross x: the rate of a motion ``x`` fixed in a frame that moves with ``v``."""
    a = cross((v[0], v[1], v[2]), (x[0], x[1], x[2]))
    b = cross((v[0], v[1], v[2]), (x[3], x[4], x[5]))
    c = cross((v[3], v[4], v[5]), (x[0], x[1], x[2]))
    return a[0], a[1], a[2], b[0] + c[0], b[1] + c[1], b[2] + c[2]


@inlined
def force_cross(v: Six, f: Six) -> Six:
    """Return v cross* f: the rate of a force ``f`` fixed in a frame that moves with ``v``."""
    a = cross((v[0], v[1], v[2]), (f[0], f[1], f[2]))
    b = cross((v[3], v[4], v[5]), (f[3], f[4], f[5]))
    c = cross((v[0], v[1], v[2]), (f[3], f[4], f[5]))
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]


@inlined
def momentum(array: Array, i: int, at: int, x: Six) -> Six:
    """Return the inertia, ten numbers of row i from column ``at`` on, times a motion."""
    mass = array[i, at + MASS]
    h = (array[i, at + MOMENT], array[i, at + MOMENT + 1], array[i, at + MOMENT + 2])
    k = at + INERTIA
    xx, xy, xz = array[i, k], array[i, k + 1], array[i, k + 2]
    yy, yz, zz = array[i, k + 3], array[i, k + 4], array[i, k + 5]
    w, v = (x[0], x[1], x[2]), (x[3], x[4], x[5])
    a = cross(h, v)
    b = cross(w, h)
    return (
        xx * w[0] + xy * w[1] + xz * w[2] + a[0],
        xy * w[0] + yy * w[1] + yz * w[2] + a[1],
        xz * w[0] + yz * w[1] + zz * w[2] + a[2],
        mass * v[0] + b[0],
        mass * v[1] + b[1],
        mass * v[2] + b[2],
    )


@inlined
def joint_axis(table: Array, q: Array, i: int, k: int) -> Six:
    """Return body i's motion, in its own frame, per unit of its joint's k-th velocity."""
    if table[i, KIND] <= PRISMATIC:
        return read_six(table, i, MOTION_AXIS)
    turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
    if turns == 0.0:
        return 0.0, 0.0, 0.0, x, y, z
    return x, y, z, py * z - pz * y, pz * x - px * z, px * y - py * x
