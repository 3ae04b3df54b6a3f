"""Base placement: base poses from which a robot reaches the most tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.batch.job import BatchError, require
from rigid_tree_kinematics.batch.reach_map import ReachMap
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, checked_pose

MOST_POSITIONS = 1_000_000  # on the floor


@dataclass(frozen=True, eq=False)
class BasePlacements:
    """Base poses, sorted by reached tasks, then by the reachability of the worst task.

    A task in a voxel with a low index is at the border of what the robot reaches.
    """

    poses: Array  # (n, 4, 4) T_world_base
    reached: Integers  # (n,) how many tasks
    index: Array  # (n,) mean reachability index of the tasks' voxels, %


def _checked_tasks(tasks: Sequence[ArrayLike] | Array) -> Array:
    """Return the tasks as an array (n, 4, 4); BatchError unless they are poses."""
    try:
        poses = np.array([checked_pose(task, f"task {k}") for k, task in enumerate(tasks)])
    except (ModelError, TypeError, ValueError) as error:
        raise BatchError(f"tasks are poses (n, 4, 4): {error}") from error
    if not len(poses):
        raise BatchError("at least one task is needed")
    return poses


def base_placement(
    reach_map: ReachMap,
    tasks: Sequence[ArrayLike] | Array,
    *,
    step: float | None = None,
    yaws: int = 16,
    heights: Sequence[float] = (0.0,),
    most: int = 10,
) -> BasePlacements:
    """Return base poses from which a robot reaches the most tasks, by its map.

    The map answers for the nearest voxel and orientation, and knows nothing of obstacles around
    the tasks: check the placement with inverse kinematics and a scene.

    Args:
        reach_map: of the robot, in the frame of the base that is placed.
        tasks: (n, 4, 4) poses T_world_body of the map's body.
        step: m, spacing of the positions of the base; None: the map's resolution.
        yaws: evenly spaced rotations of the base about the vertical.
        heights: m, of the base.
        most: how many placements to return.

    Raises BatchError for invalid arguments.

    Example:
        >>> reach_map = reachability_map("panda", "coarse.zarr", resolution=0.4, progress=False)
        >>> base_placement(reach_map, np.eye(4)[None], most=3).poses.shape
        (3, 4, 4)
    """
    T = _checked_tasks(tasks)
    step = reach_map.resolution if step is None else step
    for name, value in (("step", step), ("yaws", yaws), ("most", most)):
        require(name, value)
    if not len(heights) or not np.isfinite(heights).all():
        raise BatchError("at least one finite height is needed")
    xy = _floor(reach_map, T, step)
    places = [(yaw, height) for yaw in range(yaws) for height in heights]
    reached = np.zeros((len(places), len(xy)), dtype=np.int64)
    index = np.zeros((len(places), len(xy)))
    lowest = np.full((len(places), len(xy)), 100.0)
    for row, (yaw, height) in enumerate(places):
        R = axis_angle_matrix((0.0, 0.0, 1.0), 2.0 * np.pi * yaw / yaws)
        which = reach_map.nearest_orientation(R.T @ T[:, :3, :3])
        for task, orientation in zip(T, which, strict=True):
            offset = task[:3, 3] - np.column_stack([xy, np.full(len(xy), height)])
            cells, inside = reach_map.voxels(offset @ R)
            i, j, k = cells.T
            reached[row] += inside & reach_map.reached[i, j, k, orientation]
            here = np.where(inside, reach_map.index[i, j, k], 0.0)
            index[row] += here
            lowest[row] = np.minimum(lowest[row], here)
    order = np.lexsort((-index.ravel(), -lowest.ravel(), -reached.ravel()))[:most]
    rows, columns = np.unravel_index(order, reached.shape)
    poses = np.tile(np.eye(4), (len(order), 1, 1))
    for pose, row, column in zip(poses, rows, columns, strict=True):
        yaw, height = places[row]
        pose[:3, :3] = axis_angle_matrix((0.0, 0.0, 1.0), 2.0 * np.pi * yaw / yaws)
        pose[:3, 3] = (*xy[column], height)
    return BasePlacements(poses, reached[rows, columns], index[rows, columns] / len(T))


def _floor(reach_map: ReachMap, tasks: Array, step: float) -> Array:
    """Return base positions (n, 2) for which at least one task is inside the map."""
    reach = np.hypot(*(np.abs(axis).max() for axis in reach_map.axes[:2]))
    first = np.ceil((tasks[:, :2, 3].min(axis=0) - reach) / step)
    last = np.floor((tasks[:, :2, 3].max(axis=0) + reach) / step)
    if (last - first + 1).prod() > MOST_POSITIONS:
        raise BatchError(
            f"more than {MOST_POSITIONS:,} positions of the base: choose a larger step"
        )
    x, y = (step * np.arange(*ends) for ends in zip(first, last + 1, strict=True))
    return np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
