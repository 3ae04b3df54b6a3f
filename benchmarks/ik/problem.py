"""Robots of the inverse kinematics benchmark, as trees and as Pinocchio models."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from rigid_tree_kinematics import RigidBodyTree
from rigid_tree_kinematics.description import read_urdf_file

# Pinocchio and example-robot-data are installed under the same prefix.
DATA = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
# Robot -> (file in example-robot-data's robots folder, base, tip).
ROBOTS = {
    "panda": ("panda_description/urdf/panda.urdf", "panda_link0", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "base_link", "tool0"),
    "ur10": ("ur_description/urdf/ur10_robot.urdf", "base_link", "tool0"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "link_base", "link_eef"),
    "tiago": ("tiago_description/robots/tiago.urdf", "base_link", "arm_7_link"),
}


@dataclass
class Problem:
    """A chain of n joints; the other joints are fixed at neutral in Pinocchio's model."""

    name: str
    file: Path
    base: str
    tip: str
    tree: RigidBodyTree
    model: Any
    data: Any
    lower: np.ndarray
    upper: np.ndarray

    @property
    def middle(self) -> np.ndarray:
        """The middle of the limits."""
        return np.asarray(0.5 * (self.lower + self.upper))

    def pose(self, q: np.ndarray) -> Any:
        """Return the tip's pose in the base frame, computed by Pinocchio."""
        pin.framesForwardKinematics(self.model, self.data, q)
        T_base = self.data.oMf[self.model.getFrameId(self.base)]
        return T_base.inverse() * self.data.oMf[self.model.getFrameId(self.tip)]

    def random_targets(self, count: int, seed: int) -> np.ndarray:
        """Return the poses (count, 4, 4) of random configurations."""
        rng = np.random.default_rng(seed)
        draws = rng.uniform(self.lower, self.upper, (count, len(self.lower)))
        return np.array([self.pose(q).homogeneous for q in draws])

    def reaches(
        self, q: np.ndarray, target: np.ndarray, position: float, orientation: float, slack: float
    ) -> bool:
        """Return whether q is within the limits and moves the tip to the target."""
        q = np.asarray(q, dtype=float)
        if not ((q >= self.lower - slack).all() and (q <= self.upper + slack).all()):
            return False
        miss = pin.SE3(target).inverse() * self.pose(q)
        turned = np.linalg.norm(pin.log3(miss.rotation))
        return bool(np.linalg.norm(miss.translation) <= position and turned <= orientation)


def load_problem(name: str) -> Problem:
    """Return a robot of ROBOTS; its files are part of the package example-robot-data."""
    path, base, tip = ROBOTS[name]
    file = DATA / path
    tree = read_urdf_file(file)
    chain = []
    body = tree.get_body(tip)
    while body.parent is not None and body.name != base:
        if body.joint.position_count:
            chain.append(body.joint.name)
        body = body.parent
    model = pin.buildModelFromUrdf(str(file))
    others = [i for i, joint in enumerate(model.names) if i and joint not in chain]
    model = pin.buildReducedModel(model, others, pin.neutral(model))
    return Problem(
        name=name,
        file=file,
        base=base,
        tip=tip,
        tree=tree,
        model=model,
        data=model.createData(),
        lower=model.lowerPositionLimit.copy(),
        upper=model.upperPositionLimit.copy(),
    )
