"""Records of the processes under test; PYTEST_DONT_REWRITE."""
# ruff: noqa: N802 (the real names)

import re
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, ProcessIO

_ANSI_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_Entry = TypeVar("_Entry")
Process = ExecuteProcess | str | None


class NoMatchingProcessException(Exception):  # noqa: N818 (the real name)
    """No process matches, or no matching process has done anything yet."""


class _Record(Generic[_Entry]):
    """Thread-safe records of each process, with waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._by_action: dict[ExecuteProcess, _Entry] = {}

    def __getitem__(self, action: ExecuteProcess) -> _Entry:
        with self._changed:
            return self._by_action[action]

    def resolve(self, process: Process = None) -> list[ExecuteProcess]:
        """Return all actions (None), this one, or the one whose name contains a text.

        Raises NoMatchingProcessException if none matches, and an Exception if several do.
        """
        with self._changed:
            names: dict[ExecuteProcess, str] = {
                action: (action.process_details or {})["name"] for action in self._by_action
            }
        if process is None:
            matches = list(names)
        elif isinstance(process, ExecuteProcess):
            matches = [process] if process in names else []
        else:
            matches = [action for action, name in names.items() if process in name]
        listed = f"of the processes: {', '.join(sorted(names.values()))}"
        if isinstance(process, str) and len(matches) > 1:
            raise Exception(f"'{process}' matches several {listed}")
        if not matches:
            raise NoMatchingProcessException(f"'{process}' matches none {listed}")
        return matches

    def _wait(
        self, process: Process, timeout: float, wanted: Callable[[ExecuteProcess], bool]
    ) -> bool:
        """Wait up to ``timeout`` seconds until one of the processes satisfies the predicate."""

        def happened() -> bool:
            try:
                return any(wanted(action) for action in self.resolve(process))
            except NoMatchingProcessException:
                return False

        with self._changed:
            return self._changed.wait_for(happened, timeout=timeout)


class ActiveIoHandler(_Record[list[ProcessIO]]):
    """The output of the processes."""

    def track(self, action: ExecuteProcess) -> None:
        """Record a process that has not written anything yet."""
        with self._changed:
            self._by_action.setdefault(action, [])

    def append(self, process_io: ProcessIO) -> None:
        """Add output of a process."""
        with self._changed:
            self._by_action.setdefault(process_io.action, []).append(process_io)
            self._changed.notify_all()

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Assert that the output arrives in time; see waitFor."""
        assert self.waitFor(*args, **kwargs), "the output did not arrive in time"

    def waitFor(
        self,
        expected_output: str,
        process: Process = None,
        *,
        timeout: float = 10,
        stream: str = "stderr",
    ) -> bool:
        """Wait up to ``timeout`` seconds for a text and return whether it arrived.

        Raises an Exception if the process was not started in that time.
        """

        def arrived(action: ExecuteProcess) -> bool:
            written = [io.text.decode() for io in self[action] if getattr(io, f"from_{stream}")]
            return expected_output in _ANSI_ESCAPE.sub("", "".join(written).replace("\r\n", "\n"))

        success = self._wait(process, timeout, arrived)
        if not success:
            self.resolve(process)
        return success


class ActiveProcInfoHandler(_Record[Any]):
    """The last start or exit of each process."""

    def append(self, process_info: Any) -> None:
        """Add a start or an exit."""
        with self._changed:
            self._by_action[process_info.action] = process_info
            self._changed.notify_all()

    def process_names(self) -> list[str]:
        """Return the names of the processes."""
        with self._changed:
            return [event.process_name for event in self._by_action.values()]

    def assertWaitForStartup(self, process: ExecuteProcess | str, *, timeout: float = 10) -> None:
        """Assert that a process starts within ``timeout`` seconds."""
        started = self._wait(process, timeout, lambda action: True)
        assert started, f"process '{process}' did not start within {timeout} s"

    def assertWaitForShutdown(self, process: ExecuteProcess | str, *, timeout: float = 10) -> None:
        """Assert that a process ends within ``timeout`` seconds."""
        ended = self._wait(process, timeout, lambda act: isinstance(self[act], ProcessExited))
        assert ended, f"process '{process}' did not end within {timeout} s"
