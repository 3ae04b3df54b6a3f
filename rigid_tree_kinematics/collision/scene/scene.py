"""The scene of a robot: obstacles by name; some can be attached to its bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.scene.allowed import AllowedCollisions
from rigid_tree_kinematics.collision.shapes import Shape
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import checked_shape
from rigid_tree_kinematics.description.meshes import FARTHEST
from rigid_tree_kinematics.errors import CollisionError, UnknownNameError
from rigid_tree_kinematics.model.transforms import Pose, checked_pose


def _transform(value: Pose | None, what: str) -> Array:
    T = checked_pose(np.eye(4) if value is None else value, what)
    if np.abs(T[:3, 3]).max() > FARTHEST:
        raise CollisionError(f"{what} must be within {FARTHEST:g} m, not at {T[:3, 3].tolist()}")
    return T


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape and its pose (4x4) in the frame of its obstacle or body.

    Example:
        >>> from rigid_tree_kinematics.model import Cylinder, Sphere
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> knob = PlacedShape(Sphere(0.02), transform((0, 0, 0.06)))
        >>> Obstacle("lever", (PlacedShape(Cylinder(0.01, 0.1)), knob)).shapes[1].shape
        Sphere(radius=0.02)
    """

    shape: Shape
    pose: Array = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", checked_shape(self.shape))
        object.__setattr__(self, "pose", _transform(self.pose, "shape"))


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A named object of one or more shapes; ``pose`` is in the robot's base frame.

    ``subframes`` are named poses (4x4) in the object's frame, for ``Scene.frame``.

    Example:
        >>> from rigid_tree_kinematics.model import Box, Cylinder
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> pole = PlacedShape(Cylinder(radius=0.02, length=0.5), transform((0, 0, 0.25)))
        >>> plate = PlacedShape(Box((0.2, 0.01, 0.1)), transform((0, 0, 0.55)))
        >>> sign = Obstacle("sign", (pole, plate), transform((0.5, 0, 0)))
        >>> len(sign.shapes), sign.pose[:3, 3].tolist()
        (2, [0.5, 0.0, 0.0])
    """

    name: str
    shapes: tuple[PlacedShape, ...]
    pose: Array = field(default_factory=lambda: np.eye(4))
    subframes: Mapping[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise CollisionError(
                f"an obstacle's name must be a non-empty string, not {self.name!r}"
            )
        if not self.shapes:
            raise CollisionError(f"obstacle '{self.name}' has no shape")
        object.__setattr__(self, "shapes", tuple(self.shapes))
        object.__setattr__(self, "pose", _transform(self.pose, self.name))
        frames = {key: _transform(T, f"{self.name}/{key}") for key, T in self.subframes.items()}
        object.__setattr__(self, "subframes", frames)

    @classmethod
    def of(cls, name: str, shape: Shape, pose: Pose | None = None) -> Obstacle:
        """Return an obstacle of one shape at ``pose`` (4x4, base frame).

        Example:
            >>> from rigid_tree_kinematics.model import Box
            >>> from rigid_tree_kinematics.model.transforms import transform
            >>> table = Obstacle.of("table", Box((1, 1, 0.1)), transform((0.7, 0, -0.05)))
            >>> checker = CollisionChecker(load_robot("ur5"), Scene([table]))
            >>> print(checker.check([0, 0.5, 0, 0, 0, 0]).contacts[0].second)
            table
        """
        return cls(name, (PlacedShape(shape),), _transform(pose, name))


@dataclass(frozen=True, eq=False)
class AttachedObstacle:
    """An obstacle that moves with a body, at ``T_body_obstacle``.

    It may touch only ``touch_bodies``, such as the hand and the fingers that hold it, or other
    attached obstacles.
    """

    obstacle: Obstacle
    body: str
    T_body_obstacle: Array
    touch_bodies: tuple[str, ...] = ()


class Scene:
    """Obstacles by name. ``version`` increases with every change.

    Example:
        >>> from rigid_tree_kinematics.model import Box, Sphere
        >>> from rigid_tree_kinematics.model.transforms import transform
        >>> scene = Scene([Obstacle.of("table", Box((1, 1, 0.1)), transform((0.5, 0, -0.06)))])
        >>> scene.add(Obstacle.of("part", Sphere(0.03)))
        >>> scene.attach("part", "panda_link8", transform((0, 0, 0.03)), ["panda_link8"])
        >>> list(scene.obstacles), list(scene.attached)
        (['table'], ['part'])
    """

    def __init__(self, obstacles: Iterable[Obstacle] = ()) -> None:
        self._obstacles: dict[str, Obstacle] = {}
        self._attached: dict[str, AttachedObstacle] = {}
        self._allowed = AllowedCollisions()
        self._labels: dict[str, Mapping[str, Any]] = {}
        self.version = 0
        for obstacle in obstacles:
            self.add(obstacle)

    @property
    def obstacles(self) -> dict[str, Obstacle]:
        """The obstacles that are not attached (a copy)."""
        return dict(self._obstacles)

    @property
    def attached(self) -> dict[str, AttachedObstacle]:
        """The obstacles that move with a body (a copy)."""
        return dict(self._attached)

    @property
    def allowed(self) -> AllowedCollisions:
        """The allowed collisions, and pairs that are checked although excluded by default."""
        return self._allowed

    def allow(self, allowed: AllowedCollisions) -> None:
        """Replace the allowed collisions.

        Obstacles may always touch the ``touch_bodies`` they are attached with.
        """
        self._allowed = allowed
        self.version += 1

    @property
    def labels(self) -> dict[str, Mapping[str, Any]]:
        """The labels of obstacles (a copy)."""
        return dict(self._labels)

    def label(self, name: str, **values: Any) -> None:
        """Store values with an obstacle, such as a color, until it is removed by name.

        They are ignored in collision checks.
        """
        self._labels[name] = {**self._labels.get(name, {}), **values}

    def add(self, obstacle: Obstacle) -> None:
        """Add an obstacle, or replace the one with the same name.

        Raises CollisionError if an attached obstacle has that name.
        """
        self._check_detached(obstacle.name)
        self._obstacles[obstacle.name] = obstacle
        self.version += 1

    def move(self, name: str, pose: Pose) -> None:
        """Move an obstacle to another pose (4x4, base frame).

        Raises UnknownNameError if no obstacle has this name, CollisionError if it is attached.
        """
        self._obstacles[name] = replace(self._detached(name), pose=_transform(pose, name))
        self.version += 1

    def remove(self, name: str) -> None:
        """Remove an obstacle, attached or not, and its allowed collisions.

        Raises UnknownNameError if no obstacle has this name.
        """
        if name in self._attached:
            del self._attached[name]
        else:
            self._detached(name)
            del self._obstacles[name]
        self._allowed = self._allowed.without(name)
        self._labels.pop(name, None)
        self.version += 1

    def clear(self) -> None:
        """Remove all obstacles, attached ones too, and their allowed collisions."""
        for name in (*self._obstacles, *self._attached):
            self._allowed = self._allowed.without(name)
        self._obstacles.clear()
        self._attached.clear()
        self._labels.clear()
        self.version += 1

    def attach(
        self, name: str, body: str, T_body_obstacle: Pose, touch_bodies: Iterable[str] = ()
    ) -> None:
        """Attach an obstacle of the scene to a body.

        Args:
            name: the obstacle.
            body: the body that it moves with; the checker verifies that its robot has it.
            T_body_obstacle: the obstacle's frame (4x4) in the body's frame.
            touch_bodies: the bodies that it may touch. As in MoveIt, ``body`` is not one of them
                unless it is listed.

        Raises UnknownNameError if no obstacle has this name, CollisionError if it is
        attached already.
        """
        obstacle = self._detached(name)
        placed = _transform(T_body_obstacle, name)
        self._attached[name] = AttachedObstacle(obstacle, body, placed, tuple(touch_bodies))
        del self._obstacles[name]
        self.version += 1

    def detach(self, name: str, pose: Pose) -> None:
        """Detach an obstacle and leave it at ``pose`` (4x4, base frame).

        Raises UnknownNameError if no attached obstacle has this name.
        """
        if name not in self._attached:
            raise UnknownNameError("attached obstacle", name, tuple(self._attached), "the scene")
        placed = _transform(pose, name)
        self._obstacles[name] = replace(self._attached.pop(name).obstacle, pose=placed)
        self.version += 1

    def frame(self, name: str) -> tuple[str | None, Array] | None:
        """Return the body of a frame (None: the base), and T_body_frame (4x4).

        ``name`` is an obstacle, or 'obstacle/subframe'; None if there is no such frame.
        """
        found = [
            (item.obstacle, item.body, item.T_body_obstacle) for item in self.attached.values()
        ]
        for obstacle, body, T in (*found, *((o, None, o.pose) for o in self.obstacles.values())):
            if name == obstacle.name:
                return body, T
            subframe = obstacle.subframes.get(name.removeprefix(f"{obstacle.name}/"))
            if subframe is not None and name.startswith(f"{obstacle.name}/"):
                return body, T @ subframe
        return None

    def copy(self) -> Scene:
        """Return an independent copy."""
        twin = Scene()
        twin._obstacles = dict(self._obstacles)
        twin._attached = dict(self._attached)
        twin._allowed = self._allowed
        twin._labels = dict(self._labels)
        twin.version = self.version
        return twin

    def _check_detached(self, name: str) -> None:
        if name in self._attached:
            body = self._attached[name].body
            raise CollisionError(
                f"obstacle '{name}' is attached to body '{body}': detach it first"
            )

    def _detached(self, name: str) -> Obstacle:
        self._check_detached(name)
        if name not in self._obstacles:
            raise UnknownNameError("obstacle", name, tuple(self._obstacles), "the scene")
        return self._obstacles[name]
