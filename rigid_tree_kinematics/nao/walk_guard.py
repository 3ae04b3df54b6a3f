"""A second process that stops a walking robot when the first one dies.

NAO keeps walking at the last commanded velocity even if the client that commanded it has crashed
or was killed. The guard reads a pipe from that client. If the pipe closes while the robot is noted
as walking, the guard connects to the robot itself and stops it.
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
from typing import IO

from rigid_tree_kinematics.nao.connection import RobotConnection
from rigid_tree_kinematics.nao.errors import NaoError

WALKING, STANDING = "walking", "standing"
PATIENCE = 20.0  # s for reaching the robot, and again for its reply


class WalkGuard:
    """The client's end of the guard, whose process starts at the first walk.

    A guard that is killed while the robot walks is replaced at once: what the new one has to know
    lies in its pipe before it has even started.

    Args:
        host: name or address of the robot.
        port: of its NAOqi.
        user: see RobotConnection.
        password: of that user.
    """

    def __init__(self, host: str, port: int, user: str = "", password: str = "") -> None:
        self._robot = {"host": host, "port": port, "user": user, "password": password}
        self._process: subprocess.Popen[str] | None = None
        self._state = STANDING
        self._lock = threading.RLock()

    def walks(self) -> None:
        """Have the robot stopped if this process ends before ``stands`` is called."""
        with self._lock:
            self._state = WALKING
            if self._process is None:
                self._start()
            else:
                self._send(WALKING)

    def stands(self) -> None:
        """Let the robot be if this process ends."""
        with self._lock:
            self._state = STANDING
            self._send(STANDING)

    def close(self) -> None:
        """End the guard's process; it stops the robot first if that walks."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None and process.stdin is not None:
                process.stdin.close()

    def _start(self) -> None:
        command = [sys.executable, "-m", __name__]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        self._send(json.dumps(self._robot))
        self._send(self._state)
        watching = threading.Thread(target=self._replace, args=(self._process,), daemon=True)
        watching.start()

    def _replace(self, process: subprocess.Popen[str]) -> None:
        """Wait for the end of a guard; start another one if this one was killed."""
        process.wait()
        with self._lock:
            if process is self._process:
                self._process = None
                was_killed = process.returncode < 0  # not so if it cannot run at all
                if was_killed and self._state == WALKING:
                    self._start()

    def _send(self, line: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        # A broken pipe: the guard was killed, and is about to be replaced.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


def watch(pipe: IO[str]) -> str:
    """Wait until the pipe closes; stop the robot if it walks.

    Args:
        pipe: a line with the arguments of RobotConnection as JSON, then lines of WALKING or
            STANDING.

    Returns what was done, as a sentence; empty if there was nothing to do.
    """
    robot = json.loads(pipe.readline() or "null")
    state = STANDING
    for line in pipe:
        state = line.strip()
    if robot is None or state != WALKING:
        return ""
    connection = RobotConnection(**robot)
    connection.start()
    deadline = time.monotonic() + PATIENCE
    while not connection.state.is_connected and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        connection.ask("ALMotion", "stopMove", timeout=PATIENCE)
    except NaoError as error:
        return f"the bridge ended and the walking robot could not be stopped: {error}"
    return "the bridge ended while the robot was walking: the robot was stopped"


def main() -> None:
    """Run the guard's process."""
    # Ctrl-C is sent to the whole process group; the guard has to outlive the bridge.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    done = watch(sys.stdin)
    if done:
        print(f"walk_guard: {done}", file=sys.stderr, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
