"""Whether the robot walks, according to the calls that were sent and to its own reports."""

from __future__ import annotations

import threading
from enum import Flag, auto

from rigid_tree_kinematics.nao.guard.walk_guard import WalkGuard


class WalkEffect(Flag):
    """What a call does to the walk; moveTo, which blocks until arrival, does both."""

    NONE = 0
    STARTS = auto()  # the robot may walk from the moment the call is sent
    ENDS = auto()  # the robot no longer walks when the call has returned


class WalkState:
    """Tracks every call that affects the walk, and informs the guard; thread-safe.

    A walk that is replaced by another one makes its call return early; that return says nothing
    about the walk that continues. Walks are therefore numbered in the order in which they were
    sent, and a call ends only a walk that was not sent after it.
    """

    def __init__(self, guard: WalkGuard) -> None:
        self._guard = guard
        guard.on_stop = self.ended
        self._lock = threading.Lock()
        self._latest = 0  # number of the walk that was sent last
        self._is_walking = False

    @property
    def is_walking(self) -> bool:
        """Whether a walk was sent whose end is not known."""
        return self._is_walking

    @property
    def latest(self) -> int:
        """Number of the last walk; 0 before the first one."""
        return self._latest

    def start(self) -> None:
        """Prepare the guard."""
        self._guard.start()

    def sent(self, effect: WalkEffect) -> int:
        """Note that a call is about to be sent; return the number of the latest walk.

        A walk is guarded from now on. Raises NaoError if it cannot be.
        """
        with self._lock:
            if effect & WalkEffect.STARTS:
                self._guard.watch(self._latest + 1)
                self._latest += 1
                self._is_walking = True
            return self._latest

    def succeeded(self, effect: WalkEffect, latest: int) -> None:
        """Note that a call, for which ``sent`` returned ``latest``, returned without an error."""
        if effect & WalkEffect.ENDS:
            self.ended(latest)

    def ended(self, latest: int) -> None:
        """Note that walk ``latest`` has ended, unless another one was sent since."""
        with self._lock:
            if latest == self._latest and self._is_walking:
                self._is_walking = False
                self._guard.release()

    def abandon(self) -> None:
        """Have the guard stop the robot, which this process cannot reach."""
        with self._lock:
            if self._is_walking:
                self._guard.abandon()

    def close(self) -> None:
        """Release the guard, which stops the robot if it still walks."""
        with self._lock:
            self._guard.close()
