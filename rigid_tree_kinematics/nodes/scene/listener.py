"""The planner's scene in other nodes, and collision checkers for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.node import Node
from rigid_tree_interfaces.msg import Scene as SceneMessage

from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.common.robot import LATCHED

if TYPE_CHECKING:
    from rigid_tree_kinematics.collision import CollisionChecker, Scene, SceneCheckers


class SceneListener:
    """Stores the last message on topic ``scene``, and converts it when a checker is needed.

    Collision checking is imported then, so that a server that never avoids collisions starts
    faster, and accepts robots with unreadable meshes.
    """

    def __init__(self, node: Node) -> None:
        self._logger = node.get_logger()
        self._topic = node.resolve_topic_name("scene")
        self._message = SceneMessage()
        self._scene: tuple[SceneMessage, Scene] | None = None
        self._checkers: tuple[RigidBodyTree, SceneCheckers] | None = None
        node.create_subscription(SceneMessage, "scene", self._on_scene, LATCHED)

    def _on_scene(self, message: SceneMessage) -> None:
        self._message = message

    def checker(self, tree: RigidBodyTree, prefix: str) -> CollisionChecker:
        """Return a checker of a robot in the scene, an empty one if none was published.

        Raises a RigidTreeError if a mesh of the robot cannot be read, or the scene is not in this
        robot's root frame.
        """
        from rigid_tree_kinematics.collision import CollisionChecker, Scene, SceneCheckers
        from rigid_tree_kinematics.nodes.scene.messages import read_scene

        message, scene = self._message, self._scene
        root = prefix + tree.base_name
        if message.header.frame_id not in ("", root):
            raise CollisionError(
                f"the scene on topic {self._topic} is in frame '{message.header.frame_id}', not "
                f"in this robot's root '{root}'"
            )
        if scene is None or scene[0] is not message:
            scene = message, read_scene(message) if message.header.frame_id else Scene()
            self._scene = scene
        checkers = self._checkers
        if checkers is None or checkers[0] is not tree:
            checkers = tree, SceneCheckers(CollisionChecker(tree))
            self._checkers = checkers
            self._logger.info(checkers[1].pairs_summary)
            for warning in checkers[1].warnings:
                self._logger.warning(warning)
        return checkers[1].checker(scene[1])
