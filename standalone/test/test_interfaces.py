"""The interface files are those of their owners, field for field and constant for constant."""

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
    """Return what ROS 2's own parser reads: a message, request and response, or an action's."""
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


def test_the_facts_tell_of_every_file():
    assert set(FILES) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_a_file_says_what_its_owner_says(name):
    upstream = "\n---\n".join("\n".join(section) for section in FACTS[name]["sections"])
    ours = [members(section) for section in sections(name, FILES[name].read_text())]
    assert ours == [members(section) for section in sections(name, upstream)]


@pytest.mark.skipif("ROS_DISTRO" in os.environ, reason="built from here without ROS 2 only")
@pytest.mark.parametrize("name", FACTS)
def test_what_was_built_has_its_owners_type_hash(name):
    description = Path(get_package_share_directory(name.split("/")[0]), *name.split("/")[1:])
    hashes = json.loads(description.with_suffix(".json").read_text())["type_hashes"]
    assert {"type_name": name, "hash_string": FACTS[name]["hash"]} in hashes
