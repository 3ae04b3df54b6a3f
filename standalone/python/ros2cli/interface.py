"""``ros2 interface``."""

from __future__ import annotations

import argparse
import re

from ros2cli.interface_types import interface_path
from ros2cli.verbs import add_verb, verb_group

# A field's type at the start of a line, without array bounds: "pkg/Name" or "Name".
NESTED_TYPE = re.compile(r"(?:(?P<package>[a-z]\w*)/)?(?P<name>[A-Z]\w*)(?:\[[^\]]*\])?\s+\w")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verb."""
    group = verb_group(parser)
    show = add_verb(group, "show", "Print the definition of an interface", show_interface)
    show.add_argument("type", help="An interface (e.g. 'std_msgs/msg/String')")


def show_interface(args: argparse.Namespace) -> str | None:
    """Print the definition of an interface, and of those that it contains without comments."""
    try:
        _show(args.type, 0)
    except (ValueError, LookupError) as error:
        return str(error)
    return None


def _show(name: str, level: int) -> None:
    package = name.split("/")[0]
    for line in interface_path(name).read_text(encoding="utf-8").splitlines():
        text = line.rstrip() if level == 0 else line.split("#")[0].strip()
        if text or level == 0:
            print("\t" * level + text)
        if nested := NESTED_TYPE.match(line):
            _show(f"{nested['package'] or package}/msg/{nested['name']}", level + 1)
