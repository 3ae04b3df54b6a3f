"""The scene of move_group, by its messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moveit_msgs.msg import PlanningScene
from moveit_msgs.srv import GetPlanningScene
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import NoRobotError, RigidTreeError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.base import within
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_moveit.move_group.messages import apply_scene
from rigid_tree_moveit.move_group.robot import BaseFrames, MoveItRobot

ASK_PERIOD = 0.5  # s
REPLY_WITHIN = 10.0  # s, after which the scene is requested again


class FollowedScene:
    """Requests the scene once, and then applies its published changes.

    ``changed`` is called with every new scene; ``robot`` raises NoRobotError without a robot.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], MoveItRobot],
        frames: Callable[[MoveItRobot], BaseFrames],
        changed: Callable[[], None],
    ) -> None:
        self._node = node
        self._robot = robot
        self._frames = frames
        self._changed = changed
        self._keeper = SceneKeeper(Scene())
        self._has_scene = False
        group = MutuallyExclusiveCallbackGroup()
        receive: Any = self._on_scene  # rclpy awaits coroutines, whatever its annotations say
        ask: Any = self._ask
        node.create_subscription(
            PlanningScene, "monitored_planning_scene", receive, 100, callback_group=group
        )
        # In another group than the callback that waits for the reply.
        self._client: Client[Any, Any] = node.create_client(
            GetPlanningScene, "get_planning_scene", callback_group=ReentrantCallbackGroup()
        )
        self._timer = node.create_timer(ASK_PERIOD, ask, callback_group=group)

    @property
    def scene(self) -> Scene:
        """The scene, which is immutable: changes create a new one."""
        return self._keeper.scene

    def fit(self, tree: RigidBodyTree) -> None:
        """Remove objects attached to links that this robot lacks."""
        for name in self._keeper.fit(tree):
            self._node.get_logger().warning(
                f"dropped obstacle '{name}': robot '{tree.name}' lacks the link it was on"
            )

    async def _ask(self) -> None:
        if self._has_scene:
            self._timer.cancel()
            return
        if not self._client.service_is_ready():
            return
        future = self._client.call_async(GetPlanningScene.Request())
        if not await within(self._node, future, REPLY_WITHIN):
            return
        reply = future.result()
        # Before move_group has a robot, its reply is empty.
        if reply is not None and reply.scene.robot_model_name and not self._has_scene:
            await self._on_scene(reply.scene)

    async def _on_scene(self, message: PlanningScene) -> None:
        if message.is_diff and not self._has_scene:
            return
        before = self._keeper.scene
        try:
            robot = self._robot()
            remarks = await apply_scene(self._keeper, message, robot, self._frames(robot))
        except NoRobotError:
            return  # _ask requests the scene again
        except RigidTreeError as error:
            self._node.get_logger().warning(f"monitored_planning_scene: {error}")
            return
        if remarks.left_out:
            missing = "; ".join(remarks.left_out)
            self._node.get_logger().warning(f"monitored_planning_scene: left out: {missing}")
        if not self._has_scene or self._keeper.scene is not before:
            self._has_scene = True
            self._changed()
