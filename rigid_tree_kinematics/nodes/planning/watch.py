"""Watching a motion under way: the rest of its path is checked whenever the scene changes."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.planning.robot import PlanningRobot
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.planning import RemainingPath

LOOK_PERIOD = 0.05  # s between two looks at where the robot is, while nothing changes


class MotionWatch:
    """Follows a robot along its path in a thread of its own, from ``start`` to ``stop``.

    Args:
        robot: returns the robot, or None where there is none any more.
        keeper: has the scene.
        path: what the robot follows.
        blocked: called once, in the watch's thread, with the reason for which the motion has to
            end. The watch is over then.
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
        """Look once; return why the motion must not go on, or an empty string."""
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
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End the watch; ``blocked`` may still be under way."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                reason = self.complaint()
            except RigidTreeError as error:
                reason = f"the rest of the way cannot be checked: {error}"
            except Exception:  # a defect: who cannot see does not go on
                reason = f"internal error while watching:\n{traceback.format_exc()}"
            if self._stopped.is_set():
                return
            if reason:
                self._blocked(reason)
                return
            self._keeper.wait_for_change(self._checked, LOOK_PERIOD)
