"""A callback at a steady rate, in its own thread.

At 100 Hz an executor's timer, with a wait set of all entities at every tick, costs more than the
callback.
"""

import threading
import time
from collections.abc import Callable

from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.process.plain_node import report_error
from rigid_tree_kinematics.nodes.common.process.rclpy_private import is_alive

SHORT = 0.05  # s that a stop may take


class Ticker:
    """Calls ``callback`` every ``period`` seconds of a steady clock, from ``start`` to ``stop``.

    Errors of the callback are logged. Ticks that a busy machine has missed are skipped. While
    ``needed`` is not set, ticks come every ``rest`` seconds only (None: not at all).
    """

    def __init__(
        self,
        node: Node,
        period: float,
        callback: Callable[[], None],
        needed: threading.Event | None = None,
        rest: float | None = None,
    ) -> None:
        self._node = node
        self.period = period
        self._callback = callback
        self._needed = needed
        self._rest = rest
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Return when the last tick has ended."""
        self._stopped.set()
        if self._needed is not None:
            self._needed.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        while self._goes_on():
            try:
                self._callback()
            except Exception as error:
                report_error(self._node, "a ticker", error)
            now = time.monotonic()
            due = max(due + self.period, now)
            # Sleeping is cheaper than the wait of an Event, but delays a stop.
            (time.sleep if self.period < SHORT else self._stopped.wait)(due - now)

    def _goes_on(self) -> bool:
        if self._needed is not None:
            self._needed.wait(self._rest)
        return not self._stopped.is_set() and is_alive(self._node.context)
