"""The scene of a planner, which requests and sensors change."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import (
    AllowedCollisions,
    Obstacle,
    Scene,
)
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.scene.changes import Change


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
        changes: Sequence[Change],
        tree: RigidBodyTree,
        configuration: Array,
        accept: Callable[[Scene], object],
        allowed: AllowedCollisions | None = None,
        labels: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Scene:
        """Apply all changes in order, or none; return the new scene.

        Obstacles are attached and detached at ``configuration``. ``allowed`` replaces the allowed
        collisions first. ``labels`` are stored with the remaining obstacles. ``accept`` is called
        with the new scene before it is used, and can reject it with a RigidTreeError. Raises a
        RigidTreeError that names the invalid change.
        """
        with self._lock:
            scene = self._requested.copy()
            if allowed is not None:
                scene.allow(allowed)
            for number, change in enumerate(changes, start=1):
                try:
                    if change.name in self._seen:
                        raise CollisionError(f"'{change.name}' is the name of a sensor's points")
                    change.apply(scene, tree, configuration)
                except RigidTreeError as error:
                    raise CollisionError(
                        f"change {number} ({change.operation}): {error}"
                    ) from error
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
        with self._changed:
            self._requested, self._seen, self._scene = requested, seen, scene
            self._changed.notify_all()
