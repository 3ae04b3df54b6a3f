"""Starts and ends of the processes under test; PYTEST_DONT_REWRITE."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, RunningProcessEvent

from .processes import NoMatchingProcessException, resolve_processes


class ActiveProcInfoHandler:
    """The last start or end of each process: safe between threads, and a test can wait."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._sync_lock = threading.Condition()
        self._by_action: dict[ExecuteProcess, Any] = {}

    def append(self, process_info: RunningProcessEvent) -> None:
        """Add a start or an end."""
        with self._sync_lock:
            self._by_action[process_info.action] = process_info
            self._sync_lock.notify_all()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the last events of all processes."""
        with self._sync_lock:
            return iter(list(self._by_action.values()))

    def processes(self) -> list[ExecuteProcess]:
        """Return the actions of the processes."""
        with self._sync_lock:
            return list(self._by_action)

    def process_names(self) -> list[str]:
        """Return the names of the processes."""
        return [event.process_name for event in self]

    def __getitem__(self, action: ExecuteProcess) -> Any:
        """Return the last event of one process."""
        with self._sync_lock:
            return self._by_action[action]

    def assertWaitForStartup(self, process: ExecuteProcess | str, *, timeout: float = 10) -> None:
        """Assert that a process starts within ``timeout`` seconds."""
        started = self.__wait(process, timeout, lambda _: True)
        assert started, f"process '{process}' did not start within {timeout} s"

    def assertWaitForShutdown(self, process: ExecuteProcess | str, *, timeout: float = 10) -> None:
        """Assert that a process ends within ``timeout`` seconds."""
        ended = self.__wait(process, timeout, lambda event: isinstance(event, ProcessExited))
        assert ended, f"process '{process}' did not end within {timeout} s"

    def __wait(self, process: Any, timeout: float, wanted: Callable[[Any], bool]) -> bool:
        def happened() -> bool:
            try:
                (action,) = resolve_processes(self, process)
            except NoMatchingProcessException:
                return False
            return wanted(self[action])

        with self._sync_lock:
            return self._sync_lock.wait_for(happened, timeout=timeout)
