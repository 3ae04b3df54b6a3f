"""Depth camera points in move_group: plans, solutions and states avoid them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from moveit_harness.move_group import FINGER, JOINTS, READY, TIP, box, start_move_group
from moveit_msgs.msg import CollisionObject, PlanningSceneComponents, PlanningSceneWorld
from moveit_msgs.srv import ApplyPlanningScene
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, PointCloud2
from std_srvs.srv import Empty

from harness.arm.clouds import VOXEL, block, cells_of, indices_of
from harness.network import Network
from harness.poses import pose_stamped
from harness.probe import LATCHED
from move_group import cell as cells
from move_group.cell import BASE, CODE, has_error, joints, rows, solved, state
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message, read_points
from rigid_tree_kinematics.perception import octree_data

AWAY = [1.2, *READY[1:]]  # where the arm is not seen
THERE = (0.45, 0.0, 0.45)  # on the way of nothing but the hand


class Cell(cells.Cell):
    """A move_group that sees points, whose robot stands aside."""

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        start_move_group(network)
        self._seen = network.record(PointCloud2, "seen_points", LATCHED)

    def see(self, points: Any) -> None:
        """Have move_group see these points, and wait until it says so."""
        message = cloud_message(points)
        message.header.frame_id = BASE
        clouds = self.network.publisher(PointCloud2, "points", qos_profile_sensor_data)
        states = self.network.publisher(JointState, "joint_states")
        expected = cells_of(points)

        def sees() -> bool:
            states.publish(JointState(name=[*JOINTS, FINGER], position=[*AWAY, 0.035]))
            clouds.publish(message)
            self.network.spin_for(0.1)
            return bool(self._seen) and self.shown() == expected

        self.network.until(sees, "the points")

    def shown(self) -> list[tuple[float, ...]]:
        return cells_of(read_points(self._seen[-1]))

    def touched(self, positions: Any) -> set[str]:
        contacts = self.validity(state(list(positions))).contacts
        return {contact.contact_body_2 for contact in contacts}

    def octomap(self, components: int = 0) -> Any:
        return self.scene(components).world.octomap

    def clear(self) -> None:
        self.network.call(Empty, "clear_octomap")


# Where the hand is when the arm is ready.
HAND = load_robot("panda_hand").get_transform([*READY, 0.035], "panda_hand")[:3, 3]


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    network = Network(tmp_path_factory.mktemp("network"))
    yield Cell(network)
    network.close()


def test_plans_and_states_avoid_sensed_points(cell):
    assert cell.touched(READY) == set()
    cell.see(block(HAND))
    assert cell.touched(READY) == {"points"}
    for start, goal, code in (
        (READY, AWAY, CODE.START_STATE_IN_COLLISION),
        (AWAY, READY, CODE.GOAL_IN_COLLISION),
    ):
        answer = cell.plan(joints(goal), start_state=state(start)).error_code
        assert has_error(answer, code, "'points'")
    # Seen in between, it is led around.
    across = cell.plan(joints([-1.2, *READY[1:]]), start_state=state(AWAY))
    for positions in rows(solved(across)):
        assert cell.touched(positions) == set()


def test_solutions_avoid_sensed_points(cell):
    T = np.diag([1.0, -1.0, -1.0, 1.0])
    T[:3, 3] = THERE

    def code(avoid: bool) -> int:
        fields = {"ik_link_name": TIP, "pose_stamped": pose_stamped(T)}
        return int(cell.ik(avoid_collisions=avoid, **fields).error_code.val)

    cell.see(block(THERE))
    assert code(False) == CODE.SUCCESS
    assert code(True) == CODE.NO_IK_SOLUTION
    cell.clear()
    assert code(True) == CODE.SUCCESS


def test_clear_octomap_removes_points_until_the_next_cloud(cell):
    for _ in range(2):
        cell.see(block(HAND))
        assert cell.touched(READY) == {"points"}
        cell.clear()
        assert cell.touched(READY) == set()
        assert list(cell.octomap().octomap.data) == []
        cell.network.until(lambda: cell.shown() == [], "an empty cloud on seen_points")


def test_an_object_of_the_topics_name_is_not_removed(cell):
    item = box("points", BASE, (3.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    cell.clear()
    assert cell.apply([item])
    cell.clear()
    assert list(cell.objects()) == ["points"]
    item.operation = CollisionObject.REMOVE
    assert cell.apply([item])
    cell.see(block(HAND))
    assert cell.touched(READY) == {"points"}


def test_scene_has_an_octomap_until_it_is_cleared(cell):
    points = np.vstack([block(THERE), block((0.3, 0.6, 0.2))])
    cell.see(points)
    stored = cell.octomap()
    assert (stored.header.frame_id, stored.octomap.id, stored.octomap.binary) == (
        BASE,
        "OcTree",
        True,
    )
    assert stored.octomap.resolution == VOXEL
    assert stored.octomap.data.tobytes() == octree_data(indices_of(points))
    assert list(cell.octomap(PlanningSceneComponents.OCTOMAP).octomap.data)
    assert not list(cell.octomap(PlanningSceneComponents.WORLD_OBJECT_NAMES).octomap.data)
    scene = cell.scene()
    assert not scene.world.collision_objects  # it is none of the objects
    # As pymoveit2 does to allow collisions: what it was told, with its changes.
    call = ApplyPlanningScene, "apply_planning_scene"
    assert cell.network.call(*call, scene=scene).success
    assert cell.octomap().octomap.data == stored.octomap.data


def test_octomaps_of_others_are_rejected(network):
    cell = Cell(network)  # which has sent no octomap
    world = PlanningSceneWorld()
    world.octomap.octomap.id, world.octomap.octomap.resolution = "OcTree", VOXEL
    world.octomap.octomap.binary = True
    world.octomap.octomap.data = np.frombuffer(octree_data(indices_of(THERE)), np.int8).tolist()
    assert not cell.apply(world=world)
    assert cell.touched(READY) == set()
