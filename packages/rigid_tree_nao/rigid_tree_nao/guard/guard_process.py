"""The process that stops a walking robot when the bridge dies, hangs or is suspended.

Its arguments are the bridge's process number and the number of killed guards before it;
WALK_GUARD_ROBOT has the arguments of NaoConnection as JSON. It reads lines from its standard
input: "walking N" as a heartbeat, or "idle". It answers each, and reports when it has stopped
walk N.
"""

import contextlib
import json
import os
import select
import sys
import time
from collections.abc import Callable
from functools import partial

from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.guard.walk_guard import IDLE, LEASE, READY, ROBOT, STOPPED, WALKING
from rigid_tree_nao.robot import NaoConnection

PATIENCE = 20.0  # s for reaching a robot that has to be stopped
REPLY_PATIENCE = 1.0  # s for its reply
# A command sent just before the bridge died may reach the robot after the first stop.
STOPS, STOP_PERIOD = 4, 0.1  # s


class GuardProcess:
    """Monitors the bridge through a pipe until the bridge closes it.

    Args:
        pipe: file descriptor of the pipe's end to read from.
        answers: file descriptor that gets the answers.
        replaces: whether it replaces a killed guard, which may have known of a walk.
    """

    def __init__(self, pipe: int, answers: int, replaces: bool) -> None:
        self._pipe = pipe
        self._answers = answers
        self._rest = b""  # of an incomplete line
        self._may_walk = replaces  # until the first message of the bridge
        self._walk = 0  # number of the present walk; 0: none

    def run(self) -> None:
        """Stop the robot when it walks without a heartbeat of the bridge."""
        connection = NaoConnection(**json.loads(os.environ[ROBOT]))
        connection.start()
        self._answer(READY)
        while True:
            lines = self._lines(LEASE if self._walk else None)
            if lines:
                self._read_commands(lines)
                self._answer(READY)
                continue
            walk, self._walk = self._walk, 0
            has_ended = lines is None
            if walk or (has_ended and self._may_walk):
                reason = "has ended" if has_ended else f"has been silent for {LEASE:g} s"
                failure = stop(connection, partial(self._knows_later_walk, walk))
                outcome = f"it could not be stopped: {failure}" if failure else "it was stopped"
                report(f"the bridge {reason} while the robot walks: {outcome}")
                self._answer(READY if failure else f"{STOPPED} {walk}")
            if has_ended:
                return

    def _read_commands(self, lines: list[str]) -> None:
        self._may_walk = False
        for line in lines:
            command, _, number = line.partition(" ")
            assert command in (WALKING, IDLE)
            self._walk = int(number) if command == WALKING else 0

    def _knows_later_walk(self, walk: int) -> bool:
        """Return whether the bridge is alive again and has announced a walk after ``walk``."""
        if lines := self._lines(0.0):
            self._read_commands(lines)
        return self._walk > walk

    def _lines(self, patience: float | None) -> list[str] | None:
        """Return new lines; an empty list after ``patience`` (s), None at the end of the pipe."""
        while select.select([self._pipe], [], [], patience)[0]:
            read = os.read(self._pipe, 1 << 16)
            if not read:
                return None
            *lines, self._rest = (self._rest + read).split(b"\n")
            if lines:
                return [line.decode() for line in lines]
        return []

    def _answer(self, line: str) -> None:
        # The next reading finds the end of the bridge.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._answers, f"{line}\n".encode())


def stop(connection: NaoConnection, is_over: Callable[[], bool]) -> str:
    """Stop the robot; return the reason for a failure, or an empty string.

    ``is_over`` reports that the bridge has announced another walk, which must not be stopped.
    """
    deadline = time.monotonic() + PATIENCE
    done = 0
    while not is_over():
        try:
            connection.ask("ALMotion", "stopMove", timeout=REPLY_PATIENCE)
            done += 1
        except NaoError as error:
            if time.monotonic() > deadline:
                return str(error)
        if done == STOPS:
            break
        time.sleep(STOP_PERIOD if done else STOP_PERIOD / 4)
    return "" if done else "the bridge has sent another walk"


def report(sentence: str) -> None:
    """Write to the log, if it still exists."""
    with contextlib.suppress(OSError):
        print(f"walk_guard: {sentence}", file=sys.stderr, flush=True)


def main() -> None:
    """Run the process."""
    GuardProcess(sys.stdin.fileno(), sys.stdout.fileno(), replaces=sys.argv[2] != "0").run()
    os._exit(0)  # libqi's threads outlive the interpreter


if __name__ == "__main__":
    main()
