"""Robots of the package example-robot-data, as trees and as Pinocchio models."""

import functools
import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf_file, write_urdf

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")


class Robot:
    """A tree with Pinocchio's model of the same text, which is the truth about its poses."""

    def __init__(self, tree, text):
        self.tree = tree
        self.compiled = tree.compiled()
        self.model = pin.buildModelFromXML(text, mimic=True)
        self.data = self.model.createData()

    def pin_configuration(self, q):
        """Continuous joints are (cos, sin) in Pinocchio, planar ones (x, y, cos, sin)."""
        out = pin.neutral(self.model)
        for joint, name in zip(self.model.joints, self.model.names, strict=True):
            if name not in self.compiled.joint_slots:
                continue
            start, count = self.compiled.joint_slots[name]
            values = q[start : start + count]
            if count == 1 and joint.nq == 2:
                values = np.cos(values[0]), np.sin(values[0])
            elif count == 3:
                values = *values[:2], np.cos(values[2]), np.sin(values[2])
            out[joint.idx_q : joint.idx_q + joint.nq] = values
        return out

    def pose(self, q, body, base=None):
        """T_base_body by Pinocchio."""
        pin.forwardKinematics(self.model, self.data, self.pin_configuration(q))
        T = pin.updateFramePlacement(self.model, self.data, self.frame(body))
        if base is None:
            return T.homogeneous.copy()
        T = T.copy()
        return (
            pin.updateFramePlacement(self.model, self.data, self.frame(base)).inverse() * T
        ).homogeneous

    def frame(self, body):
        index = self.model.getFrameId(body, pin.FrameType.BODY)
        assert index < self.model.nframes, body
        return index

    def assert_within_limits(self, q):
        assert (q >= self.compiled.lower).all()
        assert (q <= self.compiled.upper).all()


@functools.cache
def example_robot(path):
    file = ROBOTS / path
    return Robot(read_urdf_file(file), file.read_text())


@pytest.fixture(scope="session")
def load_example():
    """Function: path below the package's robots -> Robot."""
    return example_robot


@pytest.fixture(scope="session")
def robot_of():
    """Function: tree -> Robot; Pinocchio reads the URDF that the tree writes."""
    return lambda tree: Robot(tree, write_urdf(tree))


@pytest.fixture(scope="session")
def panda():
    return example_robot("panda_description/urdf/panda.urdf")


@pytest.fixture(scope="session")
def ur5():
    return example_robot("ur_description/urdf/ur5_robot.urdf")


@pytest.fixture(scope="session")
def puma(robot_of):
    return robot_of(load_robot("puma560"))


@pytest.fixture(scope="session")
def nao(robot_of):
    return robot_of(load_robot("nao"))


@pytest.fixture(scope="session")
def mid_range():
    """Function: compiled tree -> the middle of the limits; zero where there are none."""

    def middle_of(compiled):
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (compiled.lower + compiled.upper)
        q = np.where(np.isfinite(middle), middle, 0.0)
        for start in compiled.quaternion_starts:
            q[start : start + 4] = 0, 0, 0, 1
        return q

    return middle_of


@pytest.fixture(scope="session")
def pose_errors():
    """Function: two poses -> position (m) and orientation (rad) between them."""

    def between(T_target, T):
        turn = pin.log3(T_target[:3, :3].T @ T[:3, :3])
        return np.linalg.norm(T_target[:3, 3] - T[:3, 3]), np.linalg.norm(turn)

    return between
