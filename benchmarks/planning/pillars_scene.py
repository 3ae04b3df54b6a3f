"""The Panda between two pillars, with collision checking by Pinocchio and coal."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin

from benchmarks.ik.problem import DATA

URDF = DATA / "panda_description/urdf/panda.urdf"
SRDF = DATA / "panda_description/srdf/panda.srdf"
ARM_JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))
# Axis-aligned boxes in panda_link0: size and center, m.
BOXES = {
    "table": ((1.0, 1.6, 0.05), (0.65, 0.0, 0.175)),
    "left_pillar": ((0.10, 0.10, 0.60), (0.45, 0.18, 0.50)),
    "right_pillar": ((0.10, 0.10, 0.60), (0.45, -0.18, 0.50)),
}
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
RECHECK_STEP = 0.01  # rad, of the joint that moves most


@dataclass
class Judge:
    """Collision checker based on Pinocchio and coal.

    ``shapes`` are arguments of ``pin.computeCollisions``: a broad phase, or geometry and its data.
    ``kept`` keeps the geometry and data of a broad phase alive.
    """

    model: Any
    shapes: tuple[Any, ...]
    kept: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        self._data = self.model.createData()
        self.checks = 0  # configurations

    def touches(self, q: np.ndarray) -> bool:
        """Return whether the robot is in collision with an obstacle or itself."""
        self.checks += 1
        return bool(pin.computeCollisions(self.model, self._data, *self.shapes, q, True))

    def path_touches(self, path: np.ndarray) -> bool:
        """Check straight segments every RECHECK_STEP; return whether one is in collision."""
        for first, last in itertools.pairwise(path):
            steps = max(1, int(np.ceil(np.abs(last - first).max() / RECHECK_STEP)))
            if any(self.touches(first + (last - first) * k / steps) for k in range(steps + 1)):
                return True
        return False


def choose_pairs(model: Any, shapes: Any, srdf: Path) -> None:
    """Check all pairs except those disabled in the SRDF or fixed to the same joint.

    Two fixed shapes are no pair: the robot's base stands on the table.
    """
    shapes.addAllCollisionPairs()
    pin.removeCollisionPairs(model, shapes, str(srdf))
    for pair in list(shapes.collisionPairs):
        first, second = (shapes.geometryObjects[k] for k in (pair.first, pair.second))
        if first.parentJoint == second.parentJoint:
            shapes.removeCollisionPair(pair)


def replace_by_hulls(shapes: Any) -> None:
    """Replace meshes by their convex hulls."""
    for shape in shapes.geometryObjects:
        if isinstance(shape.geometry, coal.BVHModelBase):
            shape.geometry.buildConvexRepresentation(False)
            shape.geometry = shape.geometry.convex


def pillars_judge(convex: bool) -> Judge:
    """Return a checker of the arm, fingers closed, with its meshes or their convex hulls."""
    whole = pin.buildModelFromUrdf(str(URDF))
    packages = [str(DATA.parent.parent)]
    shapes = pin.buildGeomFromUrdf(whole, str(URDF), pin.GeometryType.COLLISION, packages)
    fingers = [whole.getJointId(f"panda_finger_joint{number}") for number in (1, 2)]
    model, shapes = pin.buildReducedModel(whole, shapes, fingers, np.zeros(whole.nq))
    if convex:
        replace_by_hulls(shapes)
    for name, (size, center) in BOXES.items():
        place = pin.SE3(np.eye(3), np.array(center))
        shapes.addGeometryObject(pin.GeometryObject(name, 0, place, coal.Box(*size)))
    choose_pairs(model, shapes, SRDF)
    data = shapes.createData()
    manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(model, shapes, data)
    return Judge(model, (manager,), (shapes, data))


def path_length(path: np.ndarray) -> float:
    """Return the Euclidean length of a path in joint space, rad."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
