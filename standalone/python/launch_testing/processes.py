"""Finding processes by action or by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from launch.actions import ExecuteProcess


class ProcessRecord(Protocol):
    """What keeps information on processes: a ProcInfoHandler or an IoHandler."""

    def processes(self) -> Iterable[Any]:
        """Return the actions of the processes."""


class NoMatchingProcessException(Exception):  # noqa: N818 (the real name)
    """No process matches, or none that matches has done anything yet."""


def resolve_processes(
    record: ProcessRecord, process: ExecuteProcess | str | None = None
) -> list[Any]:
    """Return the actions meant: all (None), this one, or the one with the text in its name.

    Raises NoMatchingProcessException if there is none, and an Exception if several have the name.
    """
    known = list(record.processes())
    if process is None:
        matches = known
    elif isinstance(process, ExecuteProcess):
        matches = [process] if process in known else []
    else:
        matches = [action for action in known if process in action.process_details["name"]]
        if len(matches) > 1:
            raise Exception(f"'{process}' fits several of the processes: {_names(known)}")
    if not matches:
        raise NoMatchingProcessException(
            f"'{process}' fits none of the processes: {_names(known)}"
        )
    return matches


def _names(actions: Iterable[Any]) -> str:
    return ", ".join(sorted(action.process_details["name"] for action in actions))
