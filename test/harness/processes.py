"""Processes of tests, and waiting for conditions."""

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

# Of this process's descendants, also of those whose parents have exited.
MARK = f"{os.getpid()}_{time.monotonic_ns()}"
os.environ["TESTS_OF_PROCESS"] = MARK
PACKAGE = "rigid_tree_kinematics"
TIMEOUT = 180.0  # s, bound for what never happens


def restore_sigint() -> None:
    """Take SIGINT, which a shell's background jobs ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def fresh(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> Any:
    """Start a command in a new process."""
    with log.open("w") as output:
        return subprocess.Popen(
            command, env=environment, stdout=output, stderr=output, preexec_fn=restore_sigint
        )


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; return its exit code and what it wrote."""
    return subprocess.run(
        [str(word) for word in command],
        **{"capture_output": True, "text": True, "timeout": 5.0 * TIMEOUT, **options},
    )


class Process:
    """A program in its own process with its output; ``begin`` starts it."""

    def __init__(
        self,
        command: Sequence[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
        begin: Callable[[Sequence[str], Path, Mapping[str, str]], Any] = fresh,
    ) -> None:
        self._log = log
        self._was_killed = False
        self._process = begin(command, log, {**os.environ, **(environment or {})})
        # For fixtures that fail during setup.
        atexit.register(self._process.kill)

    @property
    def output(self) -> str:
        return self._log.read_text()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def resident_kilobytes(self) -> int:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    @property
    def crashed(self) -> bool:
        """Whether it was ended by a signal other than ``kill``."""
        code = self._process.poll()
        return code is not None and code < 0 and not self._was_killed

    def send_signal(self, number: int) -> None:
        self._was_killed |= number == signal.SIGKILL and self.is_running
        self._process.send_signal(number)

    def interrupt(self) -> None:
        """Send SIGINT."""
        self.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """Signal the process and wait; return its exit code."""
        if self.is_running:
            self.send_signal(how)
        return self.wait()

    def wait(self, timeout: float = TIMEOUT) -> int:
        """Wait for the exit; return the exit code."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not exit within {timeout} s\n{self.output}") from None


def compilations(folder: Path) -> list[Path]:
    """Return the processes that compile kernels into a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has exited
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
            if b"compile_kernels" in command and os.fsencode(folder) in environment:
                found.append(process)
    return found


def wait_until(condition: Callable[[], Any], what: str, timeout: float = TIMEOUT) -> Any:
    """Return a condition's value once it is true; fail after the timeout."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)
    return value


def left_behind() -> dict[int, str]:
    """Return the processes of the package that tests started and whose parents have exited.

    By number, with their command lines.
    """
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            is_own = PACKAGE in command and MARK.encode() in (folder / "environ").read_bytes()
            if is_own and not _is_below(int(folder.name)):
                found[int(folder.name)] = command
        except OSError:  # it has exited, or is another user's
            continue
    return found


def _is_below(pid: int) -> bool:
    """Return whether a process is this one or a descendant."""
    while pid not in (os.getpid(), 0):
        # After the name, which may contain anything: state, number of the parent, ...
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return pid != 0


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
