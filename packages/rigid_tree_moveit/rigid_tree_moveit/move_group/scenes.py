"""move_group's services and topics for the scene."""

import os
from array import array
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from moveit_msgs import msg, srv
from moveit_msgs.srv import ApplyPlanningScene, GetPlanningScene
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_srvs.srv import Empty

from rigid_tree_kinematics.collision import moveit_scene_text, read_moveit_scene
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.nodes.scene import changes
from rigid_tree_kinematics.perception import octree_data
from rigid_tree_moveit.move_group.messages import Remarks, apply_scene, change_scene, scene_reply
from rigid_tree_moveit.move_group.robot import BaseFrames, MoveItRobot
from rigid_tree_moveit.move_group.server import MoveItServer

# Depth of the queues of the topics. DDS silently drops the oldest message of a full queue.
WAITING = 5000
SUFFIX = ".scene"
LARGEST = 50_000_000  # bytes, of a file to read

Change = Callable[[MoveItRobot, BaseFrames], Awaitable[Remarks]]


class SceneServices:
    """Answers requests for the scene, and applies its changes in their order."""

    def __init__(self, server: MoveItServer) -> None:
        self._server = server
        self._sends_octomap = False
        for kind, name, answer in (
            (GetPlanningScene, "get_planning_scene", self._on_get_scene),
            (ApplyPlanningScene, "apply_planning_scene", self._on_apply_scene),
            (Empty, "clear_octomap", self._on_clear),
            (getattr(srv, "SaveGeometryToFile", None), "save_geometry_to_file", self._on_save),
            (getattr(srv, "LoadGeometryFromFile", None), "load_geometry_from_file", self._on_load),
        ):
            server.advertise(kind, name, answer)
        in_order = MutuallyExclusiveCallbackGroup()
        for kind, topic in (
            (msg.CollisionObject, "collision_object"),
            (msg.AttachedCollisionObject, "attached_collision_object"),
            (msg.PlanningScene, "planning_scene"),
            (msg.PlanningSceneWorld, "planning_scene_world"),
        ):
            receive: Any = partial(self._receive_scene, topic)  # rclpy awaits coroutines
            server.create_subscription(kind, topic, receive, WAITING, callback_group=in_order)

    async def _on_get_scene(self, request: Any, response: Any) -> None:
        robot = await self._server.first_robot()
        prefix, components = self._server.settings.frame_prefix, request.components.components
        response.scene = scene_reply(self._server.keeper.requested, robot, prefix, components)
        if not components or components & msg.PlanningSceneComponents.OCTOMAP:
            self._fill_octomap(response.scene.world, prefix + robot.tree.base_name)

    def _fill_octomap(self, world: msg.PlanningSceneWorld, root: str) -> None:
        """Fill in the cells that sensors see."""
        cells, size = self._server.points.seen
        message = world.octomap
        message.header.frame_id = message.octomap.header.frame_id = root
        message.header.stamp = self._server.get_clock().now().to_msg()
        if len(cells):
            message.octomap.id, message.octomap.binary = "OcTree", True
            message.octomap.resolution = size
            message.octomap.data = array("b", octree_data(cells))
            self._sends_octomap = True

    async def _on_clear(self, _: Empty.Request, __: Empty.Response) -> None:
        self._server.points.clear()

    async def _on_apply_scene(self, request: Any, response: Any) -> None:
        response.success = await self._receive_scene("apply_planning_scene", request.scene)

    async def _on_save(self, request: Any, response: Any) -> None:
        """Write the obstacles of the scene, without points of sensors."""
        obstacles = self._server.keeper.requested.obstacles.values()
        path = _write_scene(request.file_path_and_name, moveit_scene_text(obstacles))
        self._server.get_logger().info(f"{len(obstacles)} obstacles written to '{path}'")
        response.success = True

    async def _on_load(self, request: Any, response: Any) -> None:
        """Add the obstacles of a file, and replace those of the same names."""

        async def change(robot: MoveItRobot, frames: BaseFrames) -> Remarks:
            text, path = _read_scene(request.file_path_and_name)
            obstacles = read_moveit_scene(text, str(path))

            async def step(*_: Any) -> list[changes.Change]:
                return [changes.Add(obstacle) for obstacle in obstacles]

            return await change_scene(self._server.keeper, [("the file", step)], robot, frames)

        response.success = await self._change("load_geometry_from_file", change)

    async def _receive_scene(self, what: str, message: Any) -> bool:
        """Apply a scene or one of its parts."""
        scene = msg.PlanningScene(is_diff=True)
        if isinstance(message, msg.CollisionObject):
            scene.world.collision_objects = [message]
        elif isinstance(message, msg.AttachedCollisionObject):
            scene.robot_state.attached_collision_objects = [message]
        elif isinstance(message, msg.PlanningSceneWorld):
            scene.world = message
        else:
            scene = message
        if self._sends_octomap and scene.world.octomap.octomap.data:
            # Clients return the whole scene that they received, with their changes.
            scene.world.octomap = msg.PlanningSceneWorld().octomap
        keeper, is_world = self._server.keeper, isinstance(message, msg.PlanningSceneWorld)
        change: Change = partial(apply_scene, keeper, scene, whole_world=is_world)
        return await self._change(what, change)

    async def _change(self, what: str, change: Change) -> bool:
        """Change and publish the scene; log remarks; return whether all could be done."""
        log = self._server.get_logger()
        try:
            robot = await self._server.first_robot()
            remarks = await change(robot, self._server.base_frames(robot))
        except RigidTreeError as error:
            log.warning(f"{what}: {error}")
            return False
        self._server.scene_changed()
        if remarks.left_out:
            log.warning(f"{what}: left out: {'; '.join(remarks.left_out)}")
        if notes := remarks.absent + remarks.notes:
            log.warning(f"{what}: {'; '.join(notes)}")
        return not (remarks.left_out or remarks.absent)


# Any client on the network can write files, but it can overwrite only scene files.


def _write_scene(name: str, text: str) -> Path:
    """Write a text atomically and return the path; raises CollisionError."""
    path = _path(name)
    if path.suffix != SUFFIX:
        raise CollisionError(f"'{name}': the name of a scene file must end in {SUFFIX}")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
        part.replace(path)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        raise CollisionError(f"cannot write '{path}': {error}") from error
    return path


def _read_scene(name: str) -> tuple[str, Path]:
    """Return the text of a regular file and its path; CollisionError if that fails."""
    path = _path(name)
    try:
        return read_plain_file(path, LARGEST).decode(), path
    except (OSError, ValueError) as error:  # ValueError: not UTF-8
        raise CollisionError(f"cannot read '{path}': {error}") from error


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise CollisionError(f"'{name}' is not a path: {error}") from error
