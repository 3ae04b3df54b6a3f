"""Launch arguments on a command line."""

from __future__ import annotations

from collections.abc import Iterable


def parse_launch_arguments(launch_arguments: Iterable[str]) -> list[tuple[str, str]]:
    """Return names and values from texts ``name:=value``; of equal names the last one wins.

    Raises RuntimeError for a text of another form.
    """
    parsed: dict[str, str] = {}
    for argument in launch_arguments:
        name, separator, value = argument.partition(":=")
        if not (name and separator and value):
            raise RuntimeError(
                f"launch argument '{argument}' does not have the form '<name>:=<value>'"
            )
        parsed[name] = value
    return list(parsed.items())
