"""No message stops a node, leaves a request unanswered, or forges the log."""

import pytest

from benchmarks.robustness.hostile import victim_parameters
from harness.hostile import assert_survives

NODES = (
    "ik_server",
    "joint_state_source",
    "robot_simulator",
    "rrt_planner",
    "tree_state_publisher",
)


@pytest.mark.parametrize("name", NODES)
def test_nothing_ends_or_silences_a_node(network, name):
    assert_survives(network, name, network.start(name, victim_parameters(name)))
