"""No message stops a node, leaves a request unanswered, or forges the log.

``benchmarks.robustness.hostile`` asks the running graph what a node offers, and sends the worst
to all of it; ``python -m benchmarks.robustness.endurance`` sends 100,000.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.robustness.hostile import VICTIMS, Attacker, victim_parameters
from benchmarks.robustness.hostile_values import FORGED
from harness.nao.simulated import SimulatedNao
from harness.network import Network
from harness.processes import Process, free_port
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.errors import LONGEST_TEXT

SENT = 600  # to each node
MOST_GROWTH = 60_000  # kB
LONGEST_LINE = LONGEST_TEXT + 200


@pytest.fixture
def nao(tmp_path: Path) -> Iterator[int]:
    """Return the port of a simulated NAO."""
    port = free_port()
    robot = SimulatedNao(port, tmp_path)
    yield port
    robot.end()


def started(network: Network, name: str, request: Any) -> Process:
    nao_port = request.getfixturevalue("nao") if name == "nao_bridge" else 0
    if name == "web_viewer":
        network.start("tree_state_publisher", {"robot": VICTIMS[name]})
    return network.start(name, victim_parameters(name, nao_port))


@pytest.mark.parametrize("name", VICTIMS)
def test_nothing_ends_or_silences_a_node(network, request, name):
    process = started(network, name, request)
    robot = load_robot(VICTIMS[name])
    names = robot.position_names
    words = [*names, *robot.body_names, robot.base_name, ""]
    # A seed of each node's own; the words mean something, so that requests get far.
    rng = random.Random(sum(map(ord, name)))
    attacker = Attacker(network.node, network._executor, name, rng, words, names)
    attacker.attack(SENT // 3)
    before = process.resident_kilobytes
    outcome = attacker.attack(SENT - SENT // 3)
    assert process.is_running, process.output[-3000:]
    assert not outcome.unanswered
    assert attacker.is_answering()
    assert process.resident_kilobytes - before < MOST_GROWTH
    text = process.output
    assert "internal error" not in text, text[text.index("internal error") :][:3000]
    assert "Traceback" not in text
    assert FORGED.splitlines()[1] not in text.splitlines()
    assert max(map(len, text.splitlines())) < LONGEST_LINE
