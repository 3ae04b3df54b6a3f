"""The bridge as a node: bad parameters end it with one line, no message does, it starts light."""

from importlib.util import find_spec

import pytest
from nao_harness.simulated import SimulatedNao

from harness.hostile import assert_survives
from harness.processes import free_port
from harness.start.imports import check_light
from harness.start.parameters import check_descriptions

CASES = [
    ({"version": "V9"}, "V6"),
    ({"version": "V6", "body_type": "H21"}, "H25"),
    ({"nao_port": 0}, "nao_port"),
    ({"rate": -1.0}, "rate"),
    ({"cmd_vel_timeout": 0.0}, "cmd_vel_timeout"),
]


@pytest.mark.parametrize(("given", "words"), CASES)
def test_bad_parameters_end_the_start_with_one_line(network, given, words):
    if find_spec("qi") is None:  # not imported: it crashes beside coal
        pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
    assert words in network.rejected("nao_bridge", given)


def test_every_parameter_has_a_description_and_every_number_a_range(network):
    check_descriptions(network, {"nao_bridge": {}})


def test_the_bridge_loads_nothing_heavy():
    check_light(["rigid_tree_nao.nodes.nao_bridge"])


def test_nothing_ends_or_silences_the_bridge(network, tmp_path):
    port = free_port()
    robot = SimulatedNao(port, tmp_path)
    try:
        assert_survives(network, "nao_bridge", network.start("nao_bridge", {"nao_port": port}))
    finally:
        robot.end()
