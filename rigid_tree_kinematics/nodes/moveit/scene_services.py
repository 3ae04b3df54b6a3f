"""move_group's services and topics about the scene."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    MoveItErrorCodes,
    PlanningScene,
    PlanningSceneWorld,
)
from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_srvs.srv import Empty

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.moveit.codes import answering
from rigid_tree_kinematics.nodes.moveit.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot
from rigid_tree_kinematics.nodes.moveit.scene import (
    ChangesOf,
    apply_scene,
    attaching,
    change_scene,
    scene_reply,
    standing,
)
from rigid_tree_kinematics.nodes.moveit.server import MoveItServer


class SceneServices:
    """Tells the scene and takes its changes, one after the other."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        server.offer(GetPlanningScene, "get_planning_scene", self._on_get_scene)
        server.offer(ApplyPlanningScene, "apply_planning_scene", self._on_apply_scene)
        server.offer(Empty, "clear_octomap", lambda _, response: response)
        # One after the other, so that what came first is there first.
        in_order = MutuallyExclusiveCallbackGroup()
        topics: tuple[tuple[Any, str, Any], ...] = (
            (CollisionObject, "collision_object", self._on_object),
            (AttachedCollisionObject, "attached_collision_object", self._on_attached),
            (PlanningScene, "planning_scene", self._on_scene),
            (PlanningSceneWorld, "planning_scene_world", self._on_world),
        )
        for kind, topic, take in topics:
            server.create_subscription(kind, topic, take, 100, callback_group=in_order)

    def _on_get_scene(
        self, request: GetPlanningScene.Request, response: GetPlanningScene.Response
    ) -> GetPlanningScene.Response:
        with answering(self._server, MoveItErrorCodes()):
            robot, prefix = self._server.present_robot, self._server.settings.frame_prefix
            components = request.components.components
            response.scene = scene_reply(self._server.keeper.scene, robot, prefix, components)
        return response

    async def _on_apply_scene(
        self, request: ApplyPlanningScene.Request, response: ApplyPlanningScene.Response
    ) -> ApplyPlanningScene.Response:
        response.success = await self._take_scene("apply_planning_scene", request.scene)
        return response

    async def _on_scene(self, message: PlanningScene) -> None:
        await self._take_scene("planning_scene", message)

    async def _on_world(self, message: PlanningSceneWorld) -> None:
        await self._take_scene("planning_scene_world", PlanningScene(world=message, is_diff=True))

    async def _on_object(self, message: CollisionObject) -> None:
        await self._take_step("collision_object", standing(message))

    async def _on_attached(self, message: AttachedCollisionObject) -> None:
        await self._take_step("attached_collision_object", attaching(message))

    async def _take_scene(self, what: str, message: PlanningScene) -> bool:
        return await self._change(
            what, lambda robot, frames: apply_scene(self._server.keeper, message, robot, frames)
        )

    async def _take_step(self, what: str, step: ChangesOf) -> bool:
        return await self._change(
            what, lambda robot, frames: change_scene(self._server.keeper, [step], robot, frames)
        )

    async def _change(
        self, what: str, change: Callable[[MoveItRobot, BaseFrames], Awaitable[Scene]]
    ) -> bool:
        """Change the scene and show it; say why not, and return False."""
        try:
            robot = self._server.present_robot
            await change(robot, self._server.base_frames(robot))
        except RigidTreeError as error:
            self._server.get_logger().warning(f"{what}: {error}")
            return False
        self._server.show_scene(robot)
        return True
