"""Labels of bodies: each body is named once, and names at one place share a label."""

import pytest

from rigid_tree_kinematics import RigidBody, load_robot
from rigid_tree_kinematics.viewer.drawn.robot_model import RobotModel
from rigid_tree_kinematics.viewer.web.guard import Guard
from rigid_tree_kinematics.viewer.web.page import close_page, open_page

pytest.importorskip("viser")


@pytest.fixture
def server():
    made = open_page("127.0.0.1", 0, Guard.of("127.0.0.1"), print)
    yield made
    close_page(made)


def labels(server, tree):
    model = RobotModel(server, "robot", tree, pytest.fail, print)
    return {label.name.split("/")[-2]: label.text for label in model._labels}


def test_bodies_at_one_place_share_a_label(server):
    tree = load_robot("ur5")
    shown = labels(server, tree)
    assert shown["shoulder_link"] == "shoulder_link, upper_arm_link"
    assert shown["forearm_link"] == "forearm_link"
    named = [name for text in shown.values() for name in text.split(", ")]
    assert sorted(named) == sorted([tree.base_name, *tree.body_names])


def test_a_label_of_many_names_is_short(server):
    tree = load_robot("ur5")
    for number in range(4):
        tree.add_body(RigidBody(f"sensor_{number}"), "tool0")
    assert labels(server, tree)["wrist_3_link"] == "wrist_3_link, flange, tool0 +4"
