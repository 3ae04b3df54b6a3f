"""Detects that the process which executes a motion was killed."""

from __future__ import annotations

from rclpy.node import Node

GRACE = 10.0  # s that an execution may exceed its duration


class LifeSign:
    """The feedback of a motion of a ``length`` (s), by a node's clock, which may be paused.

    ``patience`` is how long (s) it may stay out; a server without any has GRACE after the end.
    """

    def __init__(self, node: Node, length: float, patience: float) -> None:
        self._clock = node.get_clock()
        self._patience = patience
        self._due = self._now() + length + GRACE

    def _now(self) -> float:
        return 1e-9 * float(self._clock.now().nanoseconds)

    def heard(self) -> None:
        """Take feedback."""
        self._due = self._now() + self._patience

    @property
    def is_lost(self) -> bool:
        """Whether feedback has been missing for too long."""
        return self._now() > self._due
