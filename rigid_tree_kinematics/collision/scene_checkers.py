"""Collision checkers of one robot for the scenes that requests came in."""

from __future__ import annotations

import threading

from rigid_tree_kinematics.collision.checker import CollisionChecker
from rigid_tree_kinematics.collision.scene import Scene

CHECKERS_KEPT = 4  # prepared for a scene, so that requests in several scenes can run side by side


class SceneCheckers:
    """Prepares a robot's checker for every scene that is asked for. Thread-safe.

    Args:
        checker: of the robot, in any scene.
    """

    def __init__(self, checker: CollisionChecker) -> None:
        self._checker = checker
        self.warnings = checker.warnings
        self.pairs_summary = checker.pairs_summary
        self.self_pairs = checker.self_pairs
        self.body_solids = checker.body_solids
        self._lock = threading.Lock()
        self._prepared: list[tuple[Scene, CollisionChecker]] = []

    def checker(self, scene: Scene) -> CollisionChecker:
        """Return a checker, prepared, for a scene that nobody changes any more.

        Raises what ``CollisionChecker.prepare`` does.
        """
        with self._lock:
            for known, checker in self._prepared:
                if known is scene:
                    return checker
            # From the last one: only what differs between the scenes is made.
            last = self._prepared[0][1] if self._prepared else self._checker
            checker = last.with_scene(scene)
            checker.prepare()
            self._prepared = [(scene, checker), *self._prepared[: CHECKERS_KEPT - 1]]
            return checker

    def forget_others(self, scene: Scene) -> None:
        """Keep nothing that was prepared for other scenes than this one."""
        with self._lock:
            self._prepared = [item for item in self._prepared if item[0] is scene]
