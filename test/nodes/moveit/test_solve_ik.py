"""solve_ik, asked as MoveIt's srv_kinematics_plugin does."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from moveit_msgs.msg import CollisionObject, MoveItErrorCodes, PositionIKRequest
from moveit_msgs.srv import GetPlanningScene, GetPositionIK
from shape_msgs.msg import SolidPrimitive

from harness.moveit import FINGER, JOINTS, READY, TIP
from harness.network import Network
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.tf.target_frames import pose_message

ROBOT = load_robot("panda_hand")
WALL = (0.02, 1.0, 1.0)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("network"))
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    made.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    yield made
    made.close()


def asked(T: np.ndarray, seed: list[float]) -> PositionIKRequest:
    request = PositionIKRequest(group_name="panda_arm", ik_link_name=TIP, avoid_collisions=True)
    request.robot_state.joint_state.name = [*JOINTS, FINGER]
    request.timeout.sec = 10
    request.robot_state.joint_state.position = [*seed, 0.035]
    request.pose_stamped.header.frame_id = "panda_link0"
    request.pose_stamped.pose = pose_message(T, "").pose
    return request


def test_the_seed_is_where_the_search_begins_and_what_is_found_touches_nothing(network):
    rng = np.random.default_rng(4)
    middle = (-0.35, 0.0, 0.5)
    wall = CollisionObject(id="wall", operation=CollisionObject.ADD)
    wall.header.frame_id = "panda_link0"
    wall.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=list(WALL))]
    wall.pose.position.x, wall.pose.position.y, wall.pose.position.z = middle
    wall.pose.orientation.w = 1.0
    network.publisher(CollisionObject, "collision_object").publish(wall)
    network.call_until(
        lambda reply: reply.scene.world.collision_objects, GetPlanningScene, "get_planning_scene"
    )
    scene = Scene([Obstacle.of("wall", Box(WALL), transform(middle))])
    checker = CollisionChecker(ROBOT, scene, srdf=bundled_folder("robots") / "panda_hand.srdf")
    for _ in range(10):
        seed = np.array(READY) + rng.uniform(-0.2, 0.2, 7)
        wanted = seed + rng.uniform(-0.05, 0.05, 7)
        T = ROBOT.get_transform([*wanted, 0.035], TIP)
        reply = network.call(GetPositionIK, "solve_ik", ik_request=asked(T, seed.tolist()))
        assert reply.error_code.val == MoveItErrorCodes.SUCCESS, reply.error_code
        state = reply.solution.joint_state
        at = dict(zip(state.name, state.position, strict=True))
        found = np.array([at[name] for name in JOINTS])
        np.testing.assert_allclose(
            ROBOT.get_transform([*found, 0.035], TIP), T, rtol=0.0, atol=1e-5
        )
        assert np.abs(found - seed).max() < 0.5
        assert checker.is_free([*found, 0.035])


def test_what_is_out_of_reach_has_moveits_code(network):
    request = asked(transform((3.0, 0.0, 0.0)), READY)
    request.timeout = Duration(nanosec=50_000_000)
    reply = network.call(GetPositionIK, "solve_ik", ik_request=request)
    assert reply.error_code.val == MoveItErrorCodes.NO_IK_SOLUTION
    assert not reply.solution.joint_state.name
