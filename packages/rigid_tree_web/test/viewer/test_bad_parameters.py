"""Bad parameters stop the page at startup with one line that names the error."""

import re

import pytest

CASES = [
    ({"port": 0, "host": "256.0.0.1"}, "host"),
    ({"port": 0, "package_paths": "/no/folder"}, "'/no/folder' is not a folder"),
    ({"port": 0, "robots": ["a", "b"], "frame_prefixes": ["a/", "b/", "c/"]}, "3 entries"),
]


@pytest.mark.parametrize(("given", "words"), CASES)
def test_bad_parameters_end_the_start_with_one_line(network, given, words):
    assert words in network.refused("web_viewer", given)


def test_a_port_in_use_is_named(network):
    first = network.start("web_viewer", {"port": 0})
    address = network.until(lambda: re.search(r"localhost:(\d+)", first.output), "its address")
    second = network.start("web_viewer", {"port": int(address.group(1))})
    assert second.wait() == 1
    assert "parameters host and port" in second.output
