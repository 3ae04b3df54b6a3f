"""Events of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rigid_tree_stand_in import missing_name

from ..event import Event

if TYPE_CHECKING:
    from ..actions import ExecuteProcess

__all__ = [
    "ProcessExited",
    "ProcessIO",
    "ProcessStarted",
    "ProcessStderr",
    "ProcessStdout",
    "RunningProcessEvent",
]
__getattr__ = missing_name(__name__)


class RunningProcessEvent(Event):
    """Something that a process did: its action, its name and how it was started."""

    name = "launch.events.process.RunningProcessEvent"

    def __init__(
        self,
        *,
        action: ExecuteProcess,
        name: str,
        cmd: list[str],
        cwd: str | None,
        env: dict[str, str] | None,
        pid: int,
    ) -> None:
        """Create the event of a process from its action and details."""
        self.action = action
        self.process_name = name
        self.cmd = cmd
        self.cwd = cwd
        self.env = env
        self.pid = pid


class ProcessStarted(RunningProcessEvent):
    """A process has started."""

    name = "launch.events.process.ProcessStarted"


class ProcessExited(RunningProcessEvent):
    """A process has ended."""

    name = "launch.events.process.ProcessExited"

    def __init__(self, *, returncode: int, **kwargs: Any) -> None:
        """Create the event; a negative return code is that of a signal."""
        super().__init__(**kwargs)
        self.returncode = returncode


class ProcessIO(RunningProcessEvent):
    """A process wrote something."""

    name = "launch.events.process.ProcessIO"
    from_stdout = False
    from_stderr = False

    def __init__(self, *, text: bytes, **kwargs: Any) -> None:
        """Create the event of these bytes."""
        super().__init__(**kwargs)
        self.text = text


class ProcessStdout(ProcessIO):
    """A process wrote to stdout."""

    name = "launch.events.process.ProcessStdout"
    from_stdout = True


class ProcessStderr(ProcessIO):
    """A process wrote to stderr."""

    name = "launch.events.process.ProcessStderr"
    from_stderr = True
