"""Verbs of a command, each with its function and arguments."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Argument = tuple[tuple[str, ...], dict[str, Any]]  # of add_argument
Verb = tuple[Callable[[argparse.Namespace], Any], str, Sequence[Argument]]


def argument(*names: str, **options: Any) -> Argument:
    """Return an argument, with the options of ``ArgumentParser.add_argument``."""
    return names, options


SPIN_TIME = argument(
    "--spin-time",
    type=float,
    default=0.5,
    help="Time for the discovery of other nodes, in seconds",
)
SHOW_TYPES = argument("-t", "--show-types", action="store_true", help="Print the types as well")


def add_verbs(command: argparse.ArgumentParser, verbs: Mapping[str, Verb]) -> None:
    """Add verbs, each with its function, description and arguments."""
    group = command.add_subparsers(
        title="Verbs", metavar=f"<verb>, explained by `{command.prog} <verb> -h`"
    )
    for name, (run, description, arguments) in verbs.items():
        parser = group.add_parser(name, help=description, description=description)
        parser.set_defaults(run=run)
        for names, options in arguments:
            parser.add_argument(*names, **options)


def print_names(names_and_types: Sequence[tuple[str, Sequence[str]]], show_types: bool) -> None:
    """Print names, with their types if requested."""
    for name, types in names_and_types:
        print(f"{name} [{', '.join(types)}]" if show_types else name)
