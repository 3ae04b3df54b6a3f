"""Events of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rigid_tree_stand_in import missing_name

from .._bases import Event

if TYPE_CHECKING:
    from ..actions import ExecuteProcess

__all__ = ["ProcessExited", "ProcessIO", "ProcessStarted", "ProcessStderr", "ProcessStdout"]
__getattr__ = missing_name(__name__)


class _ProcessEvent(Event):
    """Something that a process did: its action, its name and how it was started."""

    action: ExecuteProcess
    cmd: list[str]
    cwd: str | None
    env: dict[str, str] | None
    pid: int

    def __init__(self, *, name: str, **details: Any) -> None:
        self.process_name = name
        vars(self).update(details)


class ProcessStarted(_ProcessEvent):
    """A process has started."""

    name = "launch.events.process.ProcessStarted"


class ProcessExited(_ProcessEvent):
    """A process has ended; a negative return code is that of a signal."""

    name = "launch.events.process.ProcessExited"
    returncode: int


class ProcessIO(_ProcessEvent):
    """A process wrote something."""

    name = "launch.events.process.ProcessIO"
    text: bytes
    from_stdout = from_stderr = False


class ProcessStdout(ProcessIO):
    """A process wrote to stdout."""

    name = "launch.events.process.ProcessStdout"
    from_stdout = True


class ProcessStderr(ProcessIO):
    """A process wrote to stderr."""

    name = "launch.events.process.ProcessStderr"
    from_stderr = True
