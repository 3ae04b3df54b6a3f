"""The scene of a planner, which requests and sensors change."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

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

LARGE = 10_000  # points and triangles of a change, above which memory is released

OPERATIONS = ("add", "move", "remove", "attach", "detach", "clear")
NAMES = {getattr(SceneChange, name.upper()): name for name in OPERATIONS}


class SceneKeeper:
    """Stores the planning scene. Thread-safe: scenes are immutable."""

    def __init__(self, scene: Scene) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._requested = scene  # by requests, without sensor points
        self._seen: dict[str, Obstacle] = {}
        self._scene = scene

    @property
    def scene(self) -> Scene:
        """The current scene. It is immutable: changes create a new one."""
        return self._scene

    @property
    def requested(self) -> Scene:
        """The scene without the obstacles of sensors, also immutable."""
        return self._requested

    def change(
        self,
        changes: Sequence[SceneChange],
        poses: Sequence[Array],
        tree: RigidBodyTree,
        configuration: Array,
        accept: Callable[[Scene], object],
        allowed: AllowedCollisions | None = None,
        labels: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Scene:
        """Apply all changes in order, or none; return the new scene.

        ``poses`` are the poses of the changes' obstacles in the robot's root. ``allowed`` replaces
        the allowed collisions first. ``labels`` are stored with the remaining obstacles.
        ``accept`` is called with the new scene before it is used, and can reject it with a
        RigidTreeError. Raises a RigidTreeError that names the invalid change.
        """
        with self._lock:
            scene = self._requested.copy()
            if allowed is not None:
                scene.allow(allowed)
            for number, (change, pose) in enumerate(zip(changes, poses, strict=True), start=1):
                try:
                    if change.obstacle.name in self._seen:
                        reason = "is the name of a sensor's points"
                        raise CollisionError(f"'{change.obstacle.name}' {reason}")
                    _apply(scene, change, pose, tree, configuration)
                except RigidTreeError as error:
                    what = NAMES.get(change.operation, "change")
                    raise CollisionError(f"change {number} ({what}): {error}") from error
            for name in {*scene.obstacles, *scene.attached} & set(labels or {}):
                scene.label(name, **(labels or {})[name])
            self._put(scene, self._seen, accept)
            return scene

    def set_sensed(
        self, name: str, obstacle: Obstacle | None, accept: Callable[[Scene], object]
    ) -> None:
        """Replace the obstacle of a sensor; None removes it.

        ``accept`` is called as in ``change``. Raises CollisionError if another obstacle has that
        name.
        """
        with self._lock:
            if name in self._requested.obstacles or name in self._requested.attached:
                raise CollisionError(f"another obstacle has the name '{name}'")
            seen = {key: value for key, value in self._seen.items() if key != name}
            if obstacle is not None:
                seen[name] = obstacle
            self._put(self._requested, seen, accept)

    def fit(self, tree: RigidBodyTree) -> list[str]:
        """Remove obstacles attached to bodies that this robot lacks; return their names.

        The obstacles of sensors are removed too: their poses are in another robot's root.
        """
        with self._lock:
            scene = self._requested.copy()
            known = set(tree.body_names) | {tree.base_name}
            lost = [name for name, item in scene.attached.items() if item.body not in known]
            for name in lost:
                scene.remove(name)
            self._put(scene, {}, lambda _: None)
        return lost

    def trial(self) -> "SceneKeeper":
        """Return a keeper of the same scene, whose changes have no effect on this one."""
        with self._lock:
            twin = SceneKeeper(self._requested)
            twin._seen, twin._scene = self._seen, self._scene
            return twin

    def wait_for_change(self, known: Scene | None, seconds: float) -> None:
        """Wait until the scene differs from ``known``, or for some time."""
        with self._changed:
            self._changed.wait_for(lambda: self._scene is not known, seconds)

    def _put(
        self, requested: Scene, seen: dict[str, Obstacle], accept: Callable[[Scene], object]
    ) -> None:
        scene = requested
        if seen:
            scene = requested.copy()
            for obstacle in seen.values():
                scene.add(obstacle)
        accept(scene)
        changed = {*_things(self._requested)} ^ {*_things(requested)}
        with self._changed:
            self._requested, self._seen, self._scene = requested, seen, scene
            self._changed.notify_all()
        if sum(_size(obstacle) for obstacle in changed) > LARGE:
            give_back_soon()


def _things(scene: Scene) -> list[Obstacle]:
    return [*scene.obstacles.values(), *(item.obstacle for item in scene.attached.values())]


def _size(obstacle: Obstacle) -> int:
    """Return the size of an obstacle in points and triangles."""
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
        _attach(scene, change, tree, configuration)
    elif change.operation == SceneChange.DETACH:
        if name not in scene.attached:
            raise UnknownNameError("attached obstacle", name, scene.attached, "the scene")
        item = scene.attached[name]
        T_base_body = tree.get_transform(configuration, item.body)
        scene.detach(name, T_base_body @ item.T_body_obstacle)
    elif change.operation == SceneChange.CLEAR:
        scene.clear()
    else:
        known = ", ".join(f"{number} {name}" for number, name in NAMES.items())
        raise CollisionError(f"unknown operation {change.operation}; known: {known}")


def _attach(scene: Scene, change: SceneChange, tree: RigidBodyTree, configuration: Array) -> None:
    name = change.obstacle.name
    for body in (change.link, *change.touch_links):
        if body == change.link or body not in {*scene.obstacles, *scene.attached}:
            tree.get_body(body)
    if name not in scene.obstacles:
        raise UnknownNameError("obstacle", name, scene.obstacles, "the scene")
    T_body_base = inverse(tree.get_transform(configuration, change.link))
    T_body_obstacle = T_body_base @ scene.obstacles[name].pose
    scene.attach(name, change.link, T_body_obstacle, change.touch_links)
