"""Descriptions of running nodes' parameters."""

from collections.abc import Mapping
from typing import Any

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, ListParameters

from harness.network import Network

# Of rclpy itself.
FOREIGN = ("use_sim_time", "start_type_description_service", "qos_overrides.")
NUMBERS = (ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_INTEGER)


def check_descriptions(network: Network, nodes: Mapping[str, Any]) -> None:
    """Start nodes; each parameter must have a description and each number a range."""
    for name, given in nodes.items():
        network.start(name, given)
    for name in nodes:
        names = network.call(ListParameters, f"{name}/list_parameters").result.names
        own = [given for given in names if not given.startswith(FOREIGN)]
        assert own, name
        reply = network.call(DescribeParameters, f"{name}/describe_parameters", names=own)
        for described in reply.descriptors:
            assert described.description, (name, described.name)
            if described.type in NUMBERS:
                ranges = [*described.floating_point_range, *described.integer_range]
                assert ranges, (name, described.name)
