"""``ros2 interface``."""

from __future__ import annotations

import argparse
import re
import sys

from ros2cli.interface_types import all_interfaces, interface_path
from ros2cli.verbs import add_verb, verb_group

KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}
# A field's type at the start of a line, without array bounds: "pkg/Name" or "Name".
NESTED_TYPE = re.compile(r"(?:(?P<package>[a-z]\w*)/)?(?P<name>[A-Z]\w*)(?:\[[^\]]*\])?\s+\w")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    listing = add_verb(group, "list", "Print the installed interfaces", list_interfaces)
    for kind, title in KINDS.items():
        listing.add_argument(
            f"-{kind[0]}",
            f"--only-{kind}s",
            dest="kinds",
            action="append_const",
            const=kind,
            help=f"Print {title.lower()}; may be joined with the others",
        )
    show = add_verb(group, "show", "Print the definition of an interface", show_interface)
    show.add_argument(
        "type", help="An interface (e.g. 'std_msgs/msg/String'); '-' reads it from stdin"
    )
    comments = show.add_mutually_exclusive_group()
    comments.add_argument(
        "--all-comments",
        action="store_true",
        help="Keep the comments of contained interfaces, too",
    )
    comments.add_argument(
        "--no-comments", action="store_true", help="Leave out comments and empty lines"
    )


def list_interfaces(args: argparse.Namespace) -> None:
    """Print the installed interfaces."""
    for kind in args.kinds or KINDS:
        print(f"{KINDS[kind]}:")
        for name in all_interfaces(kind):
            print(f"    {name}")


def show_interface(args: argparse.Namespace) -> str | None:
    """Print the definition of an interface with those that it contains."""
    name = sys.stdin.readline().strip() if args.type == "-" else args.type
    try:
        _show(name, not args.no_comments, args.all_comments, 0)
    except (ValueError, LookupError) as error:
        return str(error)
    return None


def _show(name: str, comments: bool, nested_comments: bool, level: int) -> None:
    package = name.split("/")[0]
    for line in interface_path(name).read_text(encoding="utf-8").splitlines():
        text = line.rstrip() if comments else line.split("#")[0].strip()
        if text:
            print("\t" * level + text)
        elif comments:
            print()
        if nested := NESTED_TYPE.match(line):
            _show(
                f"{nested['package'] or package}/msg/{nested['name']}",
                nested_comments,
                nested_comments,
                level + 1,
            )
