"""Whether a robot's own bodies block a sensor's line of sight."""

from collections.abc import Collection, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot.parts import Part
from rigid_tree_kinematics.collision.robot.solids import Solid, hull_of
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.needed_packages import needs

LEAST_DEPTH = 1e-6  # m, of a contact


class BodySolids:
    """The collision shapes of a robot's bodies, for checks against cones of sight."""

    def __init__(self, parts: Sequence[Part]) -> None:
        with needs("coal", "checking lines of sight"):
            import coal

        self._coal = coal
        self._parts = parts

    def depth_in_cone(
        self, frames: Array, apex: Array, rim: Array, left_out: Collection[str]
    ) -> float:
        """Return a lower bound of the depth (m) of bodies in a cone; 0 if it is free.

        ``frames`` (n, 4, 4) are T_base_body, ``apex`` (3,) and the corners of the far end, ``rim``
        (k, 3), are in the base's frame, m. Bodies in ``left_out`` are ignored. A flat cone
        contains nothing.
        """
        middle = rim.mean(axis=0)
        radius = float(np.linalg.norm(rim - middle, axis=1).max())
        cone = None
        for part in self._parts:
            if part.name in left_out or not _is_near(part, frames, apex, middle, radius):
                continue
            if cone is None:
                cone = hull_of(np.vstack([apex, rim]))
                if cone is None:
                    return 0.0
            for solid, T_body_solid in part.solids:
                depth = self._depth(cone, apex, solid, frames[part.row] @ T_body_solid)
                if depth > 0.0:
                    return depth
        return 0.0

    def _depth(self, cone: object, apex: Array, solid: Solid, T: Array) -> float:
        coal = self._coal
        request, result = coal.CollisionRequest(), coal.CollisionResult()
        request.security_margin = solid.radius
        at = coal.Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))
        if coal.collide(cone, coal.Transform3s(), solid.geometry, at, request, result):
            depth = solid.radius - float(result.getContact(0).penetration_depth)
            return max(depth, LEAST_DEPTH)
        local = (inverse(T) @ np.append(apex, 1.0))[:3]
        inside = solid.may_enclose(local[np.newaxis])[0] and solid.encloses(local)
        return float(solid.bounding_sphere[3]) if inside else 0.0


def _is_near(part: Part, frames: Array, apex: Array, middle: Array, radius: float) -> bool:
    """Return whether a part's spheres are near the cone's axis."""
    T = frames[part.row]
    centers = part.spheres[:, :3] @ T[:3, :3].T + T[:3, 3]
    axis = middle - apex
    along = np.clip((centers - apex) @ axis / max(float(axis @ axis), 1e-18), 0.0, 1.0)
    off = np.linalg.norm(centers - apex - along[:, np.newaxis] * axis, axis=1)
    return bool((off <= part.spheres[:, 3] + radius).any())
