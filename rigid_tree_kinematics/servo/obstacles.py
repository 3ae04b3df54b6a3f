"""Distances of the robot's bodies to each other and to the scene, and their gradients."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Distance
from rigid_tree_kinematics.servo.kernels import NearPairs, add_gradients

# m, beyond the distances at which motions slow down: for pairs that approach before the next check
AHEAD = 0.06
STANDS = -1  # row of an object that does not move


@dataclass(frozen=True, eq=False)
class Nearness:
    """The near ``pairs`` at a configuration, and their names (n,)."""

    q: Array
    pairs: NearPairs
    names: tuple[str, ...]


def nothing_near(q: Array, joints: int) -> Nearness:
    """Return an empty set of pairs for a number of joints."""
    return Nearness(q, NearPairs(np.empty(0), np.empty((0, joints)), np.empty(0)), ())


def find_near_pairs(
    checker: CollisionChecker,
    q: Array,
    columns: NDArray[np.int64],
    self_distance: float,
    scene_distance: float,
) -> Nearness:
    """Return the near pairs at a configuration (nq,); ``columns`` are the joints' velocities."""
    near = checker.near(q, self_distance + AHEAD, scene_distance + AHEAD)
    if not near:
        return nothing_near(q, len(columns))
    own = {*checker.compiled.body_names, *checker.scene.attached}
    within = [self_distance if item.second in own else scene_distance for item in near]
    distances = np.array([item.distance for item in near])
    gradients = distance_gradients(checker, q, near, columns)
    return Nearness(
        q,
        NearPairs(distances, gradients, np.array(within)),
        tuple(f"'{item.first}' near '{item.second}'" for item in near),
    )


def distance_gradients(
    checker: CollisionChecker, q: Array, near: Sequence[Distance], columns: NDArray[np.int64]
) -> Array:
    """Return the gradients of distances with respect to the joints' velocities, (n, k)."""
    compiled = checker.compiled
    gradients = np.zeros((len(near), len(columns)))
    firsts = np.array([item.point_first for item in near])
    seconds = np.array([item.point_second for item in near])
    normals = np.array([_normal(item) for item in near])
    J = np.empty((6, compiled.velocity_count))
    for points, directions, names in (
        (firsts, normals, [item.first for item in near]),
        (seconds, -normals, [item.second for item in near]),
    ):
        bodies = np.array([_body(checker, name) for name in names])
        add_gradients(compiled.table, q, bodies, points, directions, columns, J, gradients)
    return gradients


def _normal(item: Distance) -> Array:
    """Return the direction (3,) from the second object to the first; 0 if there is none."""
    across = item.point_first - item.point_second
    length = math.sqrt(across @ across)
    if length < 1e-9:  # deep inside: no direction is known to lead out
        return np.zeros(3)
    return np.asarray(across * (math.copysign(1.0, item.distance) / length))


def _body(checker: CollisionChecker, name: str) -> int:
    """Return the row of a body, or of the body of an attached object."""
    attached = checker.scene.attached
    body = attached[name].body if name in attached else name
    return checker.compiled.body_index.get(body, STANDS)
