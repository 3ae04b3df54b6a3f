"""Log lines of nodes: one line per message, and limited repetitions."""

import re
from typing import Any

from rigid_tree_kinematics.nodes.common.process import PlainNode
from rigid_tree_kinematics.nodes.common.process.plain_logger import LINES_AT_ONCE


def test_lines_of_one_cause_are_few_and_their_number_is_logged_later(ros, capfd):
    node = PlainNode("talker")

    def warn(number: int) -> None:
        node.get_logger().warning(f"request {number} is wrong")

    for number in range(500):
        warn(number)
    for _ in range(500):
        node.get_logger().error("the same again")
    logger: Any = node.get_logger()
    logger.warning("another cause")
    cause = next(iter(logger._places.values()))
    cause._last_time -= 2.0  # as if two seconds had passed
    warn(999)
    node.destroy_node()
    lines = [line for line in capfd.readouterr().err.splitlines() if "[talker]" in line]
    wrong = [line for line in lines if "is wrong" in line]
    assert len(wrong) <= LINES_AT_ONCE + 3
    reported = [
        int(n) for line in wrong for n in re.findall(r"\(earlier lines omitted: (\d+)\)", line)
    ]
    assert "request 999 " in wrong[-1]
    assert sum(reported) + len(wrong) == 501
    assert sum("the same again" in line for line in lines) <= 3
    assert sum("another cause" in line for line in lines) == 1


def test_throttled_lines_and_severities_of_one_place_in_the_code(ros, capfd):
    node = PlainNode("talker")
    log: Any = node.get_logger()
    for number in range(3):
        log.warning(f"slow {number}", throttle_duration_sec=60.0)
        log.warning(f"single {number}", once=True)
        for say in (log.info, log.error):  # rclpy allows one severity for a line of code
            say(f"{say.__name__} {number}")
    node.destroy_node()
    words = [line.split("[talker]: ")[1] for line in capfd.readouterr().err.splitlines()]
    assert words[:2] == ["slow 0", "single 0"]
    assert sorted(words[2:]) == [f"{kind} {k}" for kind in ("error", "info") for k in range(3)]
