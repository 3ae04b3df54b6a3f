"""Parameters of the demos."""

from harness.start.parameters import check_descriptions

NODES = ("ik_demo", "nao_demo", "planar_rrt", "planning_demo", "tour")


def test_every_parameter_has_a_description_and_every_number_a_range(network):
    check_descriptions(network, {name: {} for name in NODES})
