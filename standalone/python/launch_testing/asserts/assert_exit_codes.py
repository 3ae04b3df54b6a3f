"""Assertions on exit codes."""
# ruff: noqa: N802 (the real names)

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from launch.actions import ExecuteLocal

from ..util import resolveProcesses

EXIT_OK = 0
EXIT_SIGINT = 130
EXIT_SIGQUIT = 131
EXIT_SIGKILL = 137
EXIT_SIGSEGV = 139


def assertExitCodes(
    proc_info: Any,
    allowable_exit_codes: Iterable[int] = (EXIT_OK,),
    process: ExecuteLocal | str | None = None,
    cmd_args: Any = None,
    *,
    strict_proc_matching: bool = True,
) -> None:
    """Assert that the processes (all by default) ended with one of the exit codes."""
    allowed = list(allowable_exit_codes)
    for code in allowed:
        assert isinstance(code, int), f"exit codes are int, not {code!r}"
    actions = resolveProcesses(
        proc_info, process=process, cmd_args=cmd_args, strict_proc_matching=strict_proc_matching
    )
    for info in (proc_info[action] for action in actions):
        assert info.returncode in allowed, (
            f"Proc {info.process_name} exited with code {info.returncode}"
        )
