"""The planner's obstacles: a user adds, drags, resizes, removes, saves and loads them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rigid_tree_interfaces.msg import Obstacle as ObstacleMessage
from rigid_tree_interfaces.msg import Scene as SceneMessage
from rigid_tree_interfaces.msg import SceneChange
from shape_msgs.msg import SolidPrimitive

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import (
    Obstacle,
    moveit_scene_text,
    read_moveit_scene,
    read_scene,
)
from rigid_tree_kinematics.errors import DescriptionError, RigidTreeError
from rigid_tree_kinematics.model import Mesh, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.base import LATCHED, pose_message
from rigid_tree_kinematics.nodes.motion import UserMotion
from rigid_tree_kinematics.nodes.scene import obstacle_message, placed_pose
from rigid_tree_kinematics.nodes.scene import read_scene as read_scene_message
from rigid_tree_web import panels
from rigid_tree_web.drawn import TargetGizmo
from rigid_tree_web.nodes.slot import RobotSlot

NEW_SIZE = 0.1  # m
AHEAD = 0.25  # m, of a new obstacle beyond the end of the arm
HELD = 1.0  # s after a drag in which the gizmo does not follow the scene
BOX, CYLINDER, SPHERE = SolidPrimitive.BOX, SolidPrimitive.CYLINDER, SolidPrimitive.SPHERE
TYPES = {"Box": BOX, "Cylinder": CYLINDER, "Sphere": SPHERE}


class ObstacleEditor:
    """Changes the scene of one robot's planner; methods are called in the node's thread.

    ``panel`` is set before any other use. ``ahead`` returns the position of the arm's end.
    """

    panel: panels.ObstaclesPanel

    def __init__(
        self,
        slot: RobotSlot,
        tree: RigidBodyTree,
        base: str,
        motion: UserMotion,
        ahead: Callable[[], Array],
    ) -> None:
        self._slot, self._tree, self._motion, self._ahead = slot, tree, motion, ahead
        self._frame = slot.prefix + tree.base_name
        self._message = SceneMessage()
        self._obstacles: dict[str, ObstacleMessage] = {}
        self._links: dict[str, str] = {}  # bodies that carry obstacles, by these
        self._chosen = panels.NONE
        self._dragged_at = -HELD
        self._gizmo = TargetGizmo(slot.server, base, lambda: slot.post(self._dragged), "obstacle")
        self._moved = motion.latest(self._move)
        topic = slot.topic("scene")
        self._subscription = slot.node.create_subscription(
            SceneMessage, topic, self._on_scene, LATCHED
        )

    def close(self) -> None:
        """Stop listening to the scene, and remove the gizmo."""
        self._slot.node.destroy_subscription(self._subscription)
        self._gizmo.remove()

    def _on_scene(self, message: SceneMessage) -> None:
        is_own = message.header.frame_id in ("", self._frame)
        self._message = message if is_own else SceneMessage()
        named = {obstacle.name: obstacle for obstacle in self._message.obstacles}
        self._obstacles = {name: each for name, each in named.items() if name != panels.NONE}
        carried = {each.obstacle.name: each.link for each in self._message.attached}
        self._links = {name: link for name, link in carried.items() if name != panels.NONE}
        self.choose(self._chosen)

    def choose(self, name: str) -> None:
        """Put the gizmo at an obstacle; none for other names."""
        names = (*self._obstacles, *self._links)
        self._chosen = name if name in names else panels.NONE
        obstacle = self._obstacles.get(self._chosen)
        self._gizmo.visible = obstacle is not None
        size, place = None, None
        if obstacle is not None:
            size = size_of(obstacle)
            at = obstacle.pose.position
            place = at.x, at.y, at.z
            if time.monotonic() - self._dragged_at > HELD:
                self._gizmo.pose = placed_pose(obstacle.pose)
        self.panel.show(names, self._chosen, size, place, self._links.get(self._chosen, ""))

    # -- changes ---------------------------------------------------------------------------------

    def _send(self, operation: int, obstacle: ObstacleMessage, **attached: Any) -> None:
        self._motion.start(lambda: self._change(operation, obstacle, **attached))

    async def _change(self, operation: int, obstacle: ObstacleMessage, **attached: Any) -> None:
        obstacle.header.frame_id = self._frame
        change = SceneChange(operation=operation, obstacle=obstacle, **attached)
        await self._motion.client.change_scene([change])

    def add(self, shape: str) -> None:
        """Add an obstacle in front of the arm's end, and choose it."""
        if shape not in TYPES:  # a client can send any text
            return
        taken = {*self._obstacles, *self._links}
        names = (f"{shape.lower()}_{number}" for number in range(1, len(taken) + 2))
        self._chosen = next(name for name in names if name not in taken)
        end = self._ahead()
        away = np.array([end[0], end[1], 0.0])
        length = float(np.linalg.norm(away))
        away = away / length if length > 1e-6 else np.array([1.0, 0.0, 0.0])
        solid = solid_of(TYPES[shape], (NEW_SIZE,) * 3)
        pose = pose_message(transform(end + AHEAD * away), self._frame).pose
        obstacle = ObstacleMessage(name=self._chosen, primitives=[solid], pose=pose)
        self._send(SceneChange.ADD, obstacle)

    def resize(self, size: panels.Size) -> None:
        """Change the size of the chosen obstacle."""
        old = self._obstacles.get(self._chosen)
        before = None if old is None else size_of(old)
        if old is None or before is None:
            return
        kind = old.primitives[0].type
        if kind != BOX:
            # The typed diameter is the one that differs most from the previous one.
            typed = size[:2] if kind == CYLINDER else size
            diameter = max(typed, key=lambda value: abs(value - before[0]))
            size = diameter, diameter, size[2]
        obstacle = ObstacleMessage(name=old.name, pose=old.pose, primitives=[solid_of(kind, size)])
        obstacle.primitive_poses = old.primitive_poses
        self._send(SceneChange.ADD, obstacle)

    def place(self, place: panels.Size) -> None:
        """Move the chosen obstacle to a position in the base frame (m)."""
        T = self._gizmo.pose
        T[:3, 3] = place
        self._gizmo.pose = T
        self._moved.request(T)

    def _dragged(self) -> None:
        self._dragged_at = time.monotonic()
        self._moved.request(self._gizmo.pose)

    async def _move(self, T: Array) -> None:
        if self._chosen in self._obstacles:
            obstacle = ObstacleMessage(name=self._chosen, pose=pose_message(T, self._frame).pose)
            await self._change(SceneChange.MOVE, obstacle)

    def remove(self) -> None:
        """Remove the chosen obstacle."""
        self._send(SceneChange.REMOVE, ObstacleMessage(name=self._chosen))

    def attach(self, link: str) -> None:
        """Let a body carry the chosen obstacle, which may touch it and what is beyond it."""
        if self._chosen in self._obstacles and link in self._tree.body_names:
            touched = bodies_beyond(self._tree, link)
            obstacle = ObstacleMessage(name=self._chosen)
            self._send(SceneChange.ATTACH, obstacle, link=link, touch_links=touched)

    def detach(self) -> None:
        """Leave the chosen obstacle where it is."""
        if self._chosen in self._links:
            self._send(SceneChange.DETACH, ObstacleMessage(name=self._chosen))

    # -- files -----------------------------------------------------------------------------------

    def save(self, client: Any) -> None:
        """Download the scene as a file."""
        try:
            text = moveit_scene_text(read_scene_message(self._message).obstacles.values())
        except RigidTreeError as error:
            self._motion.report(f"not saved: {error}", "failure")
            return
        name = time.strftime("scene_%Y%m%d_%H%M%S.scene")
        client.send_file_download(name, text.encode(), save_immediately=True)

    def load(self, name: str, content: bytes) -> None:
        """Replace the obstacles by those of a file."""
        try:
            obstacles = read_obstacles(name, content)
        except RigidTreeError as error:
            self._motion.report(f"not a scene: {error}", "failure")
            return
        changes = [SceneChange(operation=SceneChange.CLEAR)]
        for obstacle in obstacles:
            message = obstacle_message(obstacle, obstacle.pose, self._frame)
            changes.append(SceneChange(operation=SceneChange.ADD, obstacle=message))

        async def work() -> None:
            await self._motion.client.change_scene(changes)
            self._motion.report(f"loaded {len(obstacles)} obstacles")

        self._motion.start(work)


def bodies_beyond(tree: RigidBodyTree, link: str) -> list[str]:
    """Return the bodies that are rigid with a link, such as a hand, and those that they carry."""
    first = tree.get_body(link)
    while first.parent is not None and first.parent.parent is not None:
        if first.joint.type != "fixed":
            break
        first = first.parent
    found, names = [first], []
    while found:
        body = found.pop()
        names.append(body.name)
        found += body.children
    return names


def solid_of(kind: int, size: panels.Size) -> SolidPrimitive:
    """Return a primitive of a size along its axes."""
    x, _, z = size
    sizes = {BOX: list(size), CYLINDER: [z, 0.5 * x], SPHERE: [0.5 * x]}
    return SolidPrimitive(type=kind, dimensions=sizes[kind])


def size_of(obstacle: ObstacleMessage) -> panels.Size | None:
    """Return the size along the axes of an obstacle with one primitive; None for others."""
    if len(obstacle.primitives) != 1 or obstacle.points.width or obstacle.mesh_resource:
        return None
    primitive, sizes = obstacle.primitives[0], obstacle.primitives[0].dimensions
    if primitive.type == BOX:
        return sizes[0], sizes[1], sizes[2]
    if primitive.type == CYLINDER:
        return 2.0 * sizes[1], 2.0 * sizes[1], sizes[0]
    return (2.0 * sizes[0],) * 3 if primitive.type == SPHERE else None


def read_obstacles(name: str, content: bytes) -> list[Obstacle]:
    """Return the obstacles of an uploaded .scene or .yaml file; RigidTreeError for others.

    Mesh files are rejected: they would be read on this machine.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise DescriptionError("the file is not UTF-8 text", name) from error
    if Path(name).suffix.lower() == ".scene":
        return read_moveit_scene(text, name)
    obstacles = list(read_scene(text, name).obstacles.values())
    for obstacle in obstacles:
        if any(isinstance(placed.shape, Mesh) for placed in obstacle.shapes):
            raise DescriptionError(f"obstacle '{obstacle.name}' has a mesh file", name)
    return obstacles
