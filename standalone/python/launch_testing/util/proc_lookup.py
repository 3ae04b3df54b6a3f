"""Finding processes by action or by name."""
# ruff: noqa: N802, N818 (the real names)

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from launch.actions import ExecuteLocal

NO_CMD_ARGS = object()  # as cmd_args: only a process without arguments matches


class ProcessRecord(Protocol):
    """What keeps information on processes: a ProcInfoHandler or an IoHandler."""

    def processes(self) -> Iterable[Any]:
        """Return the actions of the processes."""


class NoMatchingProcessException(Exception):
    """No process matches, or none that matches has done anything yet."""


def resolveProcesses(
    info_obj: ProcessRecord,
    *,
    process: ExecuteLocal | str | None = None,
    cmd_args: str | Sequence[str] | object | None = None,
    strict_proc_matching: bool = True,
) -> list[Any]:
    """Return the actions meant: all (None), this one, or those with the text in their names.

    ``cmd_args`` limits a match by name to processes with these arguments (or NO_CMD_ARGS).
    Raises NoMatchingProcessException if there is none, and an Exception if a strict match by name
    is ambiguous.
    """
    known = list(info_obj.processes())
    if process is None:
        if not known:
            raise NoMatchingProcessException("nothing is known of any process")
        return known
    if isinstance(process, ExecuteLocal):
        if process not in known:
            raise NoMatchingProcessException(f"nothing is known of process {_describe(process)}")
        return [process]
    if not isinstance(process, str):
        raise TypeError(f"a process is given as its action or its name, not as {type(process)}")
    if isinstance(cmd_args, str):
        cmd_args = [cmd_args]
    matches = [action for action in known if _matches(action, process, cmd_args)]
    if matches and not (strict_proc_matching and len(matches) > 1):
        return matches
    names = ", ".join(sorted(_describe(action) for action in known))
    if matches:
        raise Exception(
            f"'{process}' with arguments '{cmd_args}' fits several of the processes: {names}"
        )
    raise NoMatchingProcessException(
        f"'{process}' with arguments '{cmd_args}' fits none of the processes: {names}"
    )


def _matches(action: ExecuteLocal, name: str, cmd_args: Any) -> bool:
    details = action.process_details
    if details is None or name not in details["name"]:
        return False
    arguments = details["cmd"][1:]
    if cmd_args is NO_CMD_ARGS:
        return not arguments
    return cmd_args is None or all(argument in arguments for argument in cmd_args)


def _describe(action: ExecuteLocal) -> str:
    details = action.process_details
    if details is None:
        return "(not started)"
    return f"{details['name']} {' '.join(details['cmd'][1:])}"
