"""A robot's collision shapes as solids of coal, with boxes and spheres around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.solids import Solid
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import CompiledTree


@dataclass(frozen=True, eq=False)
class RobotSolids:
    """The n solids of a robot's parts, one after the other (lengths in m).

    Boxes and spheres are in the solids' own frames.
    """

    solids: list[Solid]
    names: list[str]  # of their bodies or attached obstacles
    parts: Integers  # (n,) their parts
    of_part: list[list[int]]  # the solids of each part
    bodies: Integers  # (n,) the bodies to which they are fixed
    poses: Array  # (n, 4, 4) on these bodies
    box_centers: Array  # (n, 3) of boxes around coal's geometries
    box_halves: Array  # (n, 3) half sizes
    spheres: Array  # (n, 4) around the solids
    radii: Array  # (n,) by which coal's geometries are grown
    padding: float  # the distance below which they are in contact

    @classmethod
    def of(cls, parts: Sequence[Part], padding: float) -> RobotSolids:
        """Return the solids of parts. Raises DescriptionError if a mesh cannot be read."""
        placed = [(k, solid, pose) for k, part in enumerate(parts) for solid, pose in part.solids]
        owners = np.array([k for k, _, _ in placed], dtype=np.int64)
        rows = np.array([part.row for part in parts], dtype=np.int64)
        solids = [solid for _, solid, _ in placed]
        boxes = np.reshape([_box_around(solid.geometry) for solid in solids], (-1, 2, 3))
        return cls(
            solids=solids,
            names=[parts[k].name for k in owners],
            parts=owners,
            of_part=[np.flatnonzero(owners == k).tolist() for k in range(len(parts))],
            bodies=rows[owners],
            poses=np.reshape([pose for _, _, pose in placed], (-1, 4, 4)),
            box_centers=boxes[:, 0],
            box_halves=boxes[:, 1],
            spheres=np.reshape([solid.bounding_sphere for solid in solids], (-1, 4)),
            radii=np.array([solid.radius for solid in solids]),
            padding=padding,
        )

    def __len__(self) -> int:
        return len(self.solids)

    def frames(self, compiled: CompiledTree, q: Array) -> Array:
        """Return the solids' poses at a configuration (nq,), (n, 4, 4) in the base frame."""
        bodies = body_transforms(compiled, q)
        return np.asarray(bodies[self.bodies] @ self.poses)


def _box_around(geometry: Any) -> tuple[Array, Array]:
    """Return center and half sizes (3,) of a coal geometry's bounding box, in its own frame."""
    geometry.computeLocalAABB()
    low, high = np.array(geometry.aabb_local.min_), np.array(geometry.aabb_local.max_)
    return 0.5 * (low + high), 0.5 * (high - low)
