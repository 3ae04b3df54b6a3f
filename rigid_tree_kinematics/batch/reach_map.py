"""Reading reachability maps, and their orientations."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.batch.job import BatchError
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, rotation_taking_z_to
from rigid_tree_kinematics.needed_packages import needs

AXES = ("x", "y", "z")
GOLDEN = np.pi * (1.0 + 5.0**0.5)


@dataclass(frozen=True, eq=False)
class ReachMap:
    """A reachability map in the frame of its base body.

    ``index`` is the share of directions that are reached, in percent; ``manipulability`` the best
    of all solutions of a voxel.
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
        return cls(robot, body, base, about["job"], (x, y, z), *arrays)

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
    """Return rotations (count * rolls, 3, 3): an axis along each direction, and rolls about it.

    All rolls of the first direction come first. ``axis`` is the one of the rotated frame that
    has the direction.

    Example:
        >>> orientations(50, rolls=4).shape
        (200, 3, 3)
    """
    # This permutation of the axes is a rotation that moves the axis to z.
    to_z = np.roll(np.eye(3), 2 - AXES.index(axis), axis=0)
    turns = [axis_angle_matrix((0.0, 0.0, 1.0), 2.0 * np.pi * k / rolls) for k in range(rolls)]
    return np.array(
        [rotation_taking_z_to(way) @ turn @ to_z for way in directions(count) for turn in turns]
    )
