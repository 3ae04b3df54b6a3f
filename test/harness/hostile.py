"""A node under messages with the worst values of their types.

``benchmarks.robustness.hostile`` asks the running graph what a node offers, and sends to all of
it; ``python -m benchmarks.robustness.endurance`` sends 100,000.
"""

import random

from benchmarks.robustness.hostile import VICTIMS, Attacker
from benchmarks.robustness.hostile_values import FORGED
from harness.network import Network
from harness.processes import Process
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.text import LONGEST_TEXT

SENT = 600  # to each node
MOST_GROWTH = 60_000  # kB
LONGEST_LINE = LONGEST_TEXT + 200


def assert_survives(network: Network, name: str, process: Process) -> None:
    """Attack a running node: no message ends it, stays unanswered, or forges the log."""
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
