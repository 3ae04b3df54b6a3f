"""The Panda between two pillars, as Pinocchio and coal see it: start, goal, and who touches."""

from __future__ import annotations

import itertools
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
URDF = ROBOTS / "panda_description/urdf/panda.urdf"
SRDF = ROBOTS / "panda_description/srdf/panda.srdf"
ARM_JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))
# Axis-aligned boxes in panda_link0: size and centre, m.
BOXES = {
    "table": ((1.0, 1.6, 0.05), (0.65, 0.0, 0.175)),
    "left_pillar": ((0.10, 0.10, 0.60), (0.45, 0.18, 0.50)),
    "right_pillar": ((0.10, 0.10, 0.60), (0.45, -0.18, 0.50)),
}
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
RECHECK_STEP = 0.01  # rad, in the joint that turns most


@dataclass
class Judge:
    """Says of configurations of the seven arm joints (fingers closed) whether anything touches."""

    model: Any
    geometry: Any
    data: Any
    broad_phase: Any

    @classmethod
    def make(cls, convex: bool) -> Judge:
        """Build it on the real collision meshes, or on their convex hulls."""
        whole = pin.buildModelFromUrdf(str(URDF))
        packages = [str(ROBOTS.parent.parent)]
        shapes = pin.buildGeomFromUrdf(whole, str(URDF), pin.GeometryType.COLLISION, packages)
        fingers = [whole.getJointId(f"panda_finger_joint{number}") for number in (1, 2)]
        model, shapes = pin.buildReducedModel(whole, shapes, fingers, np.zeros(whole.nq))
        if convex:
            for shape in shapes.geometryObjects:
                if isinstance(shape.geometry, coal.BVHModelBase):
                    shape.geometry.buildConvexRepresentation(False)
                    shape.geometry = shape.geometry.convex
        for name, (size, centre) in BOXES.items():
            place = pin.SE3(np.eye(3), np.array(centre))
            shapes.addGeometryObject(pin.GeometryObject(name, 0, place, coal.Box(*size)))
        shapes.addAllCollisionPairs()
        pin.removeCollisionPairs(model, shapes, str(SRDF))
        # The table carries the robot's foot: standing things are no pair.
        for pair in list(shapes.collisionPairs):
            first, second = (shapes.geometryObjects[k] for k in (pair.first, pair.second))
            if first.parentJoint == second.parentJoint:
                shapes.removeCollisionPair(pair)
        data = shapes.createData()
        manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(model, shapes, data)
        return cls(model, shapes, model.createData(), manager)

    def touches(self, q: np.ndarray) -> bool:
        """Return whether the robot touches an obstacle or itself."""
        return bool(pin.computeCollisions(self.model, self.data, self.broad_phase, q, True))

    def path_touches(self, path: np.ndarray) -> bool:
        """Check a path of straight pieces every RECHECK_STEP."""
        for first, last in itertools.pairwise(path):
            steps = max(1, int(np.ceil(np.abs(last - first).max() / RECHECK_STEP)))
            if any(self.touches(first + (last - first) * k / steps) for k in range(steps + 1)):
                return True
        return False


def path_length(path: np.ndarray) -> float:
    """Return the length of a path in the joints' Euclidean metric, rad."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
