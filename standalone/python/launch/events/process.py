"""Events of processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rigid_tree_stand_in import missing_name

from .._bases import Event

if TYPE_CHECKING:
    from ..actions import ExecuteProcess

__getattr__ = missing_name(__name__)


class _ProcessEvent(Event):
    """Base of process events, with the process's action, name and command."""

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


class ProcessExited(_ProcessEvent):
    """A process has exited; a negative return code is a signal's number."""

    returncode: int


class ProcessIO(_ProcessEvent):
    """A process wrote output."""

    text: bytes
    from_stdout = from_stderr = False


class ProcessStdout(ProcessIO):
    """A process wrote to stdout."""

    from_stdout = True


class ProcessStderr(ProcessIO):
    """A process wrote to stderr."""

    from_stderr = True
