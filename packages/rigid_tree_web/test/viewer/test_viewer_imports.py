"""The node loads no heavy libraries before it shows a robot."""

from harness.start.imports import check_light


def test_web_viewer_loads_nothing_heavy():
    check_light(["rigid_tree_web.nodes.web_viewer"])
