"""The output of the processes under test; PYTEST_DONT_REWRITE."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import re
import threading
from typing import Any

from launch.actions import ExecuteProcess
from launch.events.process import ProcessIO

from .processes import NoMatchingProcessException, resolve_processes

_ANSI_ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class ActiveIoHandler:
    """What processes write: safe between threads, and a test can wait for it."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._sync_lock = threading.Condition()
        self._by_action: dict[ExecuteProcess, list[ProcessIO]] = {}

    def track(self, action: ExecuteProcess) -> None:
        """Note a process, though it has not written anything yet."""
        with self._sync_lock:
            self._by_action.setdefault(action, [])

    def append(self, process_io: ProcessIO) -> None:
        """Add output of a process."""
        with self._sync_lock:
            self._by_action.setdefault(process_io.action, []).append(process_io)
            self._sync_lock.notify_all()

    def processes(self) -> list[ExecuteProcess]:
        """Return the actions of the processes."""
        with self._sync_lock:
            return list(self._by_action)

    def __getitem__(self, action: ExecuteProcess) -> list[ProcessIO]:
        """Return the output of one process."""
        with self._sync_lock:
            return list(self._by_action[action])

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Assert that the output arrives in time; see waitFor."""
        assert self.waitFor(*args, **kwargs), "the output did not come in time"

    def waitFor(
        self,
        expected_output: str,
        process: ExecuteProcess | str | None = None,
        *,
        timeout: float = 10,
        stream: str = "stderr",
    ) -> bool:
        """Wait up to ``timeout`` seconds for a text and return whether it arrived.

        Raises an Exception after a vain wait for a process that was never started.
        """

        def arrived() -> bool:
            try:
                actions = resolve_processes(self, process)
            except NoMatchingProcessException:
                return False
            return any(expected_output in self.__text(action, stream) for action in actions)

        with self._sync_lock:
            success = self._sync_lock.wait_for(arrived, timeout=timeout)
        if not success:
            resolve_processes(self, process)
        return success

    def __text(self, action: ExecuteProcess, stream: str) -> str:
        written = (io.text.decode() for io in self[action] if getattr(io, f"from_{stream}"))
        return _ANSI_ESCAPE.sub("", "".join(written).replace("\r\n", "\n"))
