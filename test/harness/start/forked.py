"""Nodes in processes that are forked after the imports.

A node's imports take a second of processor time, more than most tests of it. Tests of startup and
exit (test/launch, test/nodes/common/test_process.py) start fresh processes.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

IMPORTED = [
    "ik_server",
    "interactive_target",
    "joint_state_source",
    "move_group",
    "move_robot",
    "robot_host",
    "robot_simulator",
    "rrt_planner",
    "servo_node",
    "tree_state_publisher",
    "web_viewer",
]  # without libqi, which starts threads at import


def _program(name: str) -> EntryPoint:
    (point,) = entry_points(group="console_scripts", name=name)
    return point


_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([_program(name).module for name in IMPORTED])


class Fork:
    """A forked program with the used part of ``subprocess.Popen``'s interface."""

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
        log.write_text("")  # exists immediately
        arguments = (list(command), log, dict(environment))
        self._process = _context.Process(target=_run, args=arguments)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        code = self.poll()
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired("a forked program", timeout)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _run(command: list[str], log: Path, environment: dict[str, str]) -> None:
    """Run the entry point of a command."""
    output = os.open(log, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = command
    sys.exit(_program(command[0]).load()())
