"""Finding processes, and keeping a launch alive."""
# ruff: noqa: N802 (the real names)

import sys

from launch.actions import ExecuteProcess

from .proc_lookup import NO_CMD_ARGS, NoMatchingProcessException, resolveProcesses

__all__ = ["NO_CMD_ARGS", "KeepAliveProc", "NoMatchingProcessException", "resolveProcesses"]

_SCRIPT = """
import signal
signal.signal(signal.SIGINT, lambda number, frame: exit(0))
while True:
    signal.pause()
"""


def KeepAliveProc() -> ExecuteProcess:
    """Return a process that does nothing until it is interrupted, then ends cleanly."""
    return ExecuteProcess(cmd=[sys.executable, "-c", _SCRIPT])
