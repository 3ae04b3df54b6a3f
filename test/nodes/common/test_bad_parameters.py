"""Bad parameters stop every node at startup with one line that names the error."""

from typing import Any

import pytest

PANDA = {"robot": "panda"}
UR5 = {"robot": "ur5"}
PAIR = "'panda_link2' and 'panda_link8' are not two bodies with collision shapes"
CASES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "frame_watch": [({"frames": ["panda_link0"]}, "reference frame")],
    "ik_server": [
        ({"robot": "pandora"}, "panda"),
        ({"timeout": -1.0}, "timeout"),
        ({"threads": 0}, "threads"),
        ({"max_restarts": "many"}, "max_restarts"),
    ],
    "joint_state_source": [
        ({**PANDA, "mode": "dance"}, "dance"),
        ({**PANDA, "rate": 0.0}, "rate"),
        ({**PANDA, "positions.panda_joint1": 9.0}, "panda_joint1"),
        ({"robot": "nobody"}, "nobody"),
    ],
    "robot_simulator": [
        ({**UR5, "mode": "magic"}, "mode"),
        ({"robot": "nao", "mode": "dynamic"}, "move no mass"),
        ({**UR5, "initial_positions.elbow_joint": 9.0}, "elbow_joint"),
        ({**UR5, "rate": 0.0}, "rate"),
        ({**UR5, "controllers": ["arm"], "arm.joints": ["nose"]}, "arm.joints"),
    ],
    "rrt_planner": [
        ({**PANDA, "scene": "panda_pilars"}, "panda_pillars"),
        ({**PANDA, "planner": "prm"}, "prm"),
        ({**PANDA, "step": -1.0}, "step"),
        ({**PANDA, "tip": "hand"}, "hand"),
        ({**PANDA, "checked_pairs": ["panda_link2"]}, "'panda_link2' is not two link"),
        ({**PANDA, "disabled_pairs": ["panda_link2 hand"]}, "has no body 'hand'"),
        ({**PANDA, "checked_pairs": ["panda_link2 panda_link8"]}, PAIR),
    ],
    "tree_state_publisher": [
        ({"robot": "no_such_robot"}, "no_such_robot"),
        ({"robot": "no/such/file.urdf"}, "no/such/file.urdf"),
        ({"robot_description": "<robot"}, "robot_description"),
        ({**PANDA, "robot_description": "<robot/>"}, "both"),
        ({**PANDA, "publish_frequency": -1.0}, "publish_frequency"),
        ({**PANDA, "ignore_timestamp": "often"}, "ignore_timestamp"),
        ({**PANDA, "package_paths": "/tmp:/no/folder"}, "'/no/folder' is not a folder"),
    ],
}


@pytest.mark.parametrize("node", CASES)
def test_bad_parameters_end_the_start_with_one_line(network, node):
    for given, words in CASES[node]:
        assert words in network.rejected(node, given)


def test_a_name_that_ros_refuses_is_told_in_a_line(network):
    process = network.start("robot_simulator", {**UR5, "controllers": ["a b"]})
    assert process.wait() == 1
    (line,) = [line for line in process.output.splitlines() if "a b" in line]
    assert line.endswith("'a b/joint_trajectory'")
    assert "[FATAL]" in line
    assert "Traceback" not in process.output


def test_a_parameter_file_that_rcl_rejects_is_told_in_a_line(network):
    process = network.start("ik_server", {"mixed": [1, 2.0]})
    assert process.wait() == 1
    (line,) = [line for line in process.output.splitlines() if "[FATAL]" in line]
    assert "Sequence should be of same type" in line
    assert "Traceback" not in process.output
