"""Log lines of nodes: one line per message, and limited repetitions."""

from typing import Any

from rigid_tree_kinematics.nodes.common.process.plain_node import LINES_AT_ONCE, PlainNode


def test_lines_of_one_cause_are_few(ros, capfd):
    node = PlainNode("talker")
    for number in range(500):
        node.get_logger().warning(f"request {number} is wrong")
    for _ in range(500):
        node.get_logger().error("the same again")
    node.get_logger().warning("another cause")
    node.destroy_node()
    lines = [line for line in capfd.readouterr().err.splitlines() if "[talker]" in line]
    assert sum("is wrong" in line for line in lines) <= LINES_AT_ONCE + 2
    assert sum("the same again" in line for line in lines) <= 3
    assert sum("another cause" in line for line in lines) == 1


def test_excluded_content_is_reported(ros, capfd):
    node = PlainNode("talker")

    def warn(number: int) -> None:
        node.get_logger().warning(f"request {number} is wrong")

    for number in range(LINES_AT_ONCE + 5):
        warn(number)
    logger: Any = node.get_logger()
    cause = next(iter(logger._causes.values()))
    cause._last_time -= 2.0  # as if two seconds had passed
    warn(99)
    node.destroy_node()
    assert "request 99 is wrong (lines left out before: 5)" in capfd.readouterr().err
