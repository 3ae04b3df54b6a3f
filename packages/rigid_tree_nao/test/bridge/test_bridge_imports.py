"""The bridge loads no heavy libraries before it serves a robot."""

from harness.start.imports import check_light


def test_bridge_loads_nothing_heavy():
    check_light(["rigid_tree_nao.nodes.nao_bridge"])
