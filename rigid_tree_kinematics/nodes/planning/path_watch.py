"""Collisions ahead of a robot on its path."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.execution import RemainingPath
from rigid_tree_kinematics.trajectories import Waypoints

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
    from rigid_tree_kinematics.nodes.planning.server import PlanningServer

ADVANCE_PERIOD = 0.05  # s between two updates of the robot's position on the path


class PathWatch:
    """Follows a robot along its path in its own thread, from ``start`` to ``stop``.

    When the path is blocked, it calls ``blocked`` with the reason, and ends.
    """

    def __init__(
        self,
        server: PlanningServer[Any],
        robot: PlanningRobot,
        points: Waypoints,
        blocked: Callable[[str], None],
    ) -> None:
        self._server = server
        self._robot = robot
        compiled, now = robot.tree.compiled(), robot.state.configuration
        self._path = RemainingPath(compiled, now, points.slots, points.times, points.positions)
        self._joints = _joints_of(points, robot)
        self._blocked = blocked
        self._stopped = threading.Event()
        self._checked: Scene | None = None
        self._thread = threading.Thread(target=self._run, name="motion watch", daemon=True)

    def problem(self) -> str:
        """Check once; return the reason to end the motion, or an empty string."""
        robot, scene = self._robot, self._server.keeper.scene
        if self._server.robot is not robot:
            return "the robot was replaced by another one"
        configuration = robot.state.configuration
        self._path.advance(configuration)
        if scene is self._checked:
            return ""
        # As in MoveIt, collisions of other links do not end a motion.
        checker = robot.checkers.checker_of(self._joints, scene)
        found = self._path.blockage(checker, configuration)
        self._checked = scene
        return "" if found is None else found.message

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread, which may still be calling ``blocked``."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                reason = self.problem()
            except RigidTreeError as error:
                reason = f"the remaining path cannot be checked: {error}"
            except Exception:  # a bug: without checks the motion ends
                reason = f"internal error while watching:\n{traceback.format_exc()}"
            if self._stopped.is_set():
                return
            if reason:
                self._blocked(reason)
                return
            self._server.keeper.wait_for_change(self._checked, ADVANCE_PERIOD)


def _joints_of(points: Waypoints, robot: PlanningRobot) -> list[str]:
    """Return the joints that some waypoints move."""
    moved, slots = set(points.slots.tolist()), robot.tree.compiled().joint_slots
    return [name for name, (at, n) in slots.items() if not moved.isdisjoint(range(at, at + n))]
