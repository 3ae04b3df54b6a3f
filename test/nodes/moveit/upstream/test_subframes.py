"""Objects, held objects and their subframes are frames, as in MoveIt's subframes_test.cpp."""

from __future__ import annotations

import math

import numpy as np
import pytest
from geometry_msgs.msg import Pose, PoseStamped
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
)
from moveit_msgs.srv import GetCartesianPath, GetPositionFK
from shape_msgs.msg import SolidPrimitive
from std_msgs.msg import Header

from harness.moveit import JOINTS, READY, TIP, box
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.model.transforms import inverse, rpy_matrix, transform
from rigid_tree_kinematics.nodes.tf import pose_matrix, pose_message

CODE = MoveItErrorCodes
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
    state = cell.state()
    hand = at(READY, "panda_hand")
    crate = box("box", "panda_link0", (0.0, 0.0, 0.0), (0.05, 0.1, 0.02))
    crate.pose = pose(hand @ T_HAND_BOX)
    crate.subframe_names, crate.subframe_poses = ["bottom"], [pose(T_BOX_BOTTOM)]
    rod = CollisionObject(id="cylinder", operation=CollisionObject.ADD, pose=pose(T_HAND_CYLINDER))
    rod.header.frame_id = "panda_hand"
    rod.primitives = [SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[0.06, 0.005])]
    rod.primitive_poses = [Pose()]
    rod.subframe_names, rod.subframe_poses = ["tip"], [pose(T_CYLINDER_TIP)]
    fingers = ["panda_hand", "panda_leftfinger", "panda_rightfinger"]
    held = AttachedCollisionObject(link_name="panda_hand", object=rod, touch_links=fingers)
    assert cell.apply([crate, held])
    assert cell.validity(state).valid
    return cell


def tip_at(frame, link, T, parameterization):
    """Return the goal that a frame is at a pose in another one."""
    here = PositionConstraint(link_name=link, header=Header(frame_id=frame))
    ball = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[1e-3])
    here.constraint_region.primitives = [ball]
    here.constraint_region.primitive_poses = [pose(T)]
    turned = OrientationConstraint(link_name=link, header=Header(frame_id=frame))
    turned.orientation = pose(T).orientation
    turned.absolute_x_axis_tolerance = turned.absolute_y_axis_tolerance = 1e-3
    turned.absolute_z_axis_tolerance = 1e-3
    turned.parameterization = parameterization
    return Constraints(position_constraints=[here], orientation_constraints=[turned])


def bottom():
    return at(READY, "panda_hand") @ T_HAND_BOX @ T_BOX_BOTTOM


def tip(positions):
    return at(positions, "panda_hand") @ T_HAND_CYLINDER @ T_CYLINDER_TIP


@pytest.mark.parametrize("parameterization", [0, 1])
def test_subframes_test_line_185(spawned, parameterization):
    """SubframesTests: the tip of the held cylinder goes to the bottom of the box."""
    goal = tip_at("box/bottom", "cylinder/tip", T_BOTTOM_TIP, parameterization)
    answer = spawned.plan(goal, allowed_planning_time=20.0)
    assert answer.error_code.val == CODE.SUCCESS, answer.error_code
    last = answer.trajectory.joint_trajectory.points[-1].positions
    np.testing.assert_allclose(tip(last), bottom() @ T_BOTTOM_TIP, atol=2e-3)


def test_subframes_test_line_248(spawned):
    """SubframesCartesianPathTests: the tip moves on a line, the waypoints in any frame."""
    for frame, T_base_frame in (
        ("panda_link0", np.eye(4)),
        ("box", at(READY, "panda_hand") @ T_HAND_BOX),
    ):
        start = tip(READY)
        end = start.copy()
        end[:3, 3] += (0.03, 0.05, 0.02)
        request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.01)
        request.start_state, request.link_name = spawned.state(), "cylinder/tip"
        request.header.frame_id, request.avoid_collisions = frame, True
        request.waypoints = [pose(inverse(T_base_frame) @ end)]
        reply = spawned.network.call(GetCartesianPath, "compute_cartesian_path", request)
        assert (reply.error_code.val, reply.fraction) == (CODE.SUCCESS, 1.0)
        for point in reply.solution.joint_trajectory.points:
            off = tip(point.positions)[:3, 3] - start[:3, 3]
            way = (end - start)[:3, 3]
            assert np.linalg.norm(np.cross(off, way)) / np.linalg.norm(way) < 1e-4
        last = reply.solution.joint_trajectory.points[-1].positions
        np.testing.assert_allclose(tip(last), end, atol=1e-5)


def test_waypoints_in_the_frame_that_moves_follow_each_other(spawned):
    request = GetCartesianPath.Request(group_name="panda_arm", max_step=0.01)
    request.start_state, request.link_name = spawned.state(), "cylinder/tip"
    request.header.frame_id = "cylinder/tip"
    request.waypoints = [pose(transform((0.0, 0.02, 0.0)))] * 2
    reply = spawned.network.call(GetCartesianPath, "compute_cartesian_path", request)
    assert (reply.error_code.val, reply.fraction) == (CODE.SUCCESS, 1.0)
    last = reply.solution.joint_trajectory.points[-1].positions
    np.testing.assert_allclose(tip(last), tip(READY) @ transform((0.0, 0.04, 0.0)), atol=1e-5)


def test_kinematics_in_frames_of_objects(spawned):
    def fk(frame, *names):
        reply = spawned.network.call(
            GetPositionFK,
            "compute_fk",
            fk_link_names=list(names),
            header=Header(frame_id=frame),
            robot_state=spawned.state(),
        )
        assert reply.error_code.val == CODE.SUCCESS, reply.error_code
        return [pose_matrix(item.pose) for item in reply.pose_stamped]

    for frame in ("box/bottom", "/box/bottom"):
        found = fk(frame, TIP, "cylinder/tip", "cylinder")
        wanted = [at(READY, TIP), tip(READY), at(READY, "panda_hand") @ T_HAND_CYLINDER]
        np.testing.assert_allclose(found, [inverse(bottom()) @ T for T in wanted], atol=1e-9)
    target = PoseStamped(header=Header(frame_id="box/bottom"), pose=pose(T_BOTTOM_TIP))
    answer = spawned.ik(pose_stamped=target, ik_link_name="cylinder/tip")
    assert answer.error_code.val == CODE.SUCCESS, answer.error_code
    state = answer.solution.joint_state
    by_name = dict(zip(state.name, state.position, strict=True))
    found = tip([by_name[name] for name in JOINTS])
    np.testing.assert_allclose(found, bottom() @ T_BOTTOM_TIP, atol=1e-5)
    # What stands is no link.
    answer = spawned.ik(pose_stamped=target, ik_link_name="box/bottom")
    assert answer.error_code.val == CODE.INVALID_LINK_NAME


def test_an_object_in_the_frame_of_another_one(spawned):
    assert spawned.apply([box("lid", "box/bottom", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    assert spawned.apply([box("cap", "cylinder", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    scene = spawned.scene()
    found = {item.id: pose_matrix(item.pose) for item in scene.world.collision_objects}
    lid = bottom() @ transform((0.0, 0.0, 0.1))
    np.testing.assert_allclose(found["lid"], lid, atol=1e-9)
    assert not spawned.apply([box("lost", "box/top", (0.0, 0.0, 0.1), (0.01, 0.01, 0.01))])
    assert "box/top" in spawned.process.output


def test_subframes_are_told_and_move_with_their_object(spawned):
    scene = spawned.scene()
    crate = scene.world.collision_objects[0]
    assert crate.subframe_names == ["bottom"]
    np.testing.assert_allclose(pose_matrix(crate.subframe_poses[0]), T_BOX_BOTTOM, atol=1e-9)
    rod = scene.robot_state.attached_collision_objects[0].object
    assert rod.subframe_names == ["tip"]
    assert spawned.apply(
        [
            AttachedCollisionObject(
                object=CollisionObject(id="cylinder", operation=CollisionObject.REMOVE)
            )
        ]
    )
    standing = {item.id: item for item in spawned.scene().world.collision_objects}
    assert standing["cylinder"].subframe_names == ["tip"]


@pytest.mark.parametrize("kind", ["fixed", "planar", "floating"])
def test_robot_model_line_1030(kind, tmp_path):
    """The parent frame of the virtual joint is known, whatever its type."""
    from rigid_tree_kinematics.description.srdf import read_semantics

    srdf = f"""<robot name="panda"><virtual_joint name="virtual_joint" type="{kind}"
      parent_frame="world" child_link="panda_link0"/></robot>"""
    assert read_semantics(srdf, ROBOT).world_frames == {"world"}
