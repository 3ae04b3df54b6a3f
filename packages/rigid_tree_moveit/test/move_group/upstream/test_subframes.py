"""Objects, attached objects and their subframes as frames, like MoveIt's subframes_test.cpp."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import Pose, PoseStamped
from moveit_harness.move_group import READY, TIP, box
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Header

from move_group.cell import BASE, CODE, FINGERS, at_pose, of_arm, rows, solved
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.srdf import read_semantics
from rigid_tree_kinematics.model.transforms import inverse, rpy_matrix, transform
from rigid_tree_kinematics.nodes.tf import pose_matrix, pose_message

ROBOT = load_robot("panda_hand")
TURN = rpy_matrix(math.pi / 2.0, 0.0, 0.0)
# The box in front of the gripper and the cylinder in it, in the frame of the hand.
T_HAND_BOX = transform((0.0, 0.0, 0.25))
T_HAND_CYLINDER = transform((0.0, 0.0, 0.1), rpy_matrix(0.0, math.pi / 2.0, 0.0))
T_BOX_BOTTOM = transform((0.0, -0.05, 0.0), TURN)
T_CYLINDER_TIP = transform((0.0, 0.0, 0.03))
T_BOTTOM_TIP = transform((0.0, 0.0, 0.05), rpy_matrix(0.0, math.pi, math.pi / 2.0))


def pose(T) -> Pose:
    return pose_message(T, "").pose


def at(positions, link):
    return ROBOT.get_transform([*positions, 0.0], link)


@pytest.fixture
def spawned(cell):
    """The scene of spawnCollisionObjects, the cylinder attached to the hand."""
    hand = at(READY, "panda_hand")
    crate = box("box", BASE, (0.0, 0.0, 0.0), (0.05, 0.1, 0.02))
    crate.pose = pose(hand @ T_HAND_BOX)
    crate.subframe_names, crate.subframe_poses = ["bottom"], [pose(T_BOX_BOTTOM)]
    rod = CollisionObject(id="cylinder", operation=CollisionObject.ADD, pose=pose(T_HAND_CYLINDER))
    rod.header.frame_id = "panda_hand"
    rod.primitives = [SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[0.06, 0.005])]
    rod.primitive_poses = [Pose()]
    rod.subframe_names, rod.subframe_poses = ["tip"], [pose(T_CYLINDER_TIP)]
    attached = AttachedCollisionObject(link_name=FINGERS[0], object=rod, touch_links=FINGERS)
    assert cell.apply([crate, attached])
    assert cell.validity().valid
    return cell


def bottom():
    return at(READY, "panda_hand") @ T_HAND_BOX @ T_BOX_BOTTOM


def tip(positions):
    return at(positions, "panda_hand") @ T_HAND_CYLINDER @ T_CYLINDER_TIP


def test_subframes_test_line_185(spawned):
    """SubframesTests: the tip of the held cylinder goes to the bottom of the box."""
    for number in (0, 1):
        turn = {"parameterization": number}
        goal = at_pose(pose(T_BOTTOM_TIP), "cylinder/tip", "box/bottom", **turn)
        last = rows(solved(spawned.plan(goal, allowed_planning_time=20.0)))[-1]
        np.testing.assert_allclose(tip(last), bottom() @ T_BOTTOM_TIP, atol=2e-3)


def line(cell, frame, *poses):
    """Return the arm's positions along lines of the held cylinder's tip."""
    header = Header(frame_id=frame)
    reply = cell.line(*poses, link_name="cylinder/tip", header=header, avoid_collisions=True)
    assert (reply.error_code.val, reply.fraction) == (CODE.SUCCESS, 1.0)
    return rows(reply.solution.joint_trajectory)


def test_subframes_test_line_248(spawned):
    """SubframesCartesianPathTests: the tip moves on a line, the waypoints in any frame."""
    for frame, T_base_frame in ((BASE, np.eye(4)), ("box", at(READY, "panda_hand") @ T_HAND_BOX)):
        start = tip(READY)
        end = start.copy()
        end[:3, 3] += (0.03, 0.05, 0.02)
        places = [tip(q) for q in line(spawned, frame, pose(inverse(T_base_frame) @ end))]
        shift = (end - start)[:3, 3]
        for T in places:
            off = T[:3, 3] - start[:3, 3]
            assert np.linalg.norm(np.cross(off, shift)) / np.linalg.norm(shift) < 1e-4
        np.testing.assert_allclose(places[-1], end, atol=1e-5)
    # Waypoints in the frame that moves follow each other.
    found = line(spawned, "cylinder/tip", *[pose(transform((0.0, 0.02, 0.0)))] * 2)
    wanted = tip(READY) @ transform((0.0, 0.04, 0.0))
    np.testing.assert_allclose(tip(found[-1]), wanted, atol=1e-5)


def test_kinematics_in_frames_of_objects(spawned):
    for frame in ("box/bottom", "/box/bottom"):
        reply = spawned.fk(TIP, "cylinder/tip", "cylinder", frame=frame)
        found = [pose_matrix(item.pose) for item in reply.pose_stamped]
        wanted = [at(READY, TIP), tip(READY), at(READY, "panda_hand") @ T_HAND_CYLINDER]
        np.testing.assert_allclose(found, [inverse(bottom()) @ T for T in wanted], atol=1e-9)
    target = PoseStamped(header=Header(frame_id="box/bottom"), pose=pose(T_BOTTOM_TIP))
    answer = spawned.ik(pose_stamped=target, ik_link_name="cylinder/tip")
    assert answer.error_code.val == CODE.SUCCESS, answer.error_code
    found = tip(of_arm(answer.solution.joint_state))
    np.testing.assert_allclose(found, bottom() @ T_BOTTOM_TIP, atol=1e-5)
    # What stands is no link.
    answer = spawned.ik(pose_stamped=target, ik_link_name="box/bottom")
    assert answer.error_code.val == CODE.INVALID_LINK_NAME


def test_an_object_in_the_frame_of_another_one(spawned):
    assert spawned.apply([box("lid", "box/bottom", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    assert spawned.apply([box("cap", "cylinder", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    lid = bottom() @ transform((0.0, 0.0, 0.1))
    np.testing.assert_allclose(pose_matrix(spawned.objects()["lid"].pose), lid, atol=1e-9)
    assert not spawned.apply([box("lost", "box/top", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    assert "box/top" in spawned.process.output


def test_subframes_are_returned_and_move_with_their_object(spawned):
    crate = spawned.objects()["box"]
    assert crate.subframe_names == ["bottom"]
    np.testing.assert_allclose(pose_matrix(crate.subframe_poses[0]), T_BOX_BOTTOM, atol=1e-9)
    assert spawned.attached()["cylinder"].object.subframe_names == ["tip"]
    rod = CollisionObject(id="cylinder", operation=CollisionObject.REMOVE)
    assert spawned.apply([AttachedCollisionObject(object=rod)])
    assert spawned.objects()["cylinder"].subframe_names == ["tip"]


def test_robot_model_line_1030():
    """The parent frame of the virtual joint is known, whatever its type."""
    for kind in ("fixed", "planar", "floating"):
        srdf = f"""<robot name="panda"><virtual_joint name="virtual_joint" type="{kind}"
          parent_frame="world" child_link="panda_link0"/></robot>"""
        assert read_semantics(srdf, ROBOT).world_frames == {"world"}
