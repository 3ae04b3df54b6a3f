"""Joint positions by name, and a robot's state over the last seconds."""

import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree

HISTORY = 10.0  # s, as long as tf2 keeps transforms


class NamedPositions:
    """Merges named positions of messages into configurations of one robot.

    Mimic and fixed joints, which drivers name too, are ignored.
    """

    def __init__(self, tree: RigidBodyTree) -> None:
        self._tree = tree
        self._slots = {name: slot for slot, name in enumerate(tree.position_names)}
        self._placeless = {joint.name for joint in tree.joints} - self._slots.keys()

    def slots(self, names: Sequence[str]) -> list[int]:
        """Return the indices of the named joints, without unknown ones."""
        return [self._slots[name] for name in names if name in self._slots]

    def merge(
        self, configuration: Array, names: Sequence[str], positions: Array, strict: bool
    ) -> Array:
        """Return a copy of a configuration with the named positions (rad, m) in it.

        Raises ConfigurationError if names and positions differ in number or a number is not
        finite, and, if ``strict``, UnknownNameError for a joint of another robot.
        """
        if len(names) != len(positions):
            raise ConfigurationError(f"{len(names)} names, but {len(positions)} positions")
        merged = configuration.copy()
        for name, value in zip(names, positions, strict=True):
            slot = self._slots.get(name)
            if slot is not None:
                merged[slot] = value
            elif strict and name not in self._placeless:
                raise UnknownNameError("joint", name, self._slots, f"robot '{self._tree.name}'")
        return self._tree.configuration(merged)


class CurrentState:
    """The state from joint-state messages, with a history of HISTORY seconds. Thread-safe.

    Joints without a message are at home.
    """

    def __init__(self, tree: RigidBodyTree, named: NamedPositions) -> None:
        self._named = named
        self._names = tree.position_names
        self._kinds = tree.compiled().position_kinds
        self._states: deque[tuple[float, Array]] = deque()  # by their stamps, s
        self._lock = threading.Lock()
        self.configuration = tree.home_configuration()  # the last one; do not modify it
        self._arrivals = np.full(len(self.configuration), -np.inf)  # s, of time.monotonic()
        self.is_known = False  # whether an update was received

    def stale(self, slots: Iterable[int], seconds: float) -> list[str]:
        """Return the names of positions without an update for some seconds."""
        since = time.monotonic() - seconds
        return [self._names[slot] for slot in slots if self._arrivals[slot] < since]

    def update(self, names: Sequence[str], positions: Array, stamp: float, arrival: float) -> None:
        """Apply a message's positions; raises ConfigurationError, without changes, if invalid.

        ``stamp`` is the time of measurement (s), ``arrival`` that of reception (time.monotonic()).
        """
        slots = self._named.slots(names)
        if not slots:
            return  # nothing of this robot
        with self._lock:
            self.configuration = self._named.merge(
                self.configuration, names, positions, strict=False
            )
            self._arrivals[slots] = arrival
            self.is_known = True
            self._store(stamp)

    def knows(self, slots: Iterable[int]) -> bool:
        """Return whether all positions at these indices have been updated."""
        return all(self._arrivals[slot] > -np.inf for slot in slots)

    def _store(self, stamp: float) -> None:
        states = self._states
        if states and stamp < states[-1][0] - HISTORY:
            states.clear()  # time jumped back: the simulation was restarted
        while states and states[-1][0] >= stamp:  # late states of another sender
            states.pop()
        states.append((stamp, self.configuration))
        while states[0][0] < stamp - HISTORY:
            states.popleft()

    @property
    def latest(self) -> float | None:
        """The last stamp (s), None before the first update."""
        with self._lock:
            return self._states[-1][0] if self._states else None

    def at(self, stamp: float) -> tuple[Array, float]:
        """Return the configuration at a time (s), and its distance to the nearest state (s).

        It is interpolated between two states; before the first and after the last one it is
        that state's.
        """
        with self._lock:
            states = list(self._states)
        if not states:
            return self.configuration, 0.0
        if stamp >= states[-1][0]:
            return states[-1][1], stamp - states[-1][0]
        if stamp <= states[0][0]:
            return states[0][1], states[0][0] - stamp
        # Imported here: nodes without such requests start without kernels.
        from rigid_tree_kinematics.kinematics.topology import between, difference

        after = next(k for k in range(len(states) - 1, -1, -1) if states[k - 1][0] <= stamp)
        (begin, a), (end, b) = states[after - 1], states[after]
        change = difference(self._kinds, a, b)
        return between(self._kinds, a, change, (stamp - begin) / (end - begin)), 0.0
