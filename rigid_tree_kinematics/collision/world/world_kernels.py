"""The kernel that puts the pieces of obstacles where they stand."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.collision.world.arrays import INVERSE, OBSTACLE_BALL, OBSTACLE_HULL
from rigid_tree_kinematics.kernels import BATCH, MATRIX, inlined, kernel

BALL = 6  # of a row of bounds: low and high corner of a box, then a ball
BOUND_COLUMNS = 10


@inlined
def _place(pose: Any, x: float, y: float, z: float) -> Any:
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z + pose[0, 3],
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z + pose[1, 3],
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z + pose[2, 3],
    )


@kernel(types.void(types.int64[::1], BATCH, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX))
def place_pieces(
    rows: Any, poses: Any, shapes: Any, corners: Any, obstacles: Any, bounds: Any, placed: Any
) -> None:
    """Write what depends on the poses (W, 4, 4) of some rows.

    ``shapes`` and ``bounds`` (W, BOUND_COLUMNS) hold boxes and balls in the frames of the shapes
    and in the base frame, ``corners`` and ``placed`` (D, 3) the hulls' corners likewise.
    ``obstacles`` is that of ``ConservativeModel``.
    """
    for k in range(rows.shape[0]):
        row = rows[k]
        pose = poses[row]
        for i in range(3):
            shift = 0.0
            half, middle = 0.0, pose[i, 3]
            for j in range(3):
                obstacles[row, INVERSE + 4 * i + j] = pose[j, i]
                shift -= pose[j, i] * pose[j, 3]
                half += abs(pose[i, j]) * 0.5 * (shapes[row, 3 + j] - shapes[row, j])
                middle += pose[i, j] * 0.5 * (shapes[row, 3 + j] + shapes[row, j])
            obstacles[row, INVERSE + 4 * i + 3] = shift
            bounds[row, i], bounds[row, 3 + i] = middle - half, middle + half
        x, y, z = _place(pose, shapes[row, BALL], shapes[row, BALL + 1], shapes[row, BALL + 2])
        bounds[row, BALL], bounds[row, BALL + 1], bounds[row, BALL + 2] = x, y, z
        bounds[row, BALL + 3] = shapes[row, BALL + 3]
        for c in range(4):
            obstacles[row, OBSTACLE_BALL + c] = bounds[row, BALL + c]
        for at in range(
            int(obstacles[row, OBSTACLE_HULL]), int(obstacles[row, OBSTACLE_HULL + 1])
        ):
            x, y, z = _place(pose, corners[at, 0], corners[at, 1], corners[at, 2])
            placed[at, 0], placed[at, 1], placed[at, 2] = x, y, z
