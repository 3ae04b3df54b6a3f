"""The bridge's side of the guard processes that stop a walking robot.

NAO keeps walking at the last commanded velocity, even if the client that commanded it has died:
ALMotion has no timeout, and NAOqi ends no task when a connection closes. Two redundant processes
then stop the robot, each with its own connection. The bridge sends them a heartbeat every BEAT
while the robot walks; without one for LEASE they stop it (``guard_process``). The bridge replaces
a guard that does not answer.

Each guard runs under a shell in its own session, which restarts a guard that is killed, even if
the bridge and both guards are killed at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto

from rigid_tree_nao.errors import NaoError

PROGRAM = "rigid_tree_nao.guard.guard_process"
GUARDS = 2
BEAT = 0.05  # s between two heartbeats while the robot walks
LEASE = 0.25  # s without a heartbeat after which a guard stops the robot
HUNG = 1.0  # s without an answer after which a guard is replaced
START_PATIENCE = 10.0  # s for a guard to start, on a busy machine
WALKING, IDLE, READY, STOPPED = "walking", "idle", "ready", "stopped"
STARTING = "starting"
ROBOT = "WALK_GUARD_ROBOT"  # in the environment
# Only the end of the pipe ends a guard, which must outlive the bridge and the terminal. An exit
# code above 128 means that a signal has ended it.
KEEPER = f"""
trap '' HUP INT TERM PIPE
exec 3<&0
(
  for killed in 0 1 2 3 4 5 6 7 8 9; do
    echo {STARTING} 2>/dev/null
    "$WALK_GUARD_PYTHON" -m "$WALK_GUARD_PROGRAM" "$WALK_GUARD_BRIDGE" $killed <&3
    [ $? -gt 128 ] || exit
  done
) <&3 &
"""


class WalkGuard:
    """Two guards, which are replaced when they die or do not respond.

    ``on_stop`` is called, in a thread of the guard, with the number of a walk that a guard has
    stopped while this process runs: because this process was suspended, or by ``abandon``.
    """

    def __init__(
        self,
        host: str,
        port: int,
        user: str = "",
        password: str = "",
    ) -> None:
        self._robot = {"host": host, "port": port, "user": user, "password": password}
        self.on_stop: Callable[[int], None] = lambda walk: None
        self._lock = threading.RLock()
        self._message = IDLE
        self._closed = False
        self._guards: list[_Guard] = []
        self._walks = threading.Event()  # heartbeats are due
        self._heartbeat = threading.Thread(
            target=self._send_heartbeats, name="walk guard", daemon=True
        )

    def start(self) -> None:
        """Start the guards' processes early, so the first walk does not wait for them."""
        with self._lock:
            if not self._guards and not self._closed:
                self._guards = [_Guard(self._robot, self) for _ in range(GUARDS)]
                self._heartbeat.start()

    def watch(self, number: int) -> None:
        """Guard walk ``number``: the robot is stopped when this process's heartbeat ends.

        Raises NaoError if no guard can be started: the walk must not start.
        """
        self.start()
        deadline = time.monotonic() + START_PATIENCE
        while not any(guard.is_ready for guard in self._guards):
            if self._closed or time.monotonic() > deadline:
                raise NaoError("the walk was rejected: no guard process can be started")
            with self._lock:
                self._guards = [g if g.runs else _Guard(self._robot, self) for g in self._guards]
            time.sleep(0.01)
        with self._lock:
            self._say(f"{WALKING} {number}")
            self._walks.set()

    def release(self) -> None:
        """Stop guarding: the robot is no longer stopped."""
        with self._lock:
            self._walks.clear()
            self._say(IDLE)

    def abandon(self) -> None:
        """Have the guards stop the robot: end the heartbeat of the current walk."""
        self._walks.clear()

    def close(self) -> None:
        """End the guards' processes, which first stop the robot if it walks."""
        with self._lock:
            self._closed = True
            self._walks.set()  # lets the thread end
            guards, self._guards = self._guards, []
        for guard in guards:
            guard.close()

    def _say(self, message: str) -> None:
        self._message = message
        for guard in self._guards:
            guard.say(message)

    def _send_heartbeats(self) -> None:
        """Send heartbeats to the guards; replace guards that do not respond."""
        while not self._closed:
            self._walks.wait()
            with self._lock:
                if self._walks.is_set():
                    self._say(self._message)
                for place, guard in enumerate(self._guards):
                    if guard.is_hung:
                        guard.kill()
                        self._guards[place] = _Guard(self._robot, self)
            time.sleep(BEAT)

    def _started(self, guard: _Guard) -> None:
        """Send the current state to a guard, possibly the replacement of a killed one."""
        with self._lock:
            if guard in self._guards:
                guard.say(self._message)


class _Guard:
    """One guard with its shell, and the thread that reads its responses."""

    def __init__(self, robot: dict[str, object], owner: WalkGuard) -> None:
        self._owner = owner
        self.runs = True
        self.is_ready = False
        self._unanswered = time.monotonic() + START_PATIENCE  # since when; 0.0: all is answered
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", KEEPER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ
            | {
                ROBOT: json.dumps(robot),
                "WALK_GUARD_PYTHON": sys.executable,
                "WALK_GUARD_PROGRAM": PROGRAM,
                "WALK_GUARD_BRIDGE": str(os.getpid()),
            },
            # Ctrl-C ends the bridge's process group, but not the guards.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._pipe = self._process.stdin.fileno()
        os.set_blocking(self._pipe, False)
        threading.Thread(target=self._listen, name="walk guard", daemon=True).start()

    @property
    def is_hung(self) -> bool:
        return bool(self._unanswered) and time.monotonic() - self._unanswered > HUNG

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self.close()

    def say(self, line: str) -> None:
        # A broken pipe: it was killed. A full one: it hangs. It is about to be replaced.
        with contextlib.suppress(BrokenPipeError, BlockingIOError, ValueError):
            self._unanswered = self._unanswered or time.monotonic()
            os.write(self._pipe, f"{line}\n".encode())

    def close(self) -> None:
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            command, _, number = line.decode().strip().partition(" ")
            self.is_ready = command != STARTING
            self._unanswered = 0.0 if self.is_ready else time.monotonic() + START_PATIENCE
            if not self.is_ready:
                self._owner._started(self)
            if command == STOPPED:
                self._owner.on_stop(int(number))
        self.runs = self.is_ready = False


class WalkEffect(Flag):
    """Effects of a call on the walk; moveTo, which blocks until arrival, has both."""

    NONE = 0
    STARTS = auto()  # the robot may walk from the moment the call is sent
    ENDS = auto()  # the robot no longer walks when the call has returned


@dataclass(frozen=True)
class WalkCall:
    """A call that was sent."""

    effect: WalkEffect
    latest: int  # number of the latest walk then
    overtakes: bool  # the robot may execute an earlier walk after it


class WalkState:
    """Tracks every call that affects the walk, and informs the guard; thread-safe.

    A walk that is replaced by another one makes its call return early; that return says nothing
    about the walk that continues. Walks are therefore numbered in the order of sending, and a call
    does not end a walk that was sent after it.

    The robot may execute calls in another order, unless one has returned before the next is sent.
    A call that is sent while a walk has not returned therefore ends nothing for certain; the robot
    has to be stopped again.
    """

    def __init__(self, guard: WalkGuard) -> None:
        self._guard = guard
        self.start = guard.start
        guard.on_stop = self.ended
        self._lock = threading.Lock()
        self.latest = 0  # number of the walk that was sent last; 0 before the first one
        self.is_walking = False  # a walk was sent whose end is not known
        self._pending = 0  # walks whose calls have not returned
        # The first call to end the latest walk that was sent before an earlier call returned.
        self._uncertain_end: WalkCall | None = None

    @property
    def has_pending(self) -> bool:
        """Whether a call that walks has not returned."""
        return self._pending > 0

    def sent(self, effect: WalkEffect) -> WalkCall:
        """Record that a call is about to be sent.

        A walk is guarded from now on. Raises NaoError if that fails.
        """
        with self._lock:
            overtakes = self._pending > 0
            if effect & WalkEffect.STARTS:
                self._guard.watch(self.latest + 1)
                self.latest += 1
                self._pending += 1
                self.is_walking = True
                self._uncertain_end = None
            call = WalkCall(effect, self.latest, overtakes)
            if overtakes and effect & WalkEffect.ENDS and self._uncertain_end is None:
                self._uncertain_end = call
            return call

    def returned(self, call: WalkCall, succeeded: bool) -> bool:
        """Record that a call has returned; return whether to stop the robot again."""
        if succeeded and call.effect & WalkEffect.ENDS and not call.overtakes:
            self.ended(call.latest)
        with self._lock:
            if call.effect & WalkEffect.STARTS:
                self._pending -= 1
            if not self.is_walking or self._uncertain_end is None:
                return False
            if self._pending:
                # A walk to a place returns at its end only: do not wait for that.
                return call is self._uncertain_end
            self._uncertain_end = None
            return True

    def ended(self, latest: int) -> None:
        """Record the end of walk ``latest``, unless another one was sent since."""
        with self._lock:
            if latest == self.latest and self.is_walking:
                self.is_walking = False
                self._guard.release()

    def abandon(self) -> None:
        """Have the guard stop the robot when this process cannot reach it."""
        with self._lock:
            if self.is_walking:
                self._guard.abandon()

    def close(self) -> None:
        """Close the guard, which stops the robot if it still walks."""
        with self._lock:
            self._guard.close()
