"""Assertions on exit codes and output of processes."""

from ..util.proc_lookup import NO_CMD_ARGS
from .assert_exit_codes import (
    EXIT_OK,
    EXIT_SIGINT,
    EXIT_SIGKILL,
    EXIT_SIGQUIT,
    EXIT_SIGSEGV,
    assertExitCodes,
)
from .assert_output import (
    assertInStderr,
    assertInStdout,
    assertInStream,
    assertSequentialStdout,
)

__all__ = [
    "EXIT_OK",
    "EXIT_SIGINT",
    "EXIT_SIGKILL",
    "EXIT_SIGQUIT",
    "EXIT_SIGSEGV",
    "NO_CMD_ARGS",
    "assertExitCodes",
    "assertInStderr",
    "assertInStdout",
    "assertInStream",
    "assertSequentialStdout",
]
