"""No message stops the bridge, leaves a request unanswered, or forges the log."""

from nao_harness.simulated import SimulatedNao

from harness.hostile import assert_survives
from harness.processes import free_port


def test_nothing_ends_or_silences_the_bridge(network, tmp_path):
    port = free_port()
    robot = SimulatedNao(port, tmp_path)
    try:
        assert_survives(network, "nao_bridge", network.start("nao_bridge", {"nao_port": port}))
    finally:
        robot.end()
