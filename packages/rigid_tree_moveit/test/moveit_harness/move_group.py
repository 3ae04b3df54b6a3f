"""A move_group with a simulated Panda, and pymoveit2 as its client."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Pose
from moveit_msgs.msg import CollisionObject, PlanningScene
from pymoveit2 import MoveIt2
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.time import Time
from shape_msgs.msg import SolidPrimitive

from harness.network import Network
from harness.processes import Process
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder

JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
FINGER = "panda_finger_joint1"
READY = [0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398]
TIP = "panda_hand_tcp"
DOWN = (1.0, 0.0, 0.0, 0.0)  # the hand points downwards
PATIENCE = 180.0  # s, bound for what never happens
MARGIN = "trajectory_execution.allowed_goal_duration_margin"


def start_move_group(network: Network, **parameters: Any) -> Process:
    """Start a move_group with the Panda and its groups, and wait until it has them.

    Unless the parameters say otherwise, motions may end late: on a busy machine they do.
    """
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    given = {"robot": "panda_hand", "srdf": srdf, MARGIN: PATIENCE, **parameters}
    process = network.start("move_group", given)
    network.log_line(process, "8 independent joints")
    return process


def box(name: str, frame: str, at: Sequence[float], size: Sequence[float]) -> CollisionObject:
    """Return a box that is added at a position in a frame."""
    item = CollisionObject(id=name, operation=CollisionObject.ADD)
    item.header.frame_id = frame
    item.pose.position.x, item.pose.position.y, item.pose.position.z = at
    item.primitives = [SolidPrimitive(type=SolidPrimitive.BOX, dimensions=list(size))]
    item.primitive_poses = [Pose()]
    return item


def post_in_the_way() -> PlanningScene:
    """Return the change of the scene that makes READY with the first joint at 1.5 hard to reach.

    An optimizing planner ends at once if the straight motion is free.
    """
    scene = PlanningScene(is_diff=True)
    scene.robot_state.is_diff = True
    post = box("post", "panda_link0", (0.225, 0.209, 0.6), (0.06, 0.06, 1.2))
    scene.world.collision_objects = [post]
    return scene


class MoveGroup:
    """The nodes and an independent client."""

    def __init__(self, directory: Path) -> None:
        self.network = Network(directory)
        self.robot = load_robot("panda_hand")
        self.network.start("robot_simulator", {"robot": "panda_hand"})
        self.process = start_move_group(self.network)
        self._node = Node("client", context=self.network.context)
        self._group = ReentrantCallbackGroup()
        self._executor = MultiThreadedExecutor(3, context=self.network.context)
        self._executor.add_node(self._node)
        self._is_closed = False
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()
        self._made: list[MoveIt2] = []
        self.arm = self.client()
        assert self.arm.wait_for_joint_state(PATIENCE)

    def _spin(self) -> None:
        """Run the clients' callbacks until ``close``.

        Tests create and destroy clients while it spins; rclpy's executor raises errors if it waits
        for clients that are incomplete or destroyed.
        """
        gone = rclpy_implementation.InvalidHandle, rclpy_implementation.RCLError
        while not self._is_closed:
            with suppress(AttributeError, *gone):
                self._executor.spin_once(0.1)

    def client(self, **options: Any) -> MoveIt2:
        """Return a client of a group, by default the arm's."""
        chosen = {
            "joint_names": JOINTS,
            "base_link_name": "panda_link0",
            "end_effector_name": TIP,
            "group_name": "panda_arm",
            **options,
        }
        made = MoveIt2(self._node, callback_group=self._group, **chosen)
        self._made.append(made)
        self.network.wait_for_discovery("/move_group")  # so that no reply is lost
        return made

    def objects(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the objects in the scene and the attached ones, by name."""
        assert self.arm.update_planning_scene(timeout_sec=PATIENCE)
        scene = self.arm.planning_scene
        objects = {item.id: item for item in scene.world.collision_objects}
        attached = scene.robot_state.attached_collision_objects
        return objects, {item.object.id: item for item in attached}

    def be_ready(self) -> None:
        """Move the arm to the start of all tests, in an empty scene."""
        while any(self.objects()):  # attached objects are in the scene after the first time
            cleared = self.arm.clear_all_collision_objects(timeout_sec=PATIENCE)
            self.network.until(cleared.done, "a cleared scene")
            assert self.arm.process_clear_all_collision_objects_future(cleared)
        self.arm.move_to_configuration(READY)
        assert self.arm.wait_until_executed(), self.arm.last_failure()

    def positions(self) -> list[float]:
        """Return the arm's positions from a joint state later than this call."""
        now = self._node.get_clock().now()
        while True:
            self.arm.reset_new_joint_state_checker()
            assert self.arm.wait_for_joint_state(PATIENCE)
            state = self.arm.joint_state
            if Time.from_msg(state.header.stamp) >= now:
                return [state.position[list(state.name).index(name)] for name in JOINTS]

    def tip(self, positions: list[float]) -> Any:
        """Return the tip's pose (4x4) by the library's model."""
        q = {**dict(zip(JOINTS, positions, strict=True)), FINGER: 0.035}
        return self.robot.get_transform(q, TIP)

    def close(self) -> None:
        self._is_closed = True
        self._thread.join(PATIENCE)
        for made in self._made:
            made.destroy()
        self._executor.shutdown()
        self._node.destroy_node()
        self.network.close()
