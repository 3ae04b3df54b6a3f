"""Collision checkers of one robot for the scenes that requests came in."""

from __future__ import annotations

import threading

from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.model import RigidBodyTree

CHECKERS_KEPT = 4  # prepared for a scene, so that requests in several scenes can run side by side


class SceneCheckers:
    """Prepares a robot once, and its checker for every scene that is asked for. Thread-safe.

    Raises what CollisionChecker does.
    """

    def __init__(self, tree: RigidBodyTree, padding: float, srdf: str) -> None:
        self._checker = CollisionChecker(tree, padding=padding, srdf=srdf or None)
        self.warnings = self._checker.warnings
        self._lock = threading.Lock()
        self._prepared: list[tuple[Scene, CollisionChecker]] = []

    def checker(self, scene: Scene) -> CollisionChecker:
        """Return a checker, prepared, for a scene that nobody changes any more."""
        with self._lock:
            for known, checker in self._prepared:
                if known is scene:
                    return checker
            checker = self._checker.with_scene(scene)
            checker.prepare()
            self._prepared = [(scene, checker), *self._prepared[: CHECKERS_KEPT - 1]]
            return checker
