"""Robots of the package example-robot-data, as trees and as Pinocchio models."""

import functools

import numpy as np
import pytest

from harness.example_robots import ROBOTS
from harness.truth import Truth, difference
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf_file


@functools.cache
def example_robot(path):
    file = ROBOTS / path
    return Truth(read_urdf_file(file), file.read_text())


@pytest.fixture(scope="session")
def load_example():
    """Function: path below the package's robots -> Truth."""
    return example_robot


@pytest.fixture(scope="session")
def robot_of():
    """Function: tree -> Truth; Pinocchio reads the URDF that the tree writes."""
    return Truth


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
        for quaternion in compiled.quaternions:
            q[quaternion] = 0, 0, 0, 1
        return q

    return middle_of


@pytest.fixture(scope="session")
def pose_errors():
    """Function: two poses -> position (m) and orientation (rad) between them."""

    return difference
