"""Launches with wrong arguments, of any package's launch files."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.processes import left_behind, run
from harness.start.launching import launched

TIMEOUT = 180.0  # s
TAKEN = "in use"  # of a port


def _refused(words: Sequence[str], folder: Path | None = None) -> str:
    """Return the output of a launch that must fail and leave no process."""
    ended = run("ros2", "launch", *words, cwd=folder)
    output = ended.stdout + ended.stderr
    assert ended.returncode == 1, (words, output)
    assert not left_behind()
    return output


def check_misspelt(words: Sequence[str], meant: str) -> None:
    """Launch with a wrong argument's name: the message has the right one."""
    output = _refused(words)
    (name,) = [word.partition(":=")[0] for word in words if ":=" in word]
    assert f"no argument '{name}'; did you mean '{meant}'?" in output, words
    assert "process started" not in output, words


def check_wrong_value(words: Sequence[str], why: str, folder: Path | None = None) -> None:
    """Launch with a wrong value: one line says why, and no process is left."""
    output = _refused(words, folder)
    assert why in output, (why, output)
    process = next(line for line in output.splitlines() if why in line).partition("]")[0]
    # Another node may be interrupted while it imports its modules.
    own = [line for line in output.splitlines() if line.startswith(process)]
    assert "Traceback" not in "".join(own), (words, output)


@contextmanager
def taken_port() -> Iterator[int]:
    """Listen on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def check_failed_start(launch_file: str, arguments: Any, words: str, log: Path) -> None:
    """Launch a node that cannot start: it says why, then the launch ends."""
    with launched(launch_file, log, **arguments) as launch:
        assert launch.wait(TIMEOUT) == 1, launch.output
    lines = launch.output.splitlines()
    (why,) = [line for line in lines if words in line]
    (end,) = [line for line in lines if "has failed: see its message above" in line]
    assert lines.index(why) < lines.index(end)
    # rclpy itself may be interrupted in Future.__init__, and then prints one of Future.__del__.
    process = why.partition("]")[0]
    assert not [line for line in lines if line.startswith(process) and "Traceback" in line]
    assert "failed to terminate" not in launch.output
