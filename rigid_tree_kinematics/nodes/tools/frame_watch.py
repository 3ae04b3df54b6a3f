"""Node: prints frames from TF periodically, and can check that they move.

With ``once`` the process exits: with code 0 when all frames were received and moved, with code 1
and a message about the missing ones after the timeout.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from rclpy.task import Future

from rigid_tree_kinematics.errors import ConfigurationError, UnknownFrameError
from rigid_tree_kinematics.model.transforms import matrix_quaternion, matrix_rpy
from rigid_tree_kinematics.nodes.common.process import (
    STEADY,
    Parameters,
    PlainNode,
    parameter,
    run_node,
)
from rigid_tree_kinematics.nodes.tf import LATEST, TargetFrames

NAME = "frame_watch"
ROUNDS_ONCE = 3  # tables printed before ``once`` ends
MOVED = 1e-4  # m or quaternion difference, threshold of a motion


@dataclass(frozen=True)
class WatchSettings(Parameters):
    """The node's parameters."""

    frames: tuple[str, ...] = parameter(
        ("",), "Frames to print, each as 'reference frame', such as 'base_link head'."
    )
    period: float = parameter(1.0, "Time between tables.", low=0.05, high=3600.0, unit="s")
    once: bool = parameter(False, "Exit when all frames have moved or the time is up.")
    timeout: float = parameter(30.0, "Timeout of once.", low=0.1, high=3600.0, unit="s")


class FrameWatch(PlainNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.finished: Future[int] = Future()
        settings = WatchSettings.declare(self)
        self._pairs = [_pair(text) for text in settings.frames if text]
        if not self._pairs:
            raise ConfigurationError(
                "parameter 'frames' must be a list of 'reference frame' pairs"
            )
        self._once = settings.once
        self._deadline = time.monotonic() + settings.timeout
        self._poses: dict[str, np.ndarray] = {}
        self._moving: set[str] = set()
        self._rounds = 0
        self._frames = TargetFrames(self)
        self._frames.listen()
        self.create_timer(settings.period, self._print, clock=STEADY)

    def _print(self) -> None:
        if self.finished.done():
            return
        lines = [self._line(*pair) for pair in self._pairs]
        if self._poses:
            self._rounds += 1
            header = f"{'frame':<28} {'position [m]':^26}   roll pitch yaw [rad]"
            print("\n".join([header, *lines]), flush=True)
        if not self._once:
            return
        not_moving = [child for _, child in self._pairs if child not in self._moving]
        if not not_moving and self._rounds >= ROUNDS_ONCE:
            print(f"All {len(self._pairs)} frames were received and moved.", flush=True)
            self.finished.set_result(0)
        elif not_moving and time.monotonic() > self._deadline:
            unseen = [child for child in not_moving if child not in self._poses]
            resting = [child for child in not_moving if child in self._poses]
            self.get_logger().fatal(
                f"timeout; frames not received: {', '.join(unseen) or 'none'}; frames that "
                f"did not move: {', '.join(resting) or 'none'}"
            )
            self.finished.set_result(1)

    def _line(self, reference: str, child: str) -> str:
        try:
            T = self._frames.lookup(reference, child, LATEST)
        except UnknownFrameError as error:
            return f"{child:<28} unknown: {error}"
        pose = np.concatenate((T[:3, 3], matrix_quaternion(T)))
        before = self._poses.setdefault(child, pose)
        if np.abs(pose - before).max() > MOVED:
            self._moving.add(child)
        angles = matrix_rpy(T)
        numbers = " ".join(f"{value:8.3f}" for value in pose[:3])
        return f"{child:<28} {numbers}   " + " ".join(f"{angle:8.3f}" for angle in angles)


def _pair(text: str) -> tuple[str, str]:
    words = text.split()
    if len(words) != 2:
        raise ConfigurationError(f"parameter 'frames': '{text}' is not 'reference frame'")
    return words[0], words[1]


PARAMETERS = (WatchSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, FrameWatch, PARAMETERS)
