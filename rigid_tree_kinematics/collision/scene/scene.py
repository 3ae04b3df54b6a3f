"""The world around a robot: obstacles by name, some of them attached to its bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.scene.allowed import AllowedCollisions
from rigid_tree_kinematics.collision.shapes import Shape
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import FARTHEST, checked_shape
from rigid_tree_kinematics.errors import CollisionError, UnknownNameError
from rigid_tree_kinematics.model.transforms import Pose, checked_pose


def _transform(value: Pose | None, what: str) -> Array:
    T = checked_pose(np.eye(4) if value is None else value, what)
    if np.abs(T[:3, 3]).max() > FARTHEST:
        raise CollisionError(
            f"{what} must stand within {FARTHEST:g} m, not at {T[:3, 3].tolist()}"
        )
    return T


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape, and its frame (4x4) in the frame of what it belongs to."""

    shape: Shape
    pose: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", checked_shape(self.shape))
        object.__setattr__(self, "pose", _transform(self.pose, "shape"))


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A named thing of one or more shapes; ``pose`` is its frame in the robot's base frame."""

    name: str
    shapes: tuple[PlacedShape, ...]
    pose: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise CollisionError(f"an obstacle's name is a non-empty string, not {self.name!r}")
        if not self.shapes:
            raise CollisionError(f"obstacle '{self.name}' has no shape")
        object.__setattr__(self, "shapes", tuple(self.shapes))
        object.__setattr__(self, "pose", _transform(self.pose, self.name))

    @classmethod
    def of(cls, name: str, shape: Shape, pose: Pose | None = None) -> Obstacle:
        """Return an obstacle of one shape, which stands at ``pose`` (4x4, base frame)."""
        return cls(name, (PlacedShape(shape),), _transform(pose, name))


@dataclass(frozen=True, eq=False)
class AttachedObstacle:
    """An obstacle that moves with a body: ``T_body_obstacle`` is where it is on it.

    It may touch that body and ``touch_bodies``, as the fingers that hold it do.
    """

    obstacle: Obstacle
    body: str
    T_body_obstacle: Array
    touch_bodies: tuple[str, ...] = ()


class Scene:
    """Obstacles by name. ``version`` grows with every change, so that checkers can follow."""

    def __init__(self, obstacles: Iterable[Obstacle] = ()) -> None:
        self._obstacles: dict[str, Obstacle] = {}
        self._attached: dict[str, AttachedObstacle] = {}
        self._allowed = AllowedCollisions()
        self.version = 0
        for obstacle in obstacles:
            self.add(obstacle)

    @property
    def obstacles(self) -> dict[str, Obstacle]:
        """The obstacles that stand still (a copy)."""
        return dict(self._obstacles)

    @property
    def attached(self) -> dict[str, AttachedObstacle]:
        """The obstacles that move with a body (a copy)."""
        return dict(self._attached)

    @property
    def allowed(self) -> AllowedCollisions:
        """What may touch although it would count, or may not although it would be left out."""
        return self._allowed

    def allow(self, allowed: AllowedCollisions) -> None:
        """Say anew what may touch.

        What obstacles may touch by an attached one's ``touch_bodies``, or because both are fixed
        to each other, they may touch in any case.
        """
        self._allowed = allowed
        self.version += 1

    def add(self, obstacle: Obstacle) -> None:
        """Add an obstacle, or replace the one of the same name.

        Raises CollisionError if an attached obstacle has that name.
        """
        if obstacle.name in self._attached:
            body = self._attached[obstacle.name].body
            raise CollisionError(
                f"obstacle '{obstacle.name}' is attached to body '{body}': detach it first"
            )
        self._obstacles[obstacle.name] = obstacle
        self.version += 1

    def move(self, name: str, pose: Pose) -> None:
        """Give an obstacle another pose (4x4, base frame).

        Raises UnknownNameError if there is none of this name, CollisionError if it is attached.
        """
        self._obstacles[name] = replace(self._standing(name), pose=_transform(pose, name))
        self.version += 1

    def remove(self, name: str) -> None:
        """Remove an obstacle, attached or not, and what was allowed to it.

        Raises UnknownNameError if there is none of this name.
        """
        if name in self._attached:
            del self._attached[name]
        else:
            self._standing(name)
            del self._obstacles[name]
        self._allowed = self._allowed.without(name)
        self.version += 1

    def clear(self) -> None:
        """Remove everything, attached obstacles and what was allowed to them, too."""
        for name in (*self._obstacles, *self._attached):
            self._allowed = self._allowed.without(name)
        self._obstacles.clear()
        self._attached.clear()
        self.version += 1

    def attach(
        self, name: str, body: str, T_body_obstacle: Pose, touch_bodies: Iterable[str] = ()
    ) -> None:
        """Let an obstacle of the scene move with a body from now on.

        Args:
            name: the obstacle.
            body: the body that it moves with; the checker looks whether its robot has it.
            T_body_obstacle: the obstacle's frame (4x4) in the body's frame.
            touch_bodies: further bodies that it may touch.

        Raises UnknownNameError if there is no obstacle of this name, CollisionError if it is
        attached already.
        """
        obstacle = self._standing(name)
        placed = _transform(T_body_obstacle, name)
        self._attached[name] = AttachedObstacle(obstacle, body, placed, tuple(touch_bodies))
        del self._obstacles[name]
        self.version += 1

    def detach(self, name: str, pose: Pose) -> None:
        """Leave an attached obstacle standing at ``pose`` (4x4, base frame).

        Raises UnknownNameError if no attached obstacle has this name.
        """
        if name not in self._attached:
            raise UnknownNameError("attached obstacle", name, tuple(self._attached), "the scene")
        placed = _transform(pose, name)
        self._obstacles[name] = replace(self._attached.pop(name).obstacle, pose=placed)
        self.version += 1

    def copy(self) -> Scene:
        """Return a scene with the same obstacles that changes on its own."""
        twin = Scene()
        twin._obstacles = dict(self._obstacles)
        twin._attached = dict(self._attached)
        twin._allowed = self._allowed
        twin.version = self.version
        return twin

    def _standing(self, name: str) -> Obstacle:
        if name in self._attached:
            body = self._attached[name].body
            raise CollisionError(
                f"obstacle '{name}' is attached to body '{body}': detach it first"
            )
        if name not in self._obstacles:
            raise UnknownNameError("obstacle", name, tuple(self._obstacles), "the scene")
        return self._obstacles[name]
