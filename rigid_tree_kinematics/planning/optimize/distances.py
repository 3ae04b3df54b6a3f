"""Gradients of the distances of near bodies."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Distance
from rigid_tree_kinematics.ik.differential.near.kernels import add_gradient
from rigid_tree_kinematics.kinematics import body_transforms


def distance_gradients(
    checker: CollisionChecker, q: Array, near: Sequence[Distance], columns: NDArray[np.int64]
) -> Array:
    """Return the gradients of distances with respect to the joints' velocities, (n, k)."""
    compiled, attached = checker.compiled, checker.scene.attached
    frames = body_transforms(compiled, q)
    gradients = np.zeros((len(near), compiled.velocity_count))
    for row, item in enumerate(near):
        across = item.point_first - item.point_second
        length = math.sqrt(across @ across)
        if length < 1e-9:  # deep inside: no direction is known to lead out
            continue
        normal = across * (math.copysign(1.0, item.distance) / length)
        for name, point, away in (
            (item.first, item.point_first, normal),
            (item.second, item.point_second, -normal),
        ):
            name = attached[name].body if name in attached else name
            body = compiled.body_index.get(name, 0)  # objects of the scene do not move
            motion = tuple(point.tolist()), tuple(away.tolist())
            add_gradient(compiled.table, q, frames, body, *motion, gradients, row)
    return gradients[:, columns]
