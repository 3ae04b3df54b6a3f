"""A child process in its own session, controlled by an asyncio loop.

The child is the leader of a process group. Signals to the group also reach its children, so none
of them survives the launch.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import signal
from collections.abc import Callable, Sequence
from typing import Any

OutputCallback = Callable[[int, bytes], None]  # file descriptor (1 or 2) and bytes
_DRAIN_TIME = 0.5  # s, for output in the pipes; only remaining children keep them open longer
_POLL_INTERVAL = 0.05  # s, between checks of a process group, which has no exit event
_FOR_GROUP = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGKILL)


class ProcessGroup:
    """A running command and its children; use ``start``."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        stdin: int,
        outputs: dict[int, int],
        on_output: OutputCallback,
    ) -> None:
        self._process = process
        self._stdin = stdin
        self._outputs = outputs  # our ends of stdout (1) and stderr (2), while they are open
        self._on_output = on_output
        self._at_end = asyncio.Event()  # stdout and stderr together
        self._loop = asyncio.get_running_loop()
        for fd, source in outputs.items():
            self._loop.add_reader(source, self._read, fd)

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
            **dict(zip(("stdin", "stdout", "stderr"), child_ends, strict=True)),
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
        outputs = {fd: read_end for fd, (read_end, _) in enumerate(channels, start=1)}
        return cls(process, stdin_write, outputs, on_output)

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
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._at_end.wait(), _DRAIN_TIME)
        return returncode

    def send_signal(self, signal_number: int) -> None:
        """Send a signal: terminating ones to the group, others to the process."""
        with contextlib.suppress(ProcessLookupError):  # already exited
            if signal_number in _FOR_GROUP:
                os.killpg(self.pid, signal_number)
            elif self.returncode is None:
                os.kill(self.pid, signal_number)

    def is_alive(self) -> bool:
        """Return whether the process or a child in its group is running."""
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    async def end(self, timeout: float) -> None:
        """Terminate the group by SIGTERM, and after ``timeout`` seconds by SIGKILL."""
        self.send_signal(signal.SIGTERM)
        deadline = self._loop.time() + timeout
        while self.is_alive() and self._loop.time() < deadline:
            await asyncio.sleep(_POLL_INTERVAL)
        self.send_signal(signal.SIGKILL)
        await self._process.wait()

    def close(self) -> None:
        """Close the pipes."""
        for fd in tuple(self._outputs):
            self._close_output(fd)
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def _read(self, fd: int) -> None:
        try:
            data = os.read(self._outputs[fd], 65536)
        except OSError:  # a pseudo-terminal without a process gives EIO instead of the end of file
            data = b""
        if data:
            self._on_output(fd, data)
        else:
            self._close_output(fd)

    def _close_output(self, fd: int) -> None:
        source = self._outputs.pop(fd)
        self._loop.remove_reader(source)
        os.close(source)
        if not self._outputs:
            self._at_end.set()
