"""The verbs of a command and the arguments that several of them share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

Run = Callable[[argparse.Namespace], "int | str | None"]


def verb_group(command: argparse.ArgumentParser) -> Any:
    """Return the group of a command's verbs."""
    return command.add_subparsers(
        title="Verbs", metavar=f"<verb>, explained by `{command.prog} <verb> -h`"
    )


def add_verb(group: Any, name: str, description: str, run: Run) -> argparse.ArgumentParser:
    """Add a verb and return its parser."""
    parser = group.add_parser(name, help=description, description=description)
    parser.set_defaults(run=run)
    return parser


def positive_float(text: str) -> float:
    """Read a number above zero."""
    value = float(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return value


def add_show_types(parser: argparse.ArgumentParser, thing: str) -> None:
    """Add ``-t``, which every list of the graph knows."""
    parser.add_argument(
        "-t", "--show-types", action="store_true", help=f"Print the type next to each {thing}"
    )


def print_names(names_and_types: list[tuple[str, list[str]]], args: argparse.Namespace) -> None:
    """Print a list of the graph, with types if ``-t`` asks for them."""
    for name, types in names_and_types:
        print(f"{name} [{', '.join(types)}]" if args.show_types else name)
