"""Reading reachability maps."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.batch.job import BatchError
from rigid_tree_kinematics.batch.sphere import AXES
from rigid_tree_kinematics.needed_packages import needs


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
        """Return the map in a folder; BatchError if there is none, or if chunks are missing."""
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
                f"'{path}' lacks {lacking} of {bricks} chunks: run the command that made it again"
            )
        robot, body, base = (str(about[name]) for name in ("robot", "body", "base"))
        return cls(robot, body, base, about["job"], (x, y, z), *arrays)

    @property
    def resolution(self) -> float:
        """Edge of a voxel, m."""
        return float(self.job["resolution"])

    @property
    def questions(self) -> int:
        """Poses of all voxels that are within the length of the stretched arm or in the box."""
        return self.reached.size

    def centers(self, least: float = 0.0) -> tuple[Array, Array]:
        """Return centers (n, 3) and indices (n,) of voxels with an index above ``least`` (%)."""
        chosen = self.index > least
        places = np.meshgrid(*self.axes, indexing="ij")
        return np.stack([place[chosen] for place in places], axis=1), self.index[chosen]

    def voxels(self, points: Array) -> tuple[Integers, Mask]:
        """Return the voxels (..., 3) that points (..., 3) are in, and which are in the map."""
        first = np.array([axis[0] for axis in self.axes])
        cells = np.rint((points - first) / self.resolution).astype(np.int64)
        sizes = np.array(self.index.shape)
        inside = ((cells >= 0) & (cells < sizes)).all(axis=-1)
        return np.clip(cells, 0, sizes - 1), inside

    def nearest_orientation(self, rotations: Array) -> Integers:
        """Return the numbers (n,) of the map's orientations nearest to rotations (n, 3, 3)."""
        if self.job["rolls"]:
            return np.argmax(np.einsum("oij,nij->no", self.rotations, rotations), axis=1)
        axis = AXES.index(self.job["axis"])
        return np.argmax(rotations[:, :, axis] @ self.rotations[:, :, axis].T, axis=1)

    def reaches(self, poses: Array) -> Mask:
        """Return which poses T_base_body (n, 4, 4) the nearest voxel and orientation reach."""
        cells, inside = self.voxels(poses[:, :3, 3])
        which = self.nearest_orientation(poses[:, :3, :3])
        return inside & self.reached[cells[:, 0], cells[:, 1], cells[:, 2], which]
