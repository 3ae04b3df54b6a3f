"""Collision checkers of one robot for several scenes."""

import threading
from collections.abc import Iterable

from rigid_tree_kinematics.collision.checker import CollisionChecker
from rigid_tree_kinematics.collision.scene import Scene

CHECKERS_CACHED = 4  # for concurrent requests in several scenes


class SceneCheckers:
    """Prepares a robot's checker for each scene. Thread-safe.

    Args:
        checker: for the robot, in any scene.

    Example:
        >>> checkers = SceneCheckers(CollisionChecker(load_robot("panda")))
        >>> scene = load_scene("panda_pillars")
        >>> checkers.checker(scene).is_free([0.5, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
        False
        >>> checkers.checker(scene) is checkers.checker(scene)
        True
    """

    def __init__(self, checker: CollisionChecker) -> None:
        checker.prepare()  # meshes are read now, not within the time limit of a request
        self._checker = checker
        self.warnings = checker.warnings
        self.pairs_summary = checker.pairs_summary
        self.self_pairs = checker.self_pairs
        self.body_solids = checker.body_solids
        self._lock = threading.Lock()
        self._prepared: list[tuple[Scene, CollisionChecker]] = []
        self._of_joints: dict[tuple[str, ...], tuple[CollisionChecker, CollisionChecker]] = {}

    def checker_of(self, joints: Iterable[str], scene: Scene) -> CollisionChecker:
        """Return ``checker``, only for the bodies that some joints move.

        Raises the same errors as ``CollisionChecker.for_joints`` and ``prepare``.
        """
        key, whole = tuple(joints), self.checker(scene)
        known = self._of_joints.get(key)
        if known is None or known[0] is not whole:
            known = whole, whole.for_joints(key)
            known[1].prepare()
            self._of_joints[key] = known
        return known[1]

    def checker(self, scene: Scene) -> CollisionChecker:
        """Return a prepared checker for a scene that no longer changes.

        Raises the same errors as ``CollisionChecker.prepare``.
        """
        with self._lock:
            for known, checker in self._prepared:
                if known is scene:
                    return checker
            # From the last one: only differences between the scenes are rebuilt.
            last = self._prepared[0][1] if self._prepared else self._checker
            checker = last.with_scene(scene)
            checker.prepare()
            self._prepared = [(scene, checker), *self._prepared[: CHECKERS_CACHED - 1]]
            return checker

    def remove_others(self, scene: Scene) -> None:
        """Remove the checkers of all other scenes."""
        with self._lock:
            self._prepared = [item for item in self._prepared if item[0] is scene]
            self._of_joints = {}
