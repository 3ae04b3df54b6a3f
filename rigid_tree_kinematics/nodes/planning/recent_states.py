"""Where a robot's joints were a while ago."""

from __future__ import annotations

from collections import deque

from rigid_tree_kinematics.kinematics import between, difference
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.common.current_state import Array, CurrentState, NamedPositions

KEPT = 10.0  # s, as long as tf2 keeps transforms


class RecentStates(CurrentState):
    """The current state, and those of the last KEPT seconds by their stamps. Thread-safe.

    While ``keeps_all`` is false, states that nobody asked for are missing.
    """

    def __init__(self, tree: RigidBodyTree, named: NamedPositions) -> None:
        super().__init__(tree, named)
        self._kinds = tree.compiled().position_kinds
        self._states: deque[tuple[float, Array]] = deque()

    def _keep(self, stamp: float) -> None:
        states = self._states
        if states and stamp < states[-1][0] - KEPT:
            states.clear()  # time has jumped back: another begin of a simulation
        while states and states[-1][0] >= stamp:  # of another sender, and late
            states.pop()
        states.append((stamp, self._configuration))
        while states[0][0] < stamp - KEPT:
            states.popleft()

    @property
    def latest(self) -> float | None:
        """The last stamp (s), None if no state was ever heard."""
        self.catch_up()
        states = self._states
        return states[-1][0] if states else None

    def at(self, stamp: float) -> tuple[Array, float]:
        """Return the configuration at a time (s), and how far that is from what is known (s).

        Between two states the joints are on the straight way; before the first and after the last
        one, they are there.
        """
        self.catch_up()
        with self._lock:
            states = list(self._states)
        if not states:
            return self._configuration, 0.0
        if stamp >= states[-1][0]:
            return states[-1][1], stamp - states[-1][0]
        if stamp <= states[0][0]:
            return states[0][1], states[0][0] - stamp
        after = next(k for k in range(len(states) - 1, -1, -1) if states[k - 1][0] <= stamp)
        (begin, a), (end, b) = states[after - 1], states[after]
        way = difference(self._kinds, a, b)
        return between(self._kinds, a, way, (stamp - begin) / (end - begin)), 0.0
