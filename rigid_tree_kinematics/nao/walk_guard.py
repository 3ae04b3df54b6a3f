"""A second process that stops a walking robot when the first one dies.

NAO goes on walking with the last velocity it was given, also when who gave it has crashed or was
killed. The guard hangs on a pipe; when that closes without a word that the robot stands, it
connects to the robot itself and stops it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import IO

from rigid_tree_kinematics.nao.connection import RobotConnection
from rigid_tree_kinematics.nao.errors import NaoError

WALKING, STANDING = "walking", "standing"
PATIENCE = 20.0  # s that the guard tries to reach the robot


class WalkGuard:
    """Knows whether the robot walks until somebody stops it; starts its process at the first walk.

    Args:
        host: name or address of the robot.
        port: of its NAOqi.
        user: see RobotConnection.
        password: of that user.
    """

    def __init__(self, host: str, port: int, user: str = "", password: str = "") -> None:
        self._robot = {"host": host, "port": port, "user": user, "password": password}
        self._process: subprocess.Popen[str] | None = None
        self.is_walking = False

    def walks(self) -> None:
        """Note that the robot was told to walk."""
        if self._process is None:
            command = [sys.executable, "-m", __name__]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
            self._tell(json.dumps(self._robot))
        if not self.is_walking:
            self._tell(WALKING)
        self.is_walking = True

    def stands(self) -> None:
        """Note that the robot was stopped."""
        if self.is_walking:
            self._tell(STANDING)
        self.is_walking = False

    def close(self) -> None:
        """End the process; it stops the robot if that still walks."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _tell(self, word: str) -> None:
        if self._process is None or self._process.stdin is None:
            return
        try:
            self._process.stdin.write(word + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._process = None  # somebody ended it; the next walk starts another


def watch(pipe: IO[str]) -> str:
    """Wait for the pipe to close; stop the robot if it walks. Return what was done."""
    robot = json.loads(pipe.readline() or "null")
    word = STANDING
    for line in pipe:
        word = line.strip()
    if robot is None or word != WALKING:
        return ""
    connection = RobotConnection(**robot)
    connection.start()
    deadline = time.monotonic() + PATIENCE
    while not connection.state.is_connected and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        connection.ask("ALMotion", "stopMove", timeout=PATIENCE)
    except NaoError as error:
        return f"the bridge died, and the walking robot could not be stopped: {error}"
    return "the bridge died: the walking robot was stopped"


def main() -> None:
    """Run the guard's process."""
    # Ctrl-C reaches it too; it has to outlive the bridge.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    done = watch(sys.stdin)
    if done:
        print(f"walk_guard: {done}", file=sys.stderr, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
