"""The interface files have the same fields and constants as upstream."""

import json
import os
from pathlib import Path

import pytest
from ament_index_python import get_package_share_directory
from rosidl_adapter.parser import (
    MessageSpecification,
    parse_action_string,
    parse_message_string,
    parse_service_string,
)

HERE = Path(__file__).parent
INTERFACES = HERE.parent / "interfaces"
FACTS = json.loads((HERE / "upstream_interfaces.json").read_text())["types"]
FILES = {
    str(file.relative_to(INTERFACES).with_suffix("")): file
    for kind in ("msg", "srv", "action")
    for file in INTERFACES.glob(f"*/{kind}/*.{kind}")
}


def sections(name: str, text: str) -> list[MessageSpecification]:
    """Return an interface's parsed messages: one, request and response, or an action's three."""
    package, kind, short = name.split("/")
    if kind == "msg":
        return [parse_message_string(package, short, text)]
    if kind == "srv":
        service = parse_service_string(package, short, text)
        return [service.request, service.response]
    action = parse_action_string(package, short, text)
    return [action.goal, action.result, action.feedback]


def members(message: MessageSpecification) -> tuple[list[str], set[str]]:
    return [str(field) for field in message.fields], {str(c) for c in message.constants}


def test_upstream_data_covers_every_file():
    assert set(FILES) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_file_equals_upstream(name):
    upstream = "\n---\n".join("\n".join(section) for section in FACTS[name]["sections"])
    ours = [members(section) for section in sections(name, FILES[name].read_text())]
    assert ours == [members(section) for section in sections(name, upstream)]


@pytest.mark.skipif("ROS_DISTRO" in os.environ, reason="built from here without ROS 2 only")
@pytest.mark.parametrize("name", FACTS)
def test_built_type_has_upstream_hash(name):
    description = Path(get_package_share_directory(name.split("/")[0]), *name.split("/")[1:])
    hashes = json.loads(description.with_suffix(".json").read_text())["type_hashes"]
    assert {"type_name": name, "hash_string": FACTS[name]["hash"]} in hashes
