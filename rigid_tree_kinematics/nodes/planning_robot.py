"""The robot of the planner: its model, its state, and a collision checker for a scene."""

from __future__ import annotations

import threading

from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.nodes.current_state import KnownRobot
from rigid_tree_kinematics.nodes.planning_parameters import PlannerSettings
from rigid_tree_kinematics.nodes.robot_source import RobotDescription

CHECKERS_KEPT = 4  # prepared for a scene, so that plans in several scenes can run side by side


class PlanningRobot(KnownRobot):
    """A robot that knows what it must not touch."""

    def __init__(self, description: RobotDescription, settings: PlannerSettings) -> None:
        super().__init__(description)
        self._checker = CollisionChecker(
            self.tree, padding=settings.padding, srdf=settings.srdf or None
        )
        self.warnings = self._checker.warnings
        self._lock = threading.Lock()
        self._prepared: list[tuple[Scene, CollisionChecker]] = []

    def checker(self, scene: Scene) -> CollisionChecker:
        """Return a checker for a scene that nobody changes any more."""
        with self._lock:
            for known, checker in self._prepared:
                if known is scene:
                    return checker
            checker = self._checker.with_scene(scene)
            self._prepared = [(scene, checker), *self._prepared[: CHECKERS_KEPT - 1]]
            return checker

    def tip(self, name: str) -> str:
        """Return the named body, or the one at the end of the longest chain."""
        if name:
            return str(self.tree.get_body(name).name)
        depth = {self.tree.base_name: 0}
        for body in self.tree.bodies:
            assert body.parent is not None
            moves = body.joint.type != "fixed"
            depth[body.name] = depth[body.parent.name] + moves
        return max(depth, key=lambda body: depth[body])
