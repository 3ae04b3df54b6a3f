"""Closed-form inverse kinematics for 6R and planar arms, derived from their axes.

An arm is a list of screws: unit axes h_i and points o_i on them at zero angles, so that the tip's
displacement from its zero pose is the product of the rotations E_i(q_i) about them. In singular
cases, a free angle is taken from ``near``.

The subproblems are those of Paden and Kahan in the least-squares spirit of Elias and Wen 2022
("IK-Geo"): where rounding or a singularity makes an equation just unsolvable, the nearest angle is
returned, and the numerical polish that follows decides. Axes are unit vectors, angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, inverse, transform

# Descriptions of real robots have rounded axes: smaller angles (rad) and distances (m) are treated
# as zero. The numerical polish after every closed form removes the error.
ALIGNED = 1e-4
# An equation a cos + b sin = c is treated as solvable up to this relative excess of c.
EXCESS = 1e-6
# A vector shorter than this (m, or without unit) has no direction.
NO_LENGTH = 1e-9
# Roots of a trigonometric polynomial lie on the unit circle, double roots only to within the root
# of the rounding error; values farther away are not roots.
OFF_CIRCLE = 1e-3


@dataclass(frozen=True, eq=False)
class Screws:
    """The axes (n, 3) and a point on each (n, 3), m, of n revolute joints at zero."""

    axes: Array
    points: Array

    def reversed(self) -> Screws:
        """Return the arm from tip to base, which produces the inverse displacement."""
        return Screws(-self.axes[::-1], self.points[::-1])

    def parallel(self, *joints: int) -> bool:
        """Return whether the axes of these joints are parallel."""
        first = self.axes[joints[0]]
        return all(np.linalg.norm(cross(first, self.axes[j])) < ALIGNED for j in joints[1:])

    def meeting_point(self, *joints: int) -> Array | None:
        """Return the intersection of these axes, or None if there is none or they are parallel."""
        h, o = self.axes[list(joints)], self.points[list(joints)]
        # Distance to a line: |(I - h h^T) (x - o)|.
        projectors = np.eye(3) - h[:, :, None] * h[:, None, :]
        system = projectors.sum(0)
        if np.linalg.eigvalsh(system)[0] < ALIGNED:
            return None
        x: Array = np.linalg.solve(system, (projectors @ o[:, :, None]).sum(0)[:, 0])
        distances = np.linalg.norm((projectors @ (x - o)[:, :, None])[:, :, 0], axis=1)
        return x if distances.max() < ALIGNED else None


def closed_form_angles(screws: Screws, G: Array, near: Array) -> list[Array] | None:
    """Return all angles that produce the displacement G (4x4); None without a closed form."""
    count = len(screws.axes)
    if count == 3 and screws.parallel(0, 1, 2):
        return [np.array(q) for q in planar_3r(screws, G, near)]
    if count != 6:
        return None
    backwards = screws.reversed()
    for solve in (spherical_wrist, three_parallel_axes):
        angles = solve(screws, G, near)
        if angles is not None:
            return angles
        angles = solve(backwards, inverse(G), near[::-1])
        if angles is not None:
            return [q[::-1] for q in angles]
    return None


def common_normal(h1: Array, o1: Array, h2: Array, o2: Array) -> tuple[Array, Array]:
    """Return the closest points of two lines."""
    n = cross(h1, h2)
    n2 = dot(n, n)
    between = o2 - o1
    if n2 < ALIGNED**2:
        return o1 + dot(h1, between) * h1, o2
    t1 = dot(cross(between, h2), n) / n2
    t2 = dot(cross(between, h1), n) / n2
    return o1 + t1 * h1, o2 + t2 * h2


def spherical_wrist(screws: Screws, G: Array, near: Array) -> list[Array] | None:
    """Solve a 6R arm whose last three axes intersect (Pieper 1968); up to 8 solutions."""
    center = screws.meeting_point(3, 4, 5)
    if center is None or screws.parallel(3, 4) or screws.parallel(4, 5):
        return None
    h = screws.axes
    solutions = []
    for q1, q2, q3 in _place_point(screws, center, G[:3, :3] @ center + G[:3, 3], near):
        R = axis_angle_matrix(h[2], -q3) @ axis_angle_matrix(h[1], -q2)
        R = R @ axis_angle_matrix(h[0], -q1) @ G[:3, :3]
        for q4, q5, q6 in _three_turns(h[3], h[4], h[5], R, near[3:]):
            solutions.append(np.array([q1, q2, q3, q4, q5, q6]))
    return solutions


def _place_point(
    screws: Screws, c: Array, goal: Array, near: Array
) -> list[tuple[float, float, float]]:
    """Return the angles of the first three joints that move the point c to the goal.

    Joint 1 does not change the height along its axis or the distance from it. This gives two
    equations linear in the point rotated by joint 2; eliminating that point leaves one in q3.
    """
    h1, h2, h3 = screws.axes[:3]
    o1, o2 = common_normal(h1, screws.points[0], h2, screws.points[1])
    o3 = screws.points[2]
    d = o2 - o1
    target = goal - o1
    across = normal_part(h2, h1)
    sideways = normal_part(h2, d)
    across2, sideways2 = dot(across, across), dot(sideways, sideways)
    parallel, crossing = across2 < ALIGNED**2, sideways2 < ALIGNED**2
    if parallel and crossing:
        return []

    def point(q3: float) -> Array:
        turn: Array = o3 + turned(h3, q3, c - o3) - o2
        return turn

    def height(u: Array) -> float:
        """Return the required value of across . (u rotated by joint 2)."""
        return dot(h1, target) - dot(h1, d) - dot(h1, h2) * dot(h2, u)

    def extent(u: Array) -> float:
        """Return the required value of sideways . (u rotated by joint 2)."""
        half = 0.5 * (dot(target, target) - dot(d, d) - dot(u, u))
        return half - dot(d, h2) * dot(h2, u)

    def equation(q3: float) -> float:
        u = point(q3)
        if crossing:
            return extent(u)
        if parallel:
            return height(u)
        r = normal_part(h2, u)
        return height(u) ** 2 / across2 + extent(u) ** 2 / sideways2 - dot(r, r)

    angles = []
    for q3 in zeros_of_trigonometric(equation):
        u = point(q3)
        if crossing:
            seconds = angles_of_height(h2, u, across, height(u), near[1])
        elif parallel:
            seconds = angles_of_height(h2, u, sideways, extent(u), near[1])
        else:
            placed = across * (height(u) / across2) + sideways * (extent(u) / sideways2)
            seconds = [angle_between(h2, u, placed, near[1])]
        for q2 in seconds:
            q1 = angle_between(h1, d + turned(h2, q2, u), target, near[0])
            angles.append((q1, q2, q3))
    return angles


def _three_turns(
    h4: Array, h5: Array, h6: Array, R: Array, near: Array
) -> list[tuple[float, float, float]]:
    """Return the angles of three rotations whose product is R; two solutions."""
    aim = R @ h6
    angles = []
    # Any vector normal to the last axis shows its rotation.
    side = cross(h6, h5)
    for q5 in angles_of_height(h5, h6, h4, dot(h4, aim), near[1]):
        q4 = angle_between(h4, turned(h5, q5, h6), aim, near[0])
        left = turned(h5, -q5, turned(h4, -q4, R @ side))
        angles.append((q4, q5, angle_between(h6, side, left, near[2])))
    return angles


def three_parallel_axes(screws: Screws, G: Array, near: Array) -> list[Array] | None:
    """Solve a 6R arm with axes 2, 3, 4 parallel and 5, 6 intersecting (UR); up to 8 results."""
    h, o = screws.axes, screws.points
    if not screws.parallel(1, 2, 3) or screws.parallel(0, 1) or screws.parallel(4, 5):
        return None
    c = screws.meeting_point(4, 5)
    if c is None or screws.parallel(3, 4):
        return None
    normal = h[1]
    arm = Screws(h[1:4], o[1:4])
    R, goal = G[:3, :3], G[:3, :3] @ c + G[:3, 3]
    solutions = []
    # The middle joints keep the height of c along their axes; the last two do not move c.
    for q1 in angles_of_height(h[0], normal, goal - o[0], dot(normal, c - o[0]), near[0]):
        # The middle joints do not rotate their own axis direction either.
        g = R.T @ turned(h[0], q1, normal)
        for q6 in angles_of_height(h[5], g, h[4], dot(h[4], normal), near[5]):
            q5 = angle_between(h[4], turned(h[5], q6, g), normal, near[4])
            M = _turn(h[0], o[0], -q1) @ G @ _turn(h[5], o[5], -q6) @ _turn(h[4], o[4], -q5)
            for q2, q3, q4 in planar_3r(arm, M, near[1:4]):
                solutions.append(np.array([q1, q2, q3, q4, q5, q6]))
    return solutions


def planar_3r(screws: Screws, M: Array, near: Array) -> list[tuple[float, float, float]]:
    """Return the angles of three parallel axes for the displacement M; two solutions."""
    h, o = screws.axes, screws.points
    normal = h[0]
    signs = [1.0 if dot(axis, normal) > 0.0 else -1.0 for axis in h]
    across = cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    whole = angle_between(normal, across, M[:3, :3] @ across, 0.0)
    goal = M[:3, :3] @ o[2] + M[:3, 3]
    return [
        (q2, signs[1] * q3, signs[2] * (whole - q2 - q3))
        for q2, q3 in planar_2r(normal, o[0], o[1], o[2], goal, near)
    ]


def planar_2r(
    normal: Array, o1: Array, o2: Array, tip: Array, goal: Array, near: Array
) -> list[tuple[float, float]]:
    """Return two pairs of angles about ``normal``, at o1 and o2, that reach the goal."""
    upper = normal_part(normal, o2 - o1)
    lower = normal_part(normal, tip - o2)
    reach = normal_part(normal, goal - o1)
    wanted = 0.5 * (dot(reach, reach) - dot(upper, upper) - dot(lower, lower))
    angles = []
    for q2 in angles_of_height(normal, lower, upper, wanted, near[1]):
        folded = upper + turned(normal, q2, lower)
        angles.append((angle_between(normal, folded, reach, near[0]), q2))
    return angles


def _turn(h: Array, o: Array, angle: float) -> Array:
    R = axis_angle_matrix(h, angle)
    return transform(o - R @ o, R)


# -- subproblems ----------------------------------------------------------------------------------


def dot(a: Array, b: Array) -> float:
    """Return the dot product of two 3-vectors."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: Array, b: Array) -> Array:
    """Return the cross product of two 3-vectors, without NumPy's overhead for general shapes."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return np.array([x, y, z])


def turned(axis: Array, angle: float, vector: Array) -> Array:
    """Return a vector rotated about an axis through the origin (Rodrigues' formula)."""
    c, s = math.cos(angle), math.sin(angle)
    return c * vector + s * cross(axis, vector) + (1.0 - c) * dot(axis, vector) * axis


def normal_part(axis: Array, vector: Array) -> Array:
    """Return the component of a vector normal to an axis."""
    return vector - dot(axis, vector) * axis


def angle_between(axis: Array, u: Array, v: Array, otherwise: float) -> float:
    """Return the angle about the axis that rotates u towards v; ``otherwise`` if undefined."""
    u, v = normal_part(axis, u), normal_part(axis, v)
    if dot(u, u) < NO_LENGTH**2 or dot(v, v) < NO_LENGTH**2:
        return otherwise
    return math.atan2(dot(axis, cross(u, v)), dot(u, v))


def angles_of_height(
    axis: Array, u: Array, k: Array, height: float, otherwise: float
) -> list[float]:
    """Return the angles about the axis at which u's dot product with k is ``height``.

    There are none, one or two; ``otherwise`` is returned if every angle is a solution.
    """
    a = dot(k, normal_part(axis, u))
    b = dot(k, cross(axis, u))
    c = height - dot(k, axis) * dot(axis, u)
    amplitude = math.hypot(a, b)
    scale = math.sqrt(dot(u, u) * dot(k, k))
    if amplitude <= NO_LENGTH * max(scale, 1.0):
        return [otherwise] if abs(c) <= EXCESS * max(scale, 1.0) else []
    middle = math.atan2(b, a)
    ratio = c / amplitude
    if abs(ratio) > 1.0:
        if abs(c) > amplitude + EXCESS * max(scale, amplitude):
            return []
        return [middle if ratio > 0.0 else middle + math.pi]
    spread = math.acos(ratio)
    return [middle + spread, middle - spread]


def zeros_of_trigonometric(function: Callable[[float], float]) -> list[float]:
    """Return the zeros of a trigonometric polynomial of degree 2 in (-pi, pi], at most 4."""
    angles = 2.0 * math.pi / 5.0 * np.arange(5)
    values = np.array([function(angle) for angle in angles])
    coefficients = np.fft.fft(values) / 5.0  # c0 c1 c2 c-2 c-1
    polynomial = coefficients[[2, 1, 0, 4, 3]]
    size = np.abs(polynomial).max()
    if not size > 0.0:
        return []
    polynomial[np.abs(polynomial) < 1e-13 * size] = 0.0
    roots = np.roots(polynomial)
    return [float(np.angle(z)) for z in roots if abs(abs(z) - 1.0) < OFF_CIRCLE]
