"""Monitors a motion: the rest of its path is checked when the scene changes."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.planning.robot import PlanningRobot
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.planning import RemainingPath

ADVANCE_PERIOD = 0.05  # s between two updates of the robot's position on the path


class MotionWatch:
    """Follows a robot along its path in its own thread, from ``start`` to ``stop``.

    ``blocked`` is called once, in the thread, with the reason to end the motion. The watch ends
    then.
    """

    def __init__(
        self,
        robot: Callable[[], PlanningRobot | None],
        keeper: SceneKeeper,
        path: RemainingPath,
        blocked: Callable[[str], None],
    ) -> None:
        self._robot_now = robot
        self._robot = robot()
        self._keeper = keeper
        self._path = path
        self._blocked = blocked
        self._stopped = threading.Event()
        self._checked: Scene | None = None
        self._thread = threading.Thread(target=self._run, name="motion watch", daemon=True)

    def complaint(self) -> str:
        """Check once; return the reason to end the motion, or an empty string."""
        robot, scene = self._robot, self._keeper.scene
        if robot is None or self._robot_now() is not robot:
            return "another robot took the place of this one"
        configuration = robot.state.configuration
        self._path.advance(configuration)
        if scene is self._checked:
            return ""
        found = self._path.blockage(robot.checkers.checker(scene), configuration)
        self._checked = scene
        return "" if found is None else found.message

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; ``blocked`` may still be running."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                reason = self.complaint()
            except RigidTreeError as error:
                reason = f"the rest of the path cannot be checked: {error}"
            except Exception:  # a defect: without checks the motion ends
                reason = f"internal error while watching:\n{traceback.format_exc()}"
            if self._stopped.is_set():
                return
            if reason:
                self._blocked(reason)
                return
            self._keeper.wait_for_change(self._checked, ADVANCE_PERIOD)
