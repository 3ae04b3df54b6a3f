"""``ros2 interface``."""

import argparse
import re
from pathlib import Path

from ament_index_python import get_package_share_directory, get_resources

from ros2cli.verbs import Verb, argument

# A field's type at the start of a line, without array bounds: "pkg/Name" or "Name".
NESTED_TYPE = re.compile(r"(?:(?P<package>[a-z]\w*)/)?(?P<name>[A-Z]\w*)(?:\[[^\]]*\])?\s+\w")


def show_interface(args: argparse.Namespace) -> str | None:
    """Print the definition of an interface, and its nested types without comments."""
    try:
        _show(args.type, 0)
    except (ValueError, LookupError) as error:
        return str(error)
    return None


def _show(name: str, level: int) -> None:
    if name.count("/") != 2:
        raise ValueError(f"'{name}' does not have the form package/msg/Name")
    package, kind, type_name = name.split("/")
    if package not in get_resources("rosidl_interfaces"):
        raise LookupError(f"Unknown package '{package}'")
    path = Path(get_package_share_directory(package), kind, f"{type_name}.{kind}")
    if not path.is_file():
        raise LookupError(f"There is no interface file '{path}'")
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.rstrip() if level == 0 else line.split("#")[0].strip()
        if text or level == 0:
            print("\t" * level + text)
        if nested := NESTED_TYPE.match(line):
            _show(f"{nested['package'] or package}/msg/{nested['name']}", level + 1)


VERBS: dict[str, Verb] = {
    "show": (
        show_interface,
        "Print the definition of an interface",
        [argument("type", help="An interface (e.g. 'std_msgs/msg/String')")],
    )
}
