"""Runs launch descriptions for the tests, in this process or in a child process."""

import contextlib
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity, LaunchService
from launch.actions import ExecuteProcess, GroupAction, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO

FIXTURES = Path(__file__).with_name("launch_fixtures")
_TIMEOUT = 180.0  # s


def run(entities: Iterable[LaunchDescriptionEntity]) -> tuple[int, LaunchContext]:
    """Run entities until they finish; return the exit code and the context."""
    service = LaunchService()
    service.include_launch_description(LaunchDescription(list(entities)))
    return service.run(), service.context


def output_of(
    process: ExecuteProcess, *others: LaunchDescriptionEntity, in_group: bool = False
) -> tuple[str, str]:
    """Run a process after other entities, optionally in a group; return its stdout and stderr."""
    written: dict[bool, bytes] = {True: b"", False: b""}

    def keep(event: ProcessIO) -> None:
        written[event.from_stdout] += event.text

    watch = OnProcessIO(target_action=process, on_stdout=keep, on_stderr=keep)
    entities = [*others, process]
    exit_code, _ = run(
        [RegisterEventHandler(watch), *([GroupAction(entities)] if in_group else entities)]
    )
    assert exit_code == 0
    return written[True].decode(), written[False].decode()


def install(prefix: Path, package: str, executable: str = "", text: str = "") -> None:
    """Create a package in the ament index of a prefix, optionally with an executable."""
    marker = prefix / "share/ament_index/resource_index/packages" / package
    program = prefix / "lib" / package / (executable or "none")
    for folder in (marker.parent, program.parent, prefix / "share" / package):
        folder.mkdir(parents=True)
    marker.touch()
    if executable:
        program.write_text(text)
        program.chmod(0o755)


def note(notes: list, value: object) -> OpaqueFunction:
    """Return an action that appends a value, or the result of a function of the context."""
    return OpaqueFunction(
        function=lambda context: notes.append(value(context) if callable(value) else value)
    )


class LaunchProcess:
    """A launch file that runs in its own session, like in its own terminal."""

    def __init__(self, launch_file: Path, *arguments: str) -> None:
        # Without a terminal, the real command also sends Ctrl-C's signal to its processes, which
        # have it already: the second one may come while they end.
        self._terminal, stdin = pty.openpty()
        self.process = subprocess.Popen(
            ["ros2", "launch", str(launch_file), *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        os.close(stdin)
        self.output = ""
        self._arrived = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._arrived:
                self.output += line
                self._arrived.notify_all()

    def wait_for(self, text: str) -> None:
        """Wait until a text appears in the output."""
        with self._arrived:
            arrived = self._arrived.wait_for(lambda: text in self.output, _TIMEOUT)
        assert arrived, f"'{text}' never came; the output is:\n{self.output}"

    def interrupt(self) -> None:
        """Send SIGINT to the process group, like Ctrl-C."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self) -> int:
        """Wait for the exit; return the exit code."""
        returncode = self.process.wait(_TIMEOUT)
        self._reader.join(_TIMEOUT)
        return returncode

    def close(self) -> None:
        """Wait for the exit, and close the terminal."""
        self.process.wait(_TIMEOUT)
        os.close(self._terminal)


@contextlib.contextmanager
def launched(launch_file: Path, *arguments: str) -> Iterator[LaunchProcess]:
    """Run a launch file; remaining processes are killed at the end."""
    launch = LaunchProcess(launch_file, *arguments)
    try:
        yield launch
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(launch.process.pid, signal.SIGKILL)
        launch.close()


def is_running(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
