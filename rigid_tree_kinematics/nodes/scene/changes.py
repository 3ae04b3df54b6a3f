"""The changes of a scene that clients can request.

Each is applied to a scene and the configuration of its robot, and can raise a RigidTreeError.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Obstacle, Scene
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse


@dataclass(frozen=True, eq=False)
class Add:
    """Add an obstacle, or replace the one with the same name; its pose is in the robot's base."""

    operation: ClassVar[str] = "add"
    obstacle: Obstacle

    @property
    def name(self) -> str:
        """The obstacle."""
        return self.obstacle.name

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Add the obstacle."""
        scene.add(self.obstacle)


@dataclass(frozen=True, eq=False)
class Move:
    """Move an obstacle to ``pose`` (4x4, robot's base)."""

    operation: ClassVar[str] = "move"
    name: str
    pose: Array

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Move the obstacle."""
        scene.move(self.name, self.pose)


@dataclass(frozen=True)
class Remove:
    """Remove an obstacle, attached or not."""

    operation: ClassVar[str] = "remove"
    name: str

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Remove the obstacle."""
        scene.remove(self.name)


@dataclass(frozen=True)
class Attach:
    """Attach an obstacle to a body at its current pose; see ``Scene.attach``."""

    operation: ClassVar[str] = "attach"
    name: str
    body: str
    touch_bodies: Sequence[str] = ()

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Attach the obstacle. ``touch_bodies`` can name other obstacles, too."""
        for body in (self.body, *self.touch_bodies):
            if body == self.body or body not in {*scene.obstacles, *scene.attached}:
                tree.get_body(body)
        if self.name not in scene.obstacles:
            raise UnknownNameError("obstacle", self.name, scene.obstacles, "the scene")
        T_body_base = inverse(tree.get_transform(configuration, self.body))
        T_body_obstacle = T_body_base @ scene.obstacles[self.name].pose
        scene.attach(self.name, self.body, T_body_obstacle, self.touch_bodies)


@dataclass(frozen=True)
class Detach:
    """Detach an obstacle at its current pose."""

    operation: ClassVar[str] = "detach"
    name: str

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Detach the obstacle."""
        if self.name not in scene.attached:
            raise UnknownNameError("attached obstacle", self.name, scene.attached, "the scene")
        item = scene.attached[self.name]
        T_base_body = tree.get_transform(configuration, item.body)
        scene.detach(self.name, T_base_body @ item.T_body_obstacle)


@dataclass(frozen=True)
class Clear:
    """Remove all obstacles."""

    operation: ClassVar[str] = "clear"
    name: ClassVar[str] = ""

    def apply(self, scene: Scene, tree: RigidBodyTree, configuration: Array) -> None:
        """Remove all obstacles."""
        scene.clear()


Change = Add | Move | Remove | Attach | Detach | Clear
