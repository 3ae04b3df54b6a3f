"""Whether who executes a motion is still there: a process that was killed says no last word."""

from __future__ import annotations

from rclpy.node import Node

GRACE = 10.0  # s after its end that an execution may need


class LifeSign:
    """What was heard of a motion under way, on a node's clock, which may stand still.

    Args:
        node: whose clock it is.
        length: of the motion, s.
        patience: how long feedback may stay away once there was some, s. Who never gives any has
            GRACE after the motion's end.
    """

    def __init__(self, node: Node, length: float, patience: float) -> None:
        self._clock = node.get_clock()
        self._patience = patience
        self._due = self._now() + length + GRACE

    def _now(self) -> float:
        return 1e-9 * float(self._clock.now().nanoseconds)

    def heard(self) -> None:
        """Note that there was feedback."""
        self._due = self._now() + self._patience

    @property
    def is_lost(self) -> bool:
        """Whether it has been quiet for too long."""
        return self._now() > self._due
