"""Assertions on exit codes of processes."""
# ruff: noqa: N802 (the real names)

from collections.abc import Iterable
from typing import Any

from launch.actions import ExecuteProcess
from rigid_tree_stand_in import missing_name

__getattr__ = missing_name(__name__)
EXIT_OK = 0


def assertExitCodes(
    proc_info: Any,
    allowable_exit_codes: Iterable[int] = (EXIT_OK,),
    process: ExecuteProcess | str | None = None,
) -> None:
    """Assert that the processes (default: all) exited with one of the exit codes."""
    allowed = list(allowable_exit_codes)
    for info in (proc_info[action] for action in proc_info.resolve(process)):
        assert info.returncode in allowed, (
            f"Proc {info.process_name} exited with code {info.returncode}"
        )
