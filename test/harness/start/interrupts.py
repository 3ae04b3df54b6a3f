"""Ctrl-C in programs that start, and in those that run."""

import signal
import subprocess
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ament_index_python.packages import get_package_prefix

from harness.network import Network
from harness.processes import TIMEOUT, wait_until

PAUSES = (0.0, 0.02, 0.1)  # s


def _path_of(package: str, program: str) -> Path:
    return Path(get_package_prefix(package)) / "lib" / package / program


def _is_python(command_line: Path) -> bool:
    # It is empty for a moment where one program replaces another.
    return b"python" in command_line.read_bytes().split(b"\0")[0]


def check_ctrl_c_at_start(package: str, program: str, *arguments: str) -> None:
    """Interrupt a program at several moments of its start: it ends, by the signal or with code 0.

    Python prints a traceback while the program still imports.
    """
    for seconds in (*(0.04 * k for k in range(6)), 0.4, 0.8):
        process = subprocess.Popen(
            [_path_of(package, program), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        # In its first millisecond, before it is Python, it keeps no signals back.
        wait_until(partial(_is_python, Path(f"/proc/{process.pid}/cmdline")), "Python")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        text, _ = process.communicate(timeout=TIMEOUT)
        quiet = process.returncode in (0, -signal.SIGINT)
        assert quiet or "KeyboardInterrupt" in text, (seconds, process.returncode, text)


def check_ctrl_c_twice(network: Network, package: str, command: Sequence[str], ready: str) -> None:
    """Interrupt a running program as a terminal does, and its launch too: it ends once."""
    path = _path_of(package, command[0])
    started = [network.start_program([str(path), *command[1:]]) for _ in PAUSES]
    for process in started:
        network.log_line(process, ready)
    time.sleep(0.5)  # the line above comes a moment before the end of the start
    for process, pause in zip(started, PAUSES, strict=True):
        process.interrupt()
        time.sleep(pause)
        assert process.end() == 0, process.output
        assert "Traceback" not in process.output
