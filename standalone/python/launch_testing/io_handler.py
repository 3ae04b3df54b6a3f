"""The output of the processes under test; PYTEST_DONT_REWRITE."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from launch.events.process import ProcessIO

from .asserts.assert_output import ExpectedOutput, OutputFilter, assertInStream
from .util import NoMatchingProcessException, resolveProcesses


class IoHandler:
    """What processes wrote, in order of time."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._sequence: list[ProcessIO] = []
        self._by_name: dict[str, list[ProcessIO]] = {}

    def track(self, process_name: str) -> None:
        """Note a process, though it has not written anything yet."""
        self._by_name.setdefault(process_name, [])

    def append(self, process_io: ProcessIO) -> None:
        """Add what a process wrote."""
        self._sequence.append(process_io)
        self._by_name.setdefault(process_io.process_name, []).append(process_io)

    def __iter__(self) -> Iterator[ProcessIO]:
        """Iterate over the output of all processes."""
        return iter(self._sequence)

    def processes(self) -> list[Any]:
        """Return the actions of the processes that wrote something."""
        return [events[0].action for events in self._by_name.values() if events]

    def process_names(self) -> list[str]:
        """Return the names of the known processes."""
        return list(self._by_name)

    def __getitem__(self, key: Any) -> list[ProcessIO]:
        """Return the output of one process, given by its action or its full name."""
        name = key if isinstance(key, str) else key.process_details["name"]
        return list(self._by_name[name])


class ActiveIoHandler:
    """What processes write while the tests run: safe between threads, and one can wait."""

    def __init__(self) -> None:
        """Create an empty record."""
        self._sync_lock = threading.Condition()
        self._io_handler = IoHandler()

    @property
    def io_event(self) -> threading.Condition:
        """The condition that is notified of new output."""
        return self._sync_lock

    def track(self, process_name: str) -> None:
        """Note a process, though it has not written anything yet."""
        with self._sync_lock:
            self._io_handler.track(process_name)
            self._sync_lock.notify_all()

    def append(self, process_io: ProcessIO) -> None:
        """Add what a process wrote."""
        with self._sync_lock:
            self._io_handler.append(process_io)
            self._sync_lock.notify_all()

    def __iter__(self) -> Iterator[ProcessIO]:
        """Iterate over the output so far."""
        with self._sync_lock:
            return iter(list(self._io_handler))

    def processes(self) -> list[Any]:
        """Return the actions of the processes that wrote something."""
        with self._sync_lock:
            return self._io_handler.processes()

    def process_names(self) -> list[str]:
        """Return the names of the known processes."""
        with self._sync_lock:
            return self._io_handler.process_names()

    def __getitem__(self, key: Any) -> list[ProcessIO]:
        """Return the output of one process, given by its action or its full name."""
        with self._sync_lock:
            return self._io_handler[key]

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Assert that the output arrives in time; see waitFor."""
        success = self.waitFor(*args, **kwargs)
        assert success, "the output did not come in time"

    def waitFor(
        self,
        expected_output: ExpectedOutput,
        process: Any = None,
        cmd_args: Any = None,
        *,
        strict_proc_matching: bool = True,
        output_filter: OutputFilter | None = None,
        timeout: float = 10,
        strip_ansi_escape_sequences: bool = True,
        stream: str = "stderr",
    ) -> bool:
        """Wait up to ``timeout`` seconds for output and return whether it arrived.

        Raises an Exception after a vain wait for a process that never wrote anything.
        """

        def arrived() -> bool:
            try:
                assertInStream(
                    self._io_handler,
                    expected_output,
                    process,
                    cmd_args,
                    output_filter=output_filter,
                    strict_proc_matching=strict_proc_matching,
                    strip_ansi_escape_sequences=strip_ansi_escape_sequences,
                    stream=stream,
                )
            except (NoMatchingProcessException, AssertionError):
                return False
            return True

        with self._sync_lock:
            success = self._sync_lock.wait_for(arrived, timeout=timeout)
        if not success:
            resolveProcesses(self, process=process, cmd_args=cmd_args, strict_proc_matching=False)
        return success
