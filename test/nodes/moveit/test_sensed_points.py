"""What depth cameras see, in move_group: plans, solutions and states mind it, and it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from moveit_msgs.msg import (
    CollisionObject,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    MoveItErrorCodes,
    PlanningScene,
    PlanningSceneComponents,
    PositionIKRequest,
    RobotState,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetMotionPlan,
    GetPlanningScene,
    GetPositionIK,
    GetStateValidity,
)
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, PointCloud2
from shape_msgs.msg import SolidPrimitive
from std_srvs.srv import Empty

from harness.moveit import DOWN, FINGER, JOINTS, READY, TIP
from harness.network import Network
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.nodes.scene.cloud_messages import cloud_message, read_points
from rigid_tree_kinematics.perception import octree_data

CODE = MoveItErrorCodes
BASE = "panda_link0"
VOXEL = 0.02
AWAY = [1.2, *READY[1:]]  # where the arm is not seen
THERE = (0.45, 0.0, 0.45)  # on the way of nothing but the hand


def block(centre: Any, size: float = 0.08, step: float = 0.01) -> Any:
    """Return the points of a cube near a place, (n, 3); none lies where two cells meet."""
    along = np.arange(-0.5 * size + 0.5 * step, 0.5 * size, step)
    grid = np.stack(np.meshgrid(along, along, along), axis=-1).reshape(-1, 3)
    return grid + np.round(np.asarray(centre) / VOXEL) * VOXEL


class Cell:
    """A move_group that sees points, whose robot stands aside."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.robot = load_robot("panda_hand")
        srdf = str(bundled_folder("robots") / "panda_hand.srdf")
        network.start("move_group", {"robot": "panda_hand", "srdf": srdf})
        self._seen = network.hear(PointCloud2, "seen_points", LATCHED)
        network.call(GetPlanningScene, "get_planning_scene")  # there it is

    def see(self, points: Any) -> None:
        """Have move_group see these points, and wait until it says so."""
        message = cloud_message(points)
        message.header.frame_id = BASE
        clouds = self.network.publisher(PointCloud2, "points", qos_profile_sensor_data)
        states = self.network.publisher(JointState, "joint_states")
        expected = sorted(map(tuple, cells(points).tolist()))

        def sees() -> bool:
            states.publish(JointState(name=[*JOINTS, FINGER], position=[*AWAY, 0.035]))
            clouds.publish(message)
            self.network.live(0.1)
            return bool(self._seen) and self.shown() == expected

        self.network.until(sees, "the points")

    def shown(self) -> list[tuple[int, ...]]:
        return sorted(map(tuple, cells(read_points(self._seen[-1])).tolist()))

    def plan(self, start: list[float], goal: list[float]) -> Any:
        wanted = [
            JointConstraint(
                joint_name=name, position=q, tolerance_above=1e-3, tolerance_below=1e-3
            )
            for name, q in zip(JOINTS, goal, strict=True)
        ]
        request = MotionPlanRequest(group_name="panda_arm")
        request.goal_constraints = [Constraints(joint_constraints=wanted)]
        request.start_state.joint_state = JointState(name=JOINTS, position=start)
        reply = self.network.call(
            GetMotionPlan, "plan_kinematic_path", motion_plan_request=request
        )
        return reply.motion_plan_response

    def hand(self) -> Any:
        """Return where the hand is when the arm is ready."""
        q = {**dict(zip(JOINTS, READY, strict=True)), FINGER: 0.035}
        return self.robot.get_transform(q, "panda_hand")[:3, 3]

    def touched(self, positions: list[float]) -> set[str]:
        state = RobotState(joint_state=JointState(name=JOINTS, position=positions))
        reply = self.network.call(GetStateValidity, "check_state_validity", robot_state=state)
        return {contact.contact_body_2 for contact in reply.contacts}

    def octomap(self, components: int = 0) -> Any:
        asked = PlanningSceneComponents(components=components)
        reply = self.network.call(GetPlanningScene, "get_planning_scene", components=asked)
        return reply.scene.world.octomap


def cells(points: Any) -> Any:
    return np.unique(np.floor(np.asarray(points).reshape(-1, 3) / VOXEL).astype(int), axis=0)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    network = Network(tmp_path_factory.mktemp("network"))
    yield Cell(network)
    network.close()


def test_plans_and_states_mind_what_is_seen(cell):
    hand = cell.hand()
    assert cell.touched(READY) == set()
    cell.see(block(hand))
    assert cell.touched(READY) == {"points"}
    for start, goal, code in (
        (READY, AWAY, CODE.START_STATE_IN_COLLISION),
        (AWAY, READY, CODE.GOAL_IN_COLLISION),
    ):
        response = cell.plan(start, goal)
        assert response.error_code.val == code
        assert "'points'" in response.error_code.message
    # Seen in between, it is led around.
    across = [-1.2, *READY[1:]]
    way = cell.plan(AWAY, across).trajectory.joint_trajectory
    assert way.points
    for point in way.points:
        assert cell.touched(list(point.positions)) == set()


def test_solutions_mind_what_is_seen(cell):
    request = PositionIKRequest(group_name="panda_arm", ik_link_name=TIP)
    pose = request.pose_stamped.pose
    pose.position.x, pose.position.y, pose.position.z = THERE
    pose.orientation.x, pose.orientation.w = DOWN[0], DOWN[3]
    request.timeout.sec = 5

    def code() -> int:
        reply = cell.network.call(GetPositionIK, "compute_ik", ik_request=request)
        return int(reply.error_code.val)

    cell.see(block(THERE))
    assert code() == CODE.SUCCESS
    request.avoid_collisions = True
    assert code() == CODE.NO_IK_SOLUTION
    cell.network.call(Empty, "clear_octomap")
    assert code() == CODE.SUCCESS


def test_clear_octomap_forgets_until_the_next_cloud(cell):
    hand = cell.hand()
    for _ in range(2):
        cell.see(block(hand))
        assert cell.touched(READY) == {"points"}
        cell.network.call(Empty, "clear_octomap")
        assert cell.touched(READY) == set()
        assert list(cell.octomap().octomap.data) == []
        cell.network.until(lambda: cell.shown() == [], "an empty cloud on seen_points")


def test_an_object_of_the_topics_name_is_not_forgotten(cell):
    def change(operation: bytes) -> None:
        item = CollisionObject(id="points", operation=operation)
        item.header.frame_id, item.pose.position.x = BASE, 3.0
        item.primitives = [SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[0.1])]
        scene = PlanningScene(is_diff=True)
        scene.world.collision_objects = [item]
        reply = cell.network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene)
        assert reply.success

    cell.network.call(Empty, "clear_octomap")
    change(CollisionObject.ADD)
    cell.network.call(Empty, "clear_octomap")
    scene = cell.network.call(GetPlanningScene, "get_planning_scene").scene
    assert [item.id for item in scene.world.collision_objects] == ["points"]
    change(CollisionObject.REMOVE)
    hand = cell.hand()
    cell.see(block(hand))
    assert cell.touched(READY) == {"points"}


def test_the_scene_tells_an_octomap_and_takes_it_back(cell):
    points = np.vstack([block(THERE), block((0.3, 0.6, 0.2))])
    cell.see(points)
    told = cell.octomap()
    assert (told.header.frame_id, told.octomap.id, told.octomap.binary) == (BASE, "OcTree", True)
    assert told.octomap.resolution == VOXEL
    assert told.octomap.data.tobytes() == octree_data(cells(points))
    assert list(cell.octomap(PlanningSceneComponents.OCTOMAP).octomap.data)
    assert not list(cell.octomap(PlanningSceneComponents.WORLD_OBJECT_NAMES).octomap.data)
    scene = cell.network.call(GetPlanningScene, "get_planning_scene").scene
    assert not scene.world.collision_objects  # it is none of the objects
    # As pymoveit2 does to allow collisions: what it was told, with its changes.
    call: Callable[..., Any] = cell.network.call
    assert call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success
    assert cell.octomap().octomap.data == told.octomap.data


def test_octomaps_of_others_are_refused(network):
    cell = Cell(network)
    scene = PlanningScene(is_diff=True)
    scene.world.octomap.octomap.id, scene.world.octomap.octomap.resolution = "OcTree", VOXEL
    scene.world.octomap.octomap.binary = True
    scene.world.octomap.octomap.data = np.frombuffer(octree_data(cells(THERE)), np.int8).tolist()
    assert not network.call(ApplyPlanningScene, "apply_planning_scene", scene=scene).success
    assert cell.touched(READY) == set()
