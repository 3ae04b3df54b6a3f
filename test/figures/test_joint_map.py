"""The figure of two joints' configuration space agrees with the collision checker."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.errors import ConfigurationError, PlanningError
from rigid_tree_kinematics.figures import show_joint_map

START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]


@pytest.fixture(autouse=True)
def closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_cells_agree_with_the_checker():
    robot = load_robot("panda")
    checker = CollisionChecker(robot, load_scene("panda_pillars"))
    path = [START, [0.5, *START[1:]]]
    axes = show_joint_map(checker, "panda_joint1", "panda_joint2", START, path=path, cells=31)
    (image,) = axes.images
    blocked = image.get_array()
    assert blocked.shape == (31, 31)
    left, right, bottom, top = np.radians(image.get_extent())
    assert (left, right) == pytest.approx(robot.joint_limits("panda_joint1"))
    assert (bottom, top) == pytest.approx(robot.joint_limits("panda_joint2"))
    assert 0 < blocked.sum() < blocked.size
    q = np.array(START)
    for row in range(0, 31, 5):
        for column in range(0, 31, 3):
            q[0] = np.linspace(left, right, 31)[column]
            q[1] = np.linspace(bottom, top, 31)[row]
            assert checker.is_free(q) == (not blocked[row, column])
    shown, dot = (np.radians(line.get_data()).T for line in axes.lines)
    np.testing.assert_allclose(dot, [START[:2]])
    np.testing.assert_allclose(shown, [START[:2], [0.5, 0.3]])
    assert axes.get_xlabel() == "panda_joint1 (deg)"


def test_robots_without_a_scene_and_invalid_joints():
    """A robot alone has only collisions with itself."""
    tree = load_robot("nao")
    q = tree.configuration_by_name(tree.home_configuration())
    axes = show_joint_map(
        tree, "RShoulderPitch", "RElbowRoll", q | {"RShoulderRoll": 0.3}, cells=21
    )
    assert axes.images[0].get_array().any()
    with pytest.raises(ConfigurationError, match="elbow"):
        show_joint_map(tree, "RElbowRoll", "elbow")
    with pytest.raises(PlanningError, match="two different joints"):
        show_joint_map(tree, "RElbowRoll", "RElbowRoll")
