"""Trajectories by messages: a message replaces earlier ones that use its joints."""

import threading
from concurrent.futures import Future as Answer
from typing import Any

from rigid_tree_nao.nodes.methods import METHODS
from rigid_tree_nao.nodes.robot import NaoRobot

RELEASES = 3  # per message: an earlier trajectory may start to use the joints after one


class Trajectories:
    """Stops joints, and follows trajectories, in the order of the messages; thread-safe.

    The robot may execute calls in another order, unless one has returned before the next is sent.
    """

    def __init__(self, robot: NaoRobot) -> None:
        self._robot = robot
        self._lock = threading.Lock()
        self._number = 0  # of the last message
        self._latest: dict[str, int] = {}  # joint -> number of the last message for it
        self._followed: list[tuple[Answer[Any], list[str]]] = []  # trajectories with their joints

    def stop(self, joints: list[str]) -> None:
        """Stop all motions of joints."""
        self._replace(joints, [])

    def follow(self, arguments: list[Any]) -> None:
        """Follow a trajectory, given as checked arguments of angleInterpolation."""
        self._replace(arguments[0], arguments)

    def _replace(self, joints: list[str], arguments: list[Any]) -> None:
        with self._lock:
            self._number = number = self._number + 1
            self._latest.update(dict.fromkeys(joints, number))
        self._release(joints, arguments, number, RELEASES)

    def _release(self, joints: list[str], arguments: list[Any], number: int, times: int) -> None:
        """Have earlier trajectories release the joints of a message; then follow its own.

        If an earlier one has not ended by then, the robot may have executed the release first. It
        is repeated then, up to ``times`` in total, for the joints without a newer message.
        """
        with self._lock:
            self._followed = [(call, used) for call, used in self._followed if not call.done()]
            earlier = [c for c, used in self._followed if not set(used).isdisjoint(joints)]

        def proceed(_: Answer[Any]) -> None:
            with self._lock:
                ours = [joint for joint in joints if self._latest[joint] == number]
                is_late = times > 1 and not all(call.done() for call in earlier)
                if not is_late and arguments and ours == arguments[0]:
                    follow = METHODS["angle_interpolation"]
                    call = follow.send(self._robot, "joint_trajectory", *arguments)
                    self._followed.append((call, joints))
            if is_late and ours:
                self._release(ours, arguments, number, times - 1)

        release = METHODS["kill_tasks_using_resources"]
        release.send(self._robot, "joint_trajectory", joints).add_done_callback(proceed)
