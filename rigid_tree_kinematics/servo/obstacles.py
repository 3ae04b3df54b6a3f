"""How near the robot is to itself and to the scene, and how fast it may still come nearer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.collision import CollisionChecker, Distance
from rigid_tree_kinematics.kinematics import body_transform, geometric_jacobian
from rigid_tree_kinematics.servo.braking import share_that_stops

Array = NDArray[np.float64]

# m, beyond the distances at which motions slow down: what is reached while they do.
AHEAD = 0.06
AT_CONTACT = 0.001  # share of the speed that is left at distance 0, as moveit_servo has it
CLEARANCE = 0.001  # m, at which approaching motions have stopped
CREEPING = 1e-4  # m/s; slower changes of a distance are no approach, but rounding


@dataclass(frozen=True, eq=False)
class Nearness:
    """Pairs of things that are near each other, as seen at one configuration.

    ``distances`` (n,) in m, ``gradients`` (n, nv): their changes by the velocities;
    ``slow_within`` (n,) in m; ``names`` (n,) say what they are.
    """

    q: Array
    distances: Array
    gradients: Array
    slow_within: Array
    names: tuple[str, ...]


def look_around(
    checker: CollisionChecker, q: Array, self_distance: float, scene_distance: float
) -> Nearness:
    """Return what is near at a configuration (nq,)."""
    near = checker.near(q, self_distance + AHEAD, scene_distance + AHEAD)
    own = {name for pair in checker.self_pairs for name in pair} | set(checker.scene.attached)
    rows = [_gradient(checker, q, item) for item in near]
    within = [self_distance if item.second in own else scene_distance for item in near]
    return Nearness(
        q,
        np.array([item.distance for item in near]),
        np.array(rows).reshape(len(near), checker.compiled.velocity_count),
        np.array(within),
        tuple(f"'{item.first}' near '{item.second}'" for item in near),
    )


def approach_shares(
    near: Nearness, way: Array, velocity: Array, time: float, period: float
) -> Array:
    """Return which shares (n,) of a velocity (nv,) the pairs allow.

    Motions away from each other are free. Approaching ones slow down as moveit_servo does,
    exponentially from ``slow_within`` on, and early enough to stop.

    Args:
        near: as seen last.
        way: (nv,) gone since then.
        velocity: (nv,) that is wanted.
        time: s, that it takes to stop.
        period: s, of a step.
    """
    distances = near.distances + near.gradients @ way
    approach = -(near.gradients @ velocity)
    steepness = -math.log(AT_CONTACT) / near.slow_within
    shares = np.exp(np.minimum(steepness * (distances - near.slow_within), 0.0))
    shares[distances <= CLEARANCE] = 0.0
    shares = np.minimum(shares, share_that_stops(distances - CLEARANCE, approach, time, period))
    shares[approach <= CREEPING] = 1.0
    return shares


def _gradient(checker: CollisionChecker, q: Array, item: Distance) -> Array:
    """Return how a distance changes by the velocities (nv,)."""
    across = item.point_first - item.point_second
    length = float(np.linalg.norm(across))
    if length < 1e-9:  # wholly inside something: any way may lead out
        return np.zeros(checker.compiled.velocity_count)
    normal = math.copysign(1.0, item.distance) * across / length
    first = _point_jacobian(checker, q, item.first, item.point_first)
    second = _point_jacobian(checker, q, item.second, item.point_second)
    return np.asarray(normal @ (first - second))


def _point_jacobian(checker: CollisionChecker, q: Array, name: str, point: Array) -> Array:
    """Return how a point of a body, or of what is attached to one, moves: (3, nv)."""
    compiled, attached = checker.compiled, checker.scene.attached
    body = attached[name].body if name in attached else name
    if body not in compiled.body_index:
        return np.zeros((3, compiled.velocity_count))
    J = geometric_jacobian(compiled, q, body)
    arm = point - body_transform(compiled, q, body)[:3, 3]
    return np.asarray(J[:3] + np.cross(J[3:].T, arm).T)
