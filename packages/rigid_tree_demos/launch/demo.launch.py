"""A guided tour: frames, IK, planning, execution, a waving NAO, a pendulum, a carried box.

The robots are shown at http://localhost:8080, and in RViz with rviz:=true.

ros2 launch rigid_tree_demos demo.launch.py [rviz:=true] [once:=true]
"""

import os
from collections.abc import Mapping
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import GroupAction, LogInfo
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.launching import (
    PACKAGE,
    PAGE_ARGUMENTS,
    PROCESSES,
    RobotNode,
    declared,
    in_one_process,
    included,
    nodes_have,
    page_parameters,
    robot_nodes,
    rviz,
    settings,
)

ROBOTS = {"panda": "panda/", "nao": "nao/", "pendulum": "pendulum/"}  # namespace: frame prefix
CARRIER = {"carrier": ""}
PICK_AND_PLACE = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "examples", "pick_and_place.py"
)
# Collision-free, between the pillars; the middle of the joint ranges is in self-collision.
READY = {
    "panda_joint2": -0.785,
    "panda_joint4": -2.356,
    "panda_joint6": 1.571,
    "panda_joint7": 0.785,
}
RATE = "50.0"  # Hz of joint states; the page shows no more
ARGUMENTS = (
    ("once", "false", "Exit after the tour."),
    ("pause", "5.0", "Pause between steps, s."),
    *PAGE_ARGUMENTS,
    ("open_browser", "false", "Open the page in a browser, if there is a display."),
    ("nao_port", "9559", "Port of the simulated NAO."),
    ("rviz", "false", "Show the robots in RViz, if it is installed."),
    PROCESSES,
)


def robot(launch_file: str, arguments: Mapping[str, Any], package: str = PACKAGE) -> GroupAction:
    """Return a robot's launch file; its arguments are scoped to the group."""
    given = {"rviz": "false", "web": "false", **arguments}
    return GroupAction([included(launch_file, given, package=package)])


def robots() -> list[Action]:
    """Return the Panda among its pillars, the pendulum, the NAO and the Panda with the box.

    Each has a namespace. They share a process with the page and the tour, except a NAO with libqi:
    see APART in nodes/robot_host.py. Without libqi, which some Python versions lack, the NAO
    sweeps its joints.
    """
    panda = {
        "namespace": "panda",
        "frame_prefix": "panda/",
        "scene": "panda_pillars",
        "initial_positions": str(READY),
        "rate": RATE,
    }
    pendulum = {
        "namespace": "pendulum",
        "frame_prefix": "pendulum/",
        "paused": "true",  # until its step
        "robot": "double_pendulum",
        "mode": "free",
        "rate": RATE,
    }
    nao = {"namespace": "nao", "frame_prefix": "nao/"}
    sweeping = {**nao, "robot": "nao", "sweep": "true"}
    carrier = {"namespace": "carrier", "robot": "panda_hand", "servo": "false", "rate": RATE}
    shared = [
        robot("bringup.launch.py", panda),
        robot("double_pendulum.launch.py", pendulum, "rigid_tree_demos"),
        *(
            [robot("moveit.launch.py", carrier, "rigid_tree_moveit")]
            if nodes_have("pymoveit2")
            else []
        ),
        robot_nodes(page_and_tour),
    ]
    if nodes_have("qi"):
        simulated = {**nao, "nao_port": LaunchConfiguration("nao_port")}
        return [robot("nao.launch.py", simulated, "rigid_tree_nao"), *in_one_process(shared)]
    return in_one_process([*shared, robot("description.launch.py", sweeping)])


def page_and_tour(context: LaunchContext) -> list[RobotNode]:
    """Return the page that shows all robots, and the tour."""
    shown = ROBOTS | CARRIER if nodes_have("pymoveit2") else ROBOTS
    parameters = {
        "robots": list(shown),
        "frame_prefixes": list(shown.values()),
        "fixed_frame": "world",
        **page_parameters(),
        **settings(open_browser=bool),
    }
    tour = {
        **settings(once=bool, pause=float),
        "nao": nodes_have("qi"),
        "pick_and_place": PICK_AND_PLACE if nodes_have("pymoveit2") else "",
    }
    return [
        RobotNode("web_viewer", parameters, package="rigid_tree_web"),
        RobotNode("tour", tour, is_demo=True, package="rigid_tree_demos"),
    ]


def generate_launch_description() -> LaunchDescription:
    words = []
    if not nodes_have("qi"):
        words.append("libqi is not installed (pip install qi): the NAO only sweeps its joints.")
    if not nodes_have("pymoveit2"):
        words.append("pymoveit2 is not installed (pip install pymoveit2): no box is carried.")
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            *(LogInfo(msg=word) for word in words),
            *robots(),
            rviz("demo.rviz", lambda _: "world"),
        ]
    )
