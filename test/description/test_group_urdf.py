"""The URDF of a group is a valid robot for another library."""

import numpy as np
import pinocchio
import pytest

from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.description.srdf import (
    default_semantics,
    group_urdf,
    read_semantics,
)
from rigid_tree_kinematics.errors import DescriptionError

ROBOT = """<robot name="two">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"/>
  <link name="left">
    <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
  </link>
  <link name="right"/><link name="hand"/>
  <joint name="l" type="fixed"><parent link="base"/><child link="left"/></joint>
  <joint name="r" type="fixed"><parent link="base"/><child link="right"/></joint>
  <joint name="h" type="fixed"><parent link="right"/><child link="hand"/></joint>
</robot>"""


def test_an_arm_is_cut_out_with_its_fixed_joints():
    robot = load_robot("panda_hand")
    truth = Truth(robot)
    semantics = read_semantics(bundled_folder("robots") / "panda_hand.srdf", robot)
    arm = semantics.group("panda_arm")
    part = pinocchio.buildModelFromXML(group_urdf(truth.urdf, "panda_arm", arm.members))
    data = part.createData()
    assert (part.name, part.nq) == ("panda_arm", 7)
    assert list(part.names)[1:] == list(arm.joints)
    for seed in range(5):
        q = robot.random_configuration(seed)
        pinocchio.framesForwardKinematics(part, data, q[:7])
        found = data.oMf[part.getFrameId("panda_link8")].homogeneous
        np.testing.assert_allclose(found, truth.pose(q, "panda_link8"), atol=1e-12)


def test_a_branch_begins_at_its_own_link_and_brings_its_colours():
    part = group_urdf(ROBOT, "one", ["l"])
    assert [word in part for word in ("red", "blue", "hand")] == [True, False, False]
    assert '<link name="base" />' in part
    for joints, words in (([], "none"), (["l", "h"], "start at base, right"), (["x"], "none")):
        with pytest.raises(DescriptionError, match=words):
            group_urdf(ROBOT, "some", joints)


def test_followers_and_fixed_joints_are_members_of_groups():
    robot = load_robot("panda_hand")
    semantics = read_semantics(bundled_folder("robots") / "panda_hand.srdf", robot)
    hand = semantics.group("hand")
    assert hand.joints == ("panda_finger_joint1",)
    assert {"panda_finger_joint1", "panda_finger_joint2"} < set(hand.members)
    assert len(semantics.group("panda_arm").members) > 7
    whole = default_semantics(robot).group("whole_body")
    assert set(whole.members) == {body.joint.name for body in robot.bodies}
