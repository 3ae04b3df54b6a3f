"""A ghost that moves along a planned path again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.viewer.drawn.ghost import PATH, Ghost

if TYPE_CHECKING:
    import viser

PAUSE = 0.7  # s, at the end of the path


class PathGhost:
    """Plays configurations (k, nq) at times (k,), linear between them."""

    def __init__(self, server: viser.ViserServer, base: str, tree: RigidBodyTree) -> None:
        self._ghost = Ghost(server, base, "path", tree, PATH)
        self._times, self._rows = np.zeros(0), np.zeros((0, 0))
        self._start = 0.0
        self.q: Array | None = None  # that is shown now

    def play(self, now: float, times: Array, rows: Array) -> None:
        """Start at a time (s) of a steady clock."""
        self._start, self._times, self._rows = now, times, rows

    def update(self, now: float) -> None:
        """Show the configuration of a time (s)."""
        if not len(self._times):
            return
        at = (now - self._start) % (self._times[-1] + PAUSE)
        self.q = np.array([np.interp(at, self._times, column) for column in self._rows.T])
        self._ghost.show(self.q)

    def stop(self) -> None:
        """Hide the ghost."""
        self._times, self.q = np.zeros(0), None
        self._ghost.hide()

    def remove(self) -> None:
        """Remove the ghost from the page."""
        self.stop()
        self._ghost.remove()
