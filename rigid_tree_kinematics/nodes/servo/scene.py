"""The scene of move_group, as it tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moveit_msgs.msg import PlanningScene
from moveit_msgs.srv import GetPlanningScene
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.client import Client
from rclpy.node import Node

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.moveit.messages import BaseFrames, MoveItRobot, apply_scene
from rigid_tree_kinematics.nodes.scene import SceneKeeper

LOOK_PERIOD = 0.5  # s, between two looks for a move_group that has not answered yet


class FollowedScene:
    """Asks for the scene once, and takes over what is published of it from then on.

    Args:
        node: under a multi-threaded executor.
        robot: returns the robot, or raises NoRobotError.
        frames: returns where frames are.
        changed: is called with every new scene.
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
        self._heard = False
        group = MutuallyExclusiveCallbackGroup()
        take: Any = self._on_scene  # rclpy awaits coroutines, whatever its annotations say
        ask: Any = self._ask
        node.create_subscription(
            PlanningScene, "monitored_planning_scene", take, 100, callback_group=group
        )
        # In another group than who waits for the reply.
        self._client: Client = node.create_client(
            GetPlanningScene, "get_planning_scene", callback_group=ReentrantCallbackGroup()
        )
        self._timer = node.create_timer(LOOK_PERIOD, ask, callback_group=group)

    @property
    def scene(self) -> Scene:
        """The scene; nobody changes it any more."""
        return self._keeper.scene

    async def _ask(self) -> None:
        if self._heard:
            self._timer.cancel()
            return
        if not self._client.service_is_ready():
            return
        reply = await self._client.call_async(GetPlanningScene.Request())
        if reply is not None and not self._heard:
            await self._on_scene(reply.scene)

    async def _on_scene(self, message: PlanningScene) -> None:
        try:
            robot = self._robot()
            await apply_scene(self._keeper, message, robot, self._frames(robot))
        except RigidTreeError as error:
            self._node.get_logger().warning(f"monitored_planning_scene: {error}")
            return
        self._heard = True
        self._changed()
