"""A guided tour: frames, IK, planning, execution, a waving NAO, a pendulum, a carried box.

The robots are shown at http://localhost:8080, and in RViz with rviz:=true.

ros2 launch rigid_tree_demos demo.launch.py [rviz:=true] [once:=true]
"""

import os
from collections.abc import Mapping
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import GroupAction, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import RobotNode, argument, nodes_have, settings

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
    argument("once", "false", "Exit after the tour."),
    argument("pause", "5.0", "Pause between steps, s."),
    *launching.PAGE_ARGUMENTS,
    argument("open_browser", "false", "Open the page in a browser, if there is a display."),
    argument("nao_port", "9559", "Port of the simulated NAO."),
    argument("rviz", "false", "Show the robots in RViz, if it is installed."),
    launching.PROCESSES,
)
PANDA = {
    "namespace": "panda",
    "frame_prefix": "panda/",
    "scene": "panda_pillars",
    "initial_positions": str(READY),
    "rate": RATE,
}
PENDULUM = {
    "namespace": "pendulum",
    "frame_prefix": "pendulum/",
    "paused": "true",  # until its step
    "robot": "double_pendulum",
    "mode": "free",
    "rate": RATE,
}
CARRIER = {"namespace": "carrier", "robot": "panda_hand", "servo": "false", "rate": RATE}
NAO = {"namespace": "nao", "frame_prefix": "nao/"}
SWEEPING_NAO = {**NAO, "robot": "nao", "sweep": "true"}
SIMULATED_NAO = {**NAO, "nao_port": LaunchConfiguration("nao_port")}


def robot(launch_file: str, arguments: Mapping[str, Any], package: str) -> GroupAction:
    """Return a robot's launch file; its arguments are scoped to the group."""
    given = {"rviz": "false", "web": "false", **arguments}
    return GroupAction([launching.included(launch_file, given, package)])


def page_and_tour(context: LaunchContext) -> list[RobotNode]:
    """Return the page that shows all robots, and the tour."""
    robots = [PANDA, NAO, PENDULUM, *([CARRIER] if nodes_have("pymoveit2") else [])]
    page = launching.page(
        context,
        robots=[robot["namespace"] for robot in robots],
        frame_prefixes=[robot.get("frame_prefix", "") for robot in robots],
        fixed_frame="world",
        **settings(context, open_browser=bool),
    )
    tour = settings(context, once=bool, pause=float)
    tour["nao"] = nodes_have("qi")
    tour["pick_and_place"] = PICK_AND_PLACE if nodes_have("pymoveit2") else ""
    return [page, RobotNode("tour", tour, "rigid_tree_demos", is_demo=True)]


def check(context: LaunchContext) -> None:
    """Raise an error before a process starts."""
    page_and_tour(context)
    settings(context, nao_port=int, rviz=bool)


def generate_launch_description() -> LaunchDescription:
    """Return the robots, each in a namespace.

    They share a process with the page and the tour, except a NAO with libqi: see INCOMPATIBLE in
    nodes/robot_host.py. Without libqi, which some Python versions lack, the NAO sweeps its joints.
    """
    shared = [
        robot("bringup.launch.py", PANDA, launching.PACKAGE),
        robot("double_pendulum.launch.py", PENDULUM, "rigid_tree_demos"),
    ]
    apart, words = [], []
    if nodes_have("pymoveit2"):
        shared.append(robot("moveit.launch.py", CARRIER, "rigid_tree_moveit"))
    else:
        words.append("pymoveit2 is not installed (pip install pymoveit2): no box is carried.")
    if nodes_have("qi"):
        apart.append(robot("nao.launch.py", SIMULATED_NAO, "rigid_tree_nao"))
    else:
        shared.append(robot("description.launch.py", SWEEPING_NAO, launching.PACKAGE))
        words.append("libqi is not installed (pip install qi): the NAO only sweeps its joints.")
    tour = OpaqueFunction(function=lambda c: launching.robot_nodes(c, page_and_tour(c)))
    return LaunchDescription(
        [
            *launching.declared(ARGUMENTS),
            *(LogInfo(msg=word) for word in words),
            OpaqueFunction(function=check),
            *apart,
            *launching.in_one_process([*shared, tour]),
            OpaqueFunction(function=lambda c: launching.rviz(c, "demo.rviz", "world")),
        ]
    )
