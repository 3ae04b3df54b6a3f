"""A robot and its current state: joint positions by name, from messages to configurations."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.common.robot_source import RobotDescription

Array = NDArray[np.float64]


class NamedPositions:
    """Puts positions that a message gives by name into configurations of one robot.

    Mimic and fixed joints have no place there: they may be named, as drivers do, and are left out.
    """

    def __init__(self, tree: RigidBodyTree) -> None:
        self._tree = tree
        self._slots = {name: slot for slot, name in enumerate(tree.position_names)}
        self._placeless = {joint.name for joint in tree.joints} - self._slots.keys()

    def slots(self, names: Sequence[str]) -> list[int]:
        """Return where those of the named joints are that have a place."""
        return [self._slots[name] for name in names if name in self._slots]

    def merge(
        self, configuration: Array, names: Sequence[str], positions: Array, strict: bool
    ) -> Array:
        """Return a copy of a configuration with the named positions (rad, m) in it.

        Raises ConfigurationError if names and positions do not fit together or a number is not
        finite, and UnknownNameError for a joint that the robot does not have if ``strict`` says
        so; otherwise that joint is somebody else's.
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
    """What joint-state messages have told; joints never heard of are at home. Thread-safe."""

    def __init__(self, tree: RigidBodyTree, named: NamedPositions) -> None:
        self._named = named
        self._names = tree.position_names
        self._lock = threading.Lock()
        self._configuration = tree.home_configuration()
        self._arrivals = np.full(len(self._configuration), -np.inf)  # s, of time.monotonic()
        self._is_known = False
        self.catch_up: Callable[[], None] = lambda: None  # makes the updates that are due
        self.keeps_all = False  # whether all updates count, not only the last of each sender

    @property
    def configuration(self) -> Array:
        """The last known configuration; not to be written to."""
        self.catch_up()
        return self._configuration

    @property
    def is_known(self) -> bool:
        """Whether any update has come."""
        self.catch_up()
        return self._is_known

    def stale(self, slots: Iterable[int], seconds: float) -> list[str]:
        """Return which of some positions, by their places, no update has told for so long (s)."""
        self.catch_up()
        since = time.monotonic() - seconds
        return [self._names[slot] for slot in slots if self._arrivals[slot] < since]

    def update(self, names: Sequence[str], positions: Array, stamp: float, arrival: float) -> None:
        """Take over a message's positions; ConfigurationError, and no change, if unusable.

        ``stamp`` is when they were measured, s; ``arrival`` when they came, by time.monotonic().
        """
        with self._lock:
            self._configuration = self._named.merge(
                self._configuration, names, positions, strict=False
            )
            self._arrivals[self._named.slots(names)] = arrival
            self._is_known = True
            self._keep(stamp)

    def _keep(self, stamp: float) -> None:
        """Take note of the new configuration; nothing more than the last is kept here."""


class Robot:
    """One robot, from its description to its replacement by another."""

    def __init__(self, description: RobotDescription) -> None:
        self.description = description
        self.tree = description.tree
        self.named = NamedPositions(self.tree)
        self.state = CurrentState(self.tree, self.named)

    def configuration(self, field: str, names: Sequence[str], positions: Array) -> Array:
        """Return named positions, the others from the current state.

        Raises ConfigurationError that names the message's field.
        """
        try:
            return self.named.merge(self.state.configuration, names, positions, strict=True)
        except ConfigurationError as error:
            raise ConfigurationError(f"{field}: {error}") from error
