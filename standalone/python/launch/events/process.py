"""Events of processes."""

from __future__ import annotations

import signal as signal_module
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..event import Event

if TYPE_CHECKING:
    from ..actions import ExecuteLocal

    ProcessMatcher = Callable[[ExecuteLocal], bool]

__all__ = [
    "ProcessExited",
    "ProcessIO",
    "ProcessStarted",
    "ProcessStderr",
    "ProcessStdin",
    "ProcessStdout",
    "ProcessTargetedEvent",
    "RunningProcessEvent",
    "ShutdownProcess",
    "SignalProcess",
    "matches_executable",
    "matches_name",
    "matches_pid",
]


class RunningProcessEvent(Event):
    """Something a process did."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(
        self,
        *,
        action: ExecuteLocal,
        name: str,
        cmd: list[str],
        cwd: str | None,
        env: dict[str, str] | None,
        pid: int,
    ) -> None:
        """Create the event of a process from its action and details."""
        self.__action = action
        self.__name = name
        self.__cmd = cmd
        self.__cwd = cwd
        self.__env = env
        self.__pid = pid

    @property
    def action(self) -> ExecuteLocal:
        """The action that runs the process."""
        return self.__action

    @property
    def process_name(self) -> str:
        """The process's name, unique within the launch."""
        return self.__name

    @property
    def cmd(self) -> list[str]:
        """The command line."""
        return self.__cmd

    @property
    def cwd(self) -> str | None:
        """The working directory, None for launch's own."""
        return self.__cwd

    @property
    def env(self) -> dict[str, str] | None:
        """The environment."""
        return self.__env

    @property
    def pid(self) -> int:
        """The process's number."""
        return self.__pid


class ProcessStarted(RunningProcessEvent):
    """A process has started."""

    name = "launch.events.process.ProcessStarted"


class ProcessExited(RunningProcessEvent):
    """A process has ended."""

    name = "launch.events.process.ProcessExited"

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        """Create the event; a negative return code is that of a signal."""
        super().__init__(**kwargs)
        self.__returncode = returncode

    @property
    def returncode(self) -> int:
        """The exit code, or minus the number of the signal that ended the process."""
        return self.__returncode


class ProcessIO(RunningProcessEvent):
    """A process wrote or was written something."""

    name = "launch.events.process.ProcessIO"

    def __init__(self, *, text: bytes, fd: int, **kwargs: Any) -> None:
        """Create the event of bytes on a file descriptor (0 to 2)."""
        super().__init__(**kwargs)
        self.__text = text
        self.__fd = fd

    @property
    def text(self) -> bytes:
        """The bytes."""
        return self.__text

    @property
    def from_stdin(self) -> bool:
        """Whether the bytes went to stdin."""
        return self.__fd == 0

    @property
    def from_stdout(self) -> bool:
        """Whether the bytes came from stdout."""
        return self.__fd == 1

    @property
    def from_stderr(self) -> bool:
        """Whether the bytes came from stderr."""
        return self.__fd == 2


class ProcessStdin(ProcessIO):
    """A process was written something."""

    name = "launch.events.process.ProcessStdin"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        """Create the event of bytes to stdin."""
        super().__init__(text=text, fd=0, **kwargs)


class ProcessStdout(ProcessIO):
    """A process wrote to stdout."""

    name = "launch.events.process.ProcessStdout"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        """Create the event of bytes from stdout."""
        super().__init__(text=text, fd=1, **kwargs)


class ProcessStderr(ProcessIO):
    """A process wrote to stderr."""

    name = "launch.events.process.ProcessStderr"

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        """Create the event of bytes from stderr."""
        super().__init__(text=text, fd=2, **kwargs)


class ProcessTargetedEvent(Event):
    """Something that processes are asked to do."""

    name = "launch.events.process.ProcessTargetedEvent"

    def __init__(self, *, process_matcher: ProcessMatcher) -> None:
        """Create the event for the processes whose action matches."""
        self.__process_matcher = process_matcher

    @property
    def process_matcher(self) -> ProcessMatcher:
        """Which processes are meant."""
        return self.__process_matcher


class ShutdownProcess(ProcessTargetedEvent):
    """Processes are asked to end: SIGINT, then SIGTERM, then SIGKILL."""

    name = "launch.events.process.ShutdownProcess"


class SignalProcess(ProcessTargetedEvent):
    """Processes are sent a signal."""

    name = "launch.events.process.SignalProcess"

    def __init__(
        self, *, signal_number: str | signal_module.Signals, process_matcher: ProcessMatcher
    ) -> None:
        """Create the event for a signal, given as such or by its name."""
        super().__init__(process_matcher=process_matcher)
        if not isinstance(signal_number, (str, signal_module.Signals)):
            raise TypeError(
                "'signal_number' of SignalProcess takes a name or a signal.Signals, not "
                f"{signal_number!r} ({type(signal_number)})"
            )
        self.__signal = signal_number

    @property
    def signal(self) -> str | signal_module.Signals:
        """The signal as it was given."""
        return self.__signal

    @property
    def signal_name(self) -> str:
        """The signal's name."""
        return self.__signal if isinstance(self.__signal, str) else self.__signal.name


def matches_pid(pid: int) -> ProcessMatcher:
    """Return a function that is true for the process with this number."""
    return lambda action: _detail(action, "pid") == pid


def matches_name(name: str) -> ProcessMatcher:
    """Return a function that is true for the process with this name."""
    return lambda action: _detail(action, "name") == name


def matches_executable(executable: str) -> ProcessMatcher:
    """Return a function that is true for processes whose program's path ends like this."""
    return lambda action: (_detail(action, "cmd") or [""])[0].endswith(executable)


def _detail(action: ExecuteLocal, key: str) -> Any:
    return (action.process_details or {}).get(key)
