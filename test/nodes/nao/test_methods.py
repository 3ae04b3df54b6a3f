"""The table of mirrored methods: complete, documented, and in the originals' order."""

from __future__ import annotations

from pathlib import Path

import nao_motion_interfaces.srv as srv
import pytest
from nao_motion_interfaces.msg import NumberList

from rigid_tree_kinematics.nao.simulated.robot import SimulatedRobot
from rigid_tree_kinematics.nao.simulated.server import services_of
from rigid_tree_kinematics.nodes.nao.methods import MIRRORS

DOCUMENT = (Path(__file__).parents[3] / "docs" / "nao.md").read_text().splitlines()
BY_NAME = {mirror.name: mirror for mirror in MIRRORS}
# Simulated, but not mirrored: an alias of killMove.
ALIASES = {"ALMotion.killWalk"}


@pytest.mark.parametrize("mirror", MIRRORS, ids=lambda mirror: mirror.name)
def test_every_method_is_documented(mirror):
    service, method = mirror.method.split(".")
    original = method if service == "ALMotion" else mirror.method
    rows = [line for line in DOCUMENT if f"| `{mirror.name}` | {mirror.kind.__name__} |" in line]
    assert len(rows) == 1
    assert rows[0].startswith(f"| `{original}(")


def test_every_method_of_the_simulated_robot_is_mirrored():
    services = services_of(SimulatedRobot())
    simulated = {
        f"{service}.{method}"
        for service in ("ALMotion", "ALRobotPosture")
        for method in services[service]
    }
    assert simulated - ALIASES == {mirror.method for mirror in MIRRORS}


def lists(*rows):
    return [NumberList(values=row) for row in rows]


@pytest.mark.parametrize(
    ("name", "fields", "wanted"),
    [
        ("get_angles", {"names": ["Body"], "use_sensors": True}, ["Body", True]),
        ("get_angles", {"names": ["A", "B"]}, [["A", "B"], False]),
        (
            "set_angles",
            {"names": ["A"], "angles": [0.5], "fraction_max_speed": 0.25},
            ["A", 0.5, 0.25],
        ),
        ("set_stiffnesses", {"names": ["Body"], "stiffnesses": [1.0]}, ["Body", 1.0]),
        (
            "angle_interpolation",
            {
                "names": ["A"],
                "angle_lists": lists([0.5, 1.0]),
                "time_lists": lists([1.0, 2.0]),
                "is_absolute": True,
            },
            [["A"], [[0.5, 1.0]], [[1.0, 2.0]], True],
        ),
        ("get_position", {"name": "LArm", "space": 2}, ["LArm", 2, False]),
        ("move", {"x": 0.5, "y": 0.25, "theta": -1.0}, [0.5, 0.25, -1.0]),
        ("wb_enable_balance_constraint", {"name": "Legs", "enable": True}, [True, "Legs"]),
        (
            "set_transform",
            {"name": "LArm", "transform": [float(k) for k in range(16)], "axis_mask": 7},
            ["LArm", 0, [float(k) for k in range(12)], 0.0, 7],
        ),
        (
            "position_interpolations",
            {
                "names": ["LArm"],
                "paths": lists([float(k) for k in range(12)]),
                "axis_masks": [7],
                "time_lists": lists([1.0, 2.0]),
            },
            [["LArm"], 0, [[[0.0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]], [7], [[1.0, 2.0]]],
        ),
        ("go_to_posture", {"posture_name": "Sit", "speed": 0.5}, ["Sit", 0.5]),
    ],
)
def test_requests_become_the_originals_arguments(name, fields, wanted):
    mirror = BY_NAME[name]
    assert mirror.arguments(mirror.kind.Request(**fields)) == wanted


def test_values_of_a_real_robots_shape_are_understood():
    config = srv.GetRobotConfig.Response()
    names = ["Model Type", "Head Version", "Body Version"]
    BY_NAME["get_robot_config"].fill([names, ["naoH25", "VERSION_50", "VERSION_50"]], config)
    assert (config.names, config.values[0]) == (names, "naoH25")
    tasks = srv.GetTaskList.Response()
    BY_NAME["get_task_list"].fill([["angleInterpolation", 12, "ALMotion", 20]], tasks)
    assert (tasks.tasks[0].name, tasks.tasks[0].id) == ("angleInterpolation", 12)
    limits = srv.GetLimits.Response()
    BY_NAME["get_limits"].fill([[-2.0, 2.0, 8.0]], limits)
    assert limits.limits[0].max_torque == 0.0
    done = srv.GoToPosture.Response()
    BY_NAME["go_to_posture"].fill(None, done)
    assert done.value
