"""A child process in its own session, controlled by an asyncio loop.

The child is the leader of a process group. Signals to the group also reach its children, so none
of them survives the launch.
"""

from __future__ import annotations

import asyncio
import os
import pty
import signal
from collections.abc import Callable, Sequence
from typing import Any

OutputCallback = Callable[[int, bytes], None]  # file descriptor (1 or 2) and bytes
_DRAIN_TIME = 0.5  # s, for output in the pipes; only remaining children keep them open longer
_POLL_INTERVAL = 0.05  # s, between checks of a process group, which has no exit event
_SIGNALS_FOR_GROUP = {
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGKILL,
}


class ProcessGroup:
    """A running command and its children."""

    def __init__(self, process: asyncio.subprocess.Process, stdin: int) -> None:
        """Wrap a started process; use ``start``."""
        self._process = process
        self._stdin = stdin
        self._readers: list[_Reader] = []

    @classmethod
    async def start(
        cls,
        cmd: Sequence[str],
        *,
        cwd: str | None,
        env: dict[str, str] | None,
        shell: bool,
        emulate_tty: bool,
        on_output: OutputCallback,
    ) -> ProcessGroup:
        """Start a command; with ``emulate_tty`` its output goes to pseudo-terminals.

        Raises OSError if the command cannot be run.
        """
        stdin_read, stdin_write = os.pipe()
        channels = [pty.openpty() if emulate_tty else os.pipe() for _ in range(2)]
        child_ends = [stdin_read, *(write_end for _, write_end in channels)]
        options: dict[str, Any] = {
            "stdin": child_ends[0],
            "stdout": child_ends[1],
            "stderr": child_ends[2],
            "cwd": cwd,
            "env": env,
            "start_new_session": True,
        }
        try:
            if shell:
                process = await asyncio.create_subprocess_shell(" ".join(cmd), **options)
            else:
                process = await asyncio.create_subprocess_exec(*cmd, **options)
        except BaseException:
            for own_end in (stdin_write, *(read_end for read_end, _ in channels)):
                os.close(own_end)
            raise
        finally:
            for child_end in child_ends:
                os.close(child_end)
        group = cls(process, stdin_write)
        group._readers = [
            _Reader(read_end, fd, on_output) for fd, (read_end, _) in enumerate(channels, 1)
        ]
        return group

    @property
    def pid(self) -> int:
        """The ID of the process and of its group."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code (negative: a signal's number), None while the process runs."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for the exit and the last output; return the exit code."""
        returncode = await self._process.wait()
        await asyncio.wait([reader.at_end for reader in self._readers], timeout=_DRAIN_TIME)
        return returncode

    def send_signal(self, signal_number: int) -> None:
        """Send a signal: terminating ones to the group, others to the process."""
        try:
            if signal_number in _SIGNALS_FOR_GROUP:
                os.killpg(self.pid, signal_number)
            elif self.returncode is None:
                os.kill(self.pid, signal_number)
        except ProcessLookupError:
            pass  # it has exited

    def is_alive(self) -> bool:
        """Return whether the process or a child in its group is running."""
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    async def end(self, timeout: float) -> None:
        """Terminate the group by SIGTERM, and after ``timeout`` seconds by SIGKILL."""
        loop = asyncio.get_running_loop()
        self.send_signal(signal.SIGTERM)
        deadline = loop.time() + timeout
        while self.is_alive() and loop.time() < deadline:
            await asyncio.sleep(_POLL_INTERVAL)
        self.send_signal(signal.SIGKILL)
        await self._process.wait()

    def close(self) -> None:
        """Close the pipes."""
        for reader in self._readers:
            reader.close()
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1


class _Reader:
    """Passes data of a file descriptor on."""

    def __init__(self, source: int, fd: int, on_output: OutputCallback) -> None:
        self._source = source
        self._fd = fd
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self.at_end: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(source, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._source, 65536)
        except OSError:  # a pseudo-terminal without a process gives EIO instead of the end of file
            data = b""
        if data:
            self._on_output(self._fd, data)
        else:
            self.close()

    def close(self) -> None:
        if not self.at_end.done():
            self._loop.remove_reader(self._source)
            os.close(self._source)
            self.at_end.set_result(None)
