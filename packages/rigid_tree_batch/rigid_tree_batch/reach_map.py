"""Reading reachability maps, their orientations, and base placement for tasks."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_batch.job import BatchError, require, require_whole
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.transforms import (
    axis_angle_matrix,
    checked_pose,
    rotation_taking_z_to,
)
from rigid_tree_kinematics.needed_packages import needs

AXES = ("x", "y", "z")
MOST_POSITIONS = 1_000_000  # of a base on the floor
GOLDEN = np.pi * (1.0 + 5.0**0.5)


@dataclass(frozen=True, eq=False, repr=False)
class ReachMap:
    """A reachability map in the frame of its base body.

    ``index`` is the share of directions that are reached, in percent; ``manipulability`` the best
    of all solutions of a voxel. A position-only map has one orientation, which stands for any,
    and a ``remark``.
    """

    robot: str
    body: str
    base: str
    job: dict[str, Any]
    axes: tuple[Array, Array, Array]  # m, coordinates of the voxels' centers along x, y, z
    rotations: Array  # (orientations, 3, 3)
    index: Array  # (x, y, z) %
    manipulability: Array  # (x, y, z)
    reached: Mask  # (x, y, z, orientations)
    remark: str = ""

    def __repr__(self) -> str:
        shape = " x ".join(str(len(axis)) for axis in self.axes)
        reached, kind = int((self.index > 0.0).sum()), "position only"
        if not self.remark:
            kind = f"{len(self.rotations)} orientations"
        return (
            f"ReachMap('{self.robot}', body '{self.body}' in '{self.base}', {shape} voxels of "
            f"{self.resolution:g} m, {reached} reached; {kind})"
        )

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> ReachMap:
        """Return the map in a folder; raises BatchError if it is missing or incomplete."""
        with needs("zarr", "reading a reachability map"):
            import zarr

        path = Path(folder)
        try:
            group: Any = zarr.open_group(str(path), mode="r")
            about: dict[str, Any] = dict(group.attrs)
            if about["job"]["kind"] != "ReachabilityJob":
                raise KeyError("kind")
            names = (*AXES, "rotations", "index", "manipulability", "reached")
            x, y, z, *arrays = (np.asarray(group[name][...]) for name in names)
            places = zip(group["index"].shape, group["index"].chunks, strict=True)
            bricks = math.prod(-(-size // chunk) for size, chunk in places)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise BatchError(f"'{path}' is not a reachability map: {error!r}") from error
        lacking = bricks - sum(file.name[0] != "." for file in (path / "reached").iterdir())
        if lacking > 0:
            raise BatchError(
                f"'{path}' lacks {lacking} of {bricks} chunks: repeat the command that created it"
            )
        robot, body, base = (str(about[name]) for name in ("robot", "body", "base"))
        remark = str(about.get("remark", ""))
        rotations, index, manipulability, reached = arrays
        axes, job = (x, y, z), about["job"]
        return cls(robot, body, base, job, axes, rotations, index, manipulability, reached, remark)

    @property
    def resolution(self) -> float:
        """Edge of a voxel, m."""
        return float(self.job["resolution"])

    def centers(self, least: float = 0.0) -> tuple[Array, Array]:
        """Return centers (n, 3) and indices (n,) of voxels with an index above ``least`` (%)."""
        chosen = self.index > least
        places = np.meshgrid(*self.axes, indexing="ij")
        return np.stack([place[chosen] for place in places], axis=1), self.index[chosen]

    def voxels(self, points: Array) -> tuple[Integers, Mask]:
        """Return the voxels (..., 3) of points (..., 3), and which points are in the map."""
        first = np.array([axis[0] for axis in self.axes])
        cells = np.rint((points - first) / self.resolution).astype(np.int64)
        sizes = np.array(self.index.shape)
        inside = ((cells >= 0) & (cells < sizes)).all(axis=-1)
        return np.clip(cells, 0, sizes - 1), inside

    def nearest_orientation(self, rotations: Array) -> Integers:
        """Return the indices (n,) of the map's orientations nearest to rotations (n, 3, 3)."""
        if self.job["rolls"]:
            likeness = np.einsum("oij,nij->no", self.rotations, rotations)
        else:
            axis = AXES.index(self.job["axis"])
            likeness = rotations[:, :, axis] @ self.rotations[:, :, axis].T
        return np.asarray(np.argmax(likeness, axis=1))

    def reaches(self, poses: Array) -> Mask:
        """Return which poses T_base_body (n, 4, 4) are reachable, according to the map."""
        cells, inside = self.voxels(poses[:, :3, 3])
        which = self.nearest_orientation(poses[:, :3, :3])
        return inside & self.reached[cells[:, 0], cells[:, 1], cells[:, 2], which]


def directions(count: int) -> Array:
    """Return unit vectors (count, 3), evenly spread over a sphere (Fibonacci lattice)."""
    number = np.arange(count) + 0.5
    height = 1.0 - 2.0 * number / count
    flat = np.sqrt(1.0 - height**2)
    angle = GOLDEN * number
    return np.column_stack([flat * np.cos(angle), flat * np.sin(angle), height])


def orientations(count: int, rolls: int = 1, axis: str = "z") -> Array:
    """Return rotations (count * rolls, 3, 3): an axis along each direction, with rolls.

    All rolls of the first direction come first. ``axis`` of the rotated frame has the direction.

    Example:
        >>> orientations(50, rolls=4).shape
        (200, 3, 3)
    """
    # This permutation of the axes is a rotation that moves the axis to z.
    to_z = np.roll(np.eye(3), 2 - AXES.index(axis), axis=0)
    turns = [axis_angle_matrix((0.0, 0.0, 1.0), 2.0 * np.pi * k / rolls) for k in range(rolls)]
    return np.array(
        [rotation_taking_z_to(z) @ turn @ to_z for z in directions(count) for turn in turns]
    )


@dataclass(frozen=True, eq=False)
class BasePlacements:
    """Base poses, sorted by reached tasks, then by the reachability of the worst task.

    A task in a voxel with a low index is at the border of the workspace.
    """

    poses: Array  # (n, 4, 4) T_world_base
    reached: Integers  # (n,) number of reached tasks
    index: Array  # (n,) mean reachability index of the tasks' voxels, %


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

    The map is evaluated at the nearest voxel and orientation, without obstacles around the tasks:
    check the placement with inverse kinematics and a scene.

    Args:
        reach_map: of the robot, in the frame of the base that is placed.
        tasks: (n, 4, 4) poses T_world_body of the map's body.
        step: m, spacing of the positions of the base; None: the map's resolution.
        yaws: evenly spaced rotations of the base about the vertical.
        heights: m, of the base.
        most: maximum number of placements.

    Raises BatchError for invalid arguments.

    Example:
        >>> reach_map = reachability_map("panda", "coarse.zarr", resolution=0.4, progress=False)
        >>> base_placement(reach_map, np.eye(4)[None], most=3).poses.shape
        (3, 4, 4)
    """
    T = _checked_tasks(tasks)
    step = reach_map.resolution if step is None else step
    require("step", step)
    require_whole("yaws", yaws)
    require_whole("most", most)
    if np.ndim(heights) != 1 or not len(heights) or not np.isfinite(heights).all():
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


def _checked_tasks(tasks: Sequence[ArrayLike] | Array) -> Array:
    """Return the tasks as an array (n, 4, 4); raises BatchError unless they are poses."""
    try:
        poses = np.array([checked_pose(task, f"task {k}") for k, task in enumerate(tasks)])
    except (ModelError, TypeError, ValueError) as error:
        raise BatchError(f"tasks must be poses (n, 4, 4): {error}") from error
    if not len(poses):
        raise BatchError("at least one task is needed")
    return poses
