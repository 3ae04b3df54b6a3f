"""How near the robot is to itself and to the scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Distance
from rigid_tree_kinematics.servo import kernels

# m, beyond the distances at which motions slow down: what is reached while they do.
AHEAD = 0.06
STANDS = -1  # instead of a body


@dataclass(frozen=True, eq=False)
class Nearness:
    """Pairs of things that are near each other, as seen at one configuration.

    ``distances`` (n,) in m, ``gradients`` (n, k): their changes by the joints' velocities;
    ``slow_within`` (n,) in m; ``names`` (n,) say what they are.
    """

    q: Array
    distances: Array
    gradients: Array
    slow_within: Array
    names: tuple[str, ...]


def nothing_near(q: Array, joints: int) -> Nearness:
    """Return that nothing is near so many joints."""
    return Nearness(q, np.empty(0), np.empty((0, joints)), np.empty(0), ())


def look_around(
    checker: CollisionChecker,
    q: Array,
    columns: NDArray[np.int64],
    self_distance: float,
    scene_distance: float,
) -> Nearness:
    """Return what is near at a configuration (nq,), for joints with velocities at ``columns``."""
    near = checker.near(q, self_distance + AHEAD, scene_distance + AHEAD)
    if not near:
        return nothing_near(q, len(columns))
    own = {*checker.compiled.body_names, *checker.scene.attached}
    within = [self_distance if item.second in own else scene_distance for item in near]
    return Nearness(
        q,
        np.array([item.distance for item in near]),
        _gradients(checker, q, near, columns),
        np.array(within),
        tuple(f"'{item.first}' near '{item.second}'" for item in near),
    )


def _gradients(
    checker: CollisionChecker, q: Array, near: Sequence[Distance], columns: NDArray[np.int64]
) -> Array:
    """Return how distances change by the joints' velocities, (n, k)."""
    compiled = checker.compiled
    gradients = np.zeros((len(near), len(columns)))
    firsts = np.array([item.point_first for item in near])
    seconds = np.array([item.point_second for item in near])
    normals = np.array([_normal(item) for item in near])
    J, T = np.empty((6, compiled.velocity_count)), np.empty((4, 4))
    for sign, points, names in (
        (1.0, firsts, [item.first for item in near]),
        (-1.0, seconds, [item.second for item in near]),
    ):
        bodies = np.array([_body(checker, name) for name in names])
        kernels.add_gradients(
            compiled.table, q, bodies, points, normals, sign, columns, J, T, gradients
        )
    return gradients


def _normal(item: Distance) -> Array:
    """Return the direction (3,) from the second thing to the first one; 0 if there is none."""
    across = item.point_first - item.point_second
    length = math.sqrt(across @ across)
    if length < 1e-9:  # wholly inside something: any way may lead out
        return np.zeros(3)
    return np.asarray(across * (math.copysign(1.0, item.distance) / length))


def _body(checker: CollisionChecker, name: str) -> int:
    """Return the row of a body, or of the one to which something is attached."""
    attached = checker.scene.attached
    body = attached[name].body if name in attached else name
    return checker.compiled.body_index.get(body, STANDS)
