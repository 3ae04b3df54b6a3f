"""Bad parameters stop every node at startup with one line that names the error."""

import re
from importlib.util import find_spec
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
    "nao_bridge": [
        ({"version": "V9"}, "V6"),
        ({"version": "V6", "body_type": "H21"}, "H25"),
        ({"nao_port": 0}, "nao_port"),
        ({"rate": -1.0}, "rate"),
        ({"cmd_vel_timeout": 0.0}, "cmd_vel_timeout"),
    ],
    "reachability_display": [({}, "'map'"), ({"map": "/no/such/map"}, "no/such/map")],
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
    "web_viewer": [
        ({"port": 0, "host": "256.0.0.1"}, "host"),
        ({"port": 0, "package_paths": "/no/folder"}, "'/no/folder' is not a folder"),
        ({"port": 0, "robots": ["a", "b"], "frame_prefixes": ["a/", "b/", "c/"]}, "3 entries"),
    ],
}


@pytest.mark.parametrize("node", CASES)
def test_bad_parameters_end_the_start_with_one_line(network, node):
    if node == "nao_bridge" and find_spec("qi") is None:
        pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
    started = [(network.start(node, given), words) for given, words in CASES[node]]
    for process, words in started:
        assert process.wait() == 1, words
        assert process.output.count("\n") == 1, process.output
        assert words in process.output


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


def test_a_port_in_use_is_named(network):
    first = network.start("web_viewer", {"port": 0})
    address = network.until(lambda: re.search(r"localhost:(\d+)", first.output), "its address")
    second = network.start("web_viewer", {"port": int(address.group(1))})
    assert second.wait() == 1
    assert "parameters host and port" in second.output
