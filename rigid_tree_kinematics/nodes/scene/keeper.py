"""The scene of a planner: changed by requests, all or nothing, and kept when the robot changes.

What sensors see is part of it, and comes and goes on its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from rigid_tree_interfaces.msg import SceneChange

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import (
    AllowedCollisions,
    Obstacle,
    PointCloud,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.common.process import give_back_soon
from rigid_tree_kinematics.nodes.scene.messages import read_obstacle

LARGE = 10_000  # points and triangles that change, from which on memory is given back

NAMES = {
    SceneChange.ADD: "add",
    SceneChange.MOVE: "move",
    SceneChange.REMOVE: "remove",
    SceneChange.ATTACH: "attach",
    SceneChange.DETACH: "detach",
    SceneChange.CLEAR: "clear",
}


class SceneKeeper:
    """Holds the scene that plans are made in. Thread-safe: a scene in use is never changed."""

    def __init__(self, scene: Scene) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._asked = scene  # what requests have made of it
        self._seen: dict[str, Obstacle] = {}
        self._scene = scene

    @property
    def scene(self) -> Scene:
        """The present scene; it is never changed, changes make a new one."""
        return self._scene

    @property
    def asked(self) -> Scene:
        """The scene without what sensors see; it is never changed either."""
        return self._asked

    def change(
        self,
        changes: Sequence[SceneChange],
        poses: Sequence[Array],
        tree: RigidBodyTree,
        configuration: Array,
        accept: Callable[[Scene], object],
        allowed: AllowedCollisions | None = None,
    ) -> Scene:
        """Apply all changes in order, or none; return the new scene.

        ``allowed``, if given, says before them what may touch.

        ``poses`` holds each change's obstacle.pose in the robot's root. A RigidTreeError says
        which change is invalid, and why. ``accept`` is called with the new scene before it
        counts, and may refuse it in the same way.
        """
        with self._lock:
            asked = self._asked.copy()
            if allowed is not None:
                asked.allow(allowed)
            for number, (change, pose) in enumerate(zip(changes, poses, strict=True), start=1):
                try:
                    if change.obstacle.name in self._seen:
                        raise CollisionError(
                            f"'{change.obstacle.name}' is the name of what a sensor sees"
                        )
                    _apply(asked, change, pose, tree, configuration)
                except RigidTreeError as error:
                    what = NAMES.get(change.operation, "change")
                    raise CollisionError(f"change {number} ({what}): {error}") from error
            self._put(asked, self._seen, accept)
            return asked

    def see(self, name: str, obstacle: Obstacle | None, accept: Callable[[Scene], object]) -> None:
        """Put what a sensor sees, an obstacle of this name, into the scene; None: nothing.

        ``accept`` is called as by ``change``. Raises CollisionError if another obstacle has that
        name.
        """
        with self._lock:
            if name in self._asked.obstacles or name in self._asked.attached:
                raise CollisionError(f"another obstacle has the name '{name}'")
            seen = {key: value for key, value in self._seen.items() if key != name}
            if obstacle is not None:
                seen[name] = obstacle
            self._put(self._asked, seen, accept)

    def fit(self, tree: RigidBodyTree) -> list[str]:
        """Drop what is attached to bodies that this robot does not have; return the names.

        What sensors see is dropped, too: it was seen from another robot's root.
        """
        with self._lock:
            asked = self._asked.copy()
            known = set(tree.body_names) | {tree.base_name}
            lost = [
                name
                for name, item in asked.attached.items()
                if not {item.body, *item.touch_bodies} <= known
            ]
            for name in lost:
                asked.remove(name)
            self._put(asked, {}, lambda _: None)
        return lost

    def wait_for_change(self, known: Scene | None, seconds: float) -> None:
        """Return when the scene is another than ``known``, or after some time."""
        with self._changed:
            self._changed.wait_for(lambda: self._scene is not known, seconds)

    def _put(
        self, asked: Scene, seen: dict[str, Obstacle], accept: Callable[[Scene], object]
    ) -> None:
        scene = asked
        if seen:
            scene = asked.copy()
            for obstacle in seen.values():
                scene.add(obstacle)
        accept(scene)
        changed = {*self._things(self._asked)} ^ {*self._things(asked)}
        with self._changed:
            self._asked, self._seen, self._scene = asked, seen, scene
            self._changed.notify_all()
        if sum(_size(obstacle) for obstacle in changed) > LARGE:
            give_back_soon()

    @staticmethod
    def _things(scene: Scene) -> list[Obstacle]:
        held = (item.obstacle for item in scene.attached.values())
        return [*scene.obstacles.values(), *held]


def _size(obstacle: Obstacle) -> int:
    """Return how many points and triangles need as much memory as an obstacle."""
    shapes = [placed.shape for placed in obstacle.shapes]
    clouds = sum(len(shape.points) for shape in shapes if isinstance(shape, PointCloud))
    return 10 + clouds + sum(len(shape.faces) for shape in shapes if isinstance(shape, Triangles))


def _apply(
    scene: Scene, change: SceneChange, pose: Array, tree: RigidBodyTree, configuration: Array
) -> None:
    name = change.obstacle.name
    if change.operation == SceneChange.ADD:
        scene.add(read_obstacle(change.obstacle, pose))
    elif change.operation == SceneChange.MOVE:
        scene.move(name, pose)
    elif change.operation == SceneChange.REMOVE:
        scene.remove(name)
    elif change.operation == SceneChange.ATTACH:
        for body in (change.link, *change.touch_links):
            tree.get_body(body)
        if name not in scene.obstacles:
            raise UnknownNameError("obstacle", name, scene.obstacles, "the scene")
        T_base_body = tree.get_transform(configuration, change.link)
        T_base_obstacle = scene.obstacles[name].pose
        scene.attach(name, change.link, inverse(T_base_body) @ T_base_obstacle, change.touch_links)
    elif change.operation == SceneChange.DETACH:
        if name not in scene.attached:
            raise UnknownNameError("attached obstacle", name, scene.attached, "the scene")
        item = scene.attached[name]
        T_base_body = tree.get_transform(configuration, item.body)
        scene.detach(name, T_base_body @ item.T_body_obstacle)
    elif change.operation == SceneChange.CLEAR:
        scene.clear()
    else:
        known = ", ".join(f"{number} {word}" for number, word in NAMES.items())
        raise CollisionError(f"operation {change.operation} is not known; known: {known}")
