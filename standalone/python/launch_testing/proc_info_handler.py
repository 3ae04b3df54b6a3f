"""Starts and ends of the processes under test; PYTEST_DONT_REWRITE."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from launch.actions import ExecuteLocal
from launch.events.process import ProcessExited, RunningProcessEvent

from .util import NoMatchingProcessException, resolveProcesses


class ProcInfoHandler:
    """The last start or end of each process."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._proc_info: dict[ExecuteLocal, Any] = {}

    def append(self, process_info: RunningProcessEvent) -> None:
        """Add a start or an end."""
        self._proc_info[process_info.action] = process_info

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the last events of all processes."""
        return iter(list(self._proc_info.values()))

    def processes(self) -> list[Any]:
        """Return the actions of the processes."""
        return list(self._proc_info)

    def process_names(self) -> list[str]:
        """Return the names of the processes."""
        return [event.process_name for event in self]

    def __getitem__(self, key: ExecuteLocal | str) -> Any:
        """Return the last event of one process, given by its action or a part of its name."""
        if not isinstance(key, str):
            return self._proc_info[key]
        for event in self:
            if key in event.process_name:
                return event
        raise KeyError(key)


class ActiveProcInfoHandler:
    """Starts and ends while the tests run: safe between threads, and one can wait."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._sync_lock = threading.Condition()
        self._proc_info_handler = ProcInfoHandler()

    @property
    def proc_event(self) -> threading.Condition:
        """The condition that is notified of starts and ends."""
        return self._sync_lock

    def append(self, process_info: RunningProcessEvent) -> None:
        """Add a start or an end."""
        with self._sync_lock:
            self._proc_info_handler.append(process_info)
            self._sync_lock.notify_all()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the last events of all processes."""
        with self._sync_lock:
            return iter(self._proc_info_handler)

    def processes(self) -> list[Any]:
        """Return the actions of the processes."""
        with self._sync_lock:
            return self._proc_info_handler.processes()

    def process_names(self) -> list[str]:
        """Return the names of the processes."""
        with self._sync_lock:
            return self._proc_info_handler.process_names()

    def __getitem__(self, key: ExecuteLocal | str) -> Any:
        """Return the last event of one process, given by its action or a part of its name."""
        with self._sync_lock:
            return self._proc_info_handler[key]

    def assertWaitForShutdown(
        self, process: ExecuteLocal | str, cmd_args: Any = None, *, timeout: float = 10
    ) -> None:
        """Assert that a process ends within ``timeout`` seconds."""
        ended = self.__wait(process, cmd_args, timeout, lambda e: isinstance(e, ProcessExited))
        assert ended, f"process '{process}' did not end within {timeout} s"

    def assertWaitForStartup(
        self, process: ExecuteLocal | str, cmd_args: Any = None, *, timeout: float = 10
    ) -> None:
        """Assert that a process starts within ``timeout`` seconds."""
        started = self.__wait(process, cmd_args, timeout, lambda _: True)
        assert started, f"process '{process}' did not start within {timeout} s"

    def __wait(
        self, process: Any, cmd_args: Any, timeout: float, wanted: Callable[[Any], bool]
    ) -> bool:
        def happened() -> bool:
            try:
                action = resolveProcesses(
                    self._proc_info_handler, process=process, cmd_args=cmd_args
                )[0]
            except NoMatchingProcessException:
                return False
            return wanted(self._proc_info_handler[action])

        with self._sync_lock:
            return self._sync_lock.wait_for(happened, timeout=timeout)
