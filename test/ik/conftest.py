"""Robots with their Pinocchio models."""

import pytest

from harness.truth import Truth, example_truth
from rigid_tree_kinematics import load_robot


@pytest.fixture(scope="session")
def panda():
    return example_truth("panda_description/urdf/panda.urdf")


@pytest.fixture(scope="session")
def ur5():
    return example_truth("ur_description/urdf/ur5_robot.urdf")


@pytest.fixture(scope="session")
def puma():
    return Truth(load_robot("puma560"))


@pytest.fixture(scope="session")
def nao():
    return Truth(load_robot("nao"))
