"""The page's parameters, and its end."""

import re

import pytest

from harness.start.interrupts import check_ctrl_c_twice
from harness.start.parameters import check_descriptions

CASES = [
    ({"port": 0, "host": "256.0.0.1"}, "host"),
    ({"port": 0, "package_paths": "/no/folder"}, "'/no/folder' is not a folder"),
    ({"port": 0, "robots": ["a", "b"], "frame_prefixes": ["a/", "b/", "c/"]}, "3 entries"),
]


@pytest.mark.parametrize(("given", "words"), CASES)
def test_bad_parameters_end_the_start_with_one_line(network, given, words):
    assert words in network.rejected("web_viewer", given)


def test_a_port_in_use_is_named(network):
    first = network.start("web_viewer", {"port": 0})
    address = network.until(lambda: re.search(r"localhost:(\d+)", first.output), "its address")
    second = network.start("web_viewer", {"port": int(address.group(1))})
    assert second.wait() == 1
    assert "web_port:=" in second.output


def test_every_parameter_has_a_description_and_every_number_a_range(network):
    check_descriptions(network, {"web_viewer": {"port": 0}})


def test_ctrl_c_in_a_terminal_comes_twice(network):
    command = ("web_viewer", "--ros-args", "-p", "port:=0")
    check_ctrl_c_twice(network, "rigid_tree_web", command, "the page is at")
