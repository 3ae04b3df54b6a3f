"""A guided tour: frames, IK, planning, execution, a waving NAO, a pendulum, a carried box.

All of it shows at http://localhost:8080 and, where RViz is installed, with rviz:=true there.

ros2 launch rigid_tree_kinematics demo.launch.py [rviz:=true] [once:=true]
"""

import os
from importlib.util import find_spec

from launch import LaunchDescription
from launch.action import Action
from launch.actions import GroupAction, IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    PACKAGE,
    PAGE_ARGUMENTS,
    PROCESSES,
    declared,
    end_with,
    page_parameters,
    rviz,
    setting,
)

ROBOTS = {"panda": "panda/", "nao": "nao/", "pendulum": "pendulum/"}  # and their frames' prefix
CARRIER = {"carrier": ""}  # the tour itself starts it
# libqi, which the NAO is spoken to by, does not exist for every Python: then it sweeps its joints.
HAS_LIBQI = find_spec("qi") is not None
HAS_PYMOVEIT2 = find_spec("pymoveit2") is not None
PICK_AND_PLACE = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "examples", "pick_and_place.py"
)
# Between the pillars, touching nothing; at the middle of its joints the arm touches itself.
READY = {
    "panda_joint2": -0.785,
    "panda_joint4": -2.356,
    "panda_joint6": 1.571,
    "panda_joint7": 0.785,
}
ARGUMENTS = (
    ("once", "false", "End by itself after the tour."),
    ("pause", "5.0", "Between two steps, s."),
    *PAGE_ARGUMENTS,
    ("open_browser", "false", "Open the page, where there is a screen."),
    ("nao_port", "9559", "Port of the simulated NAO."),
    ("rviz", "false", "Show the robots in RViz, where it is installed."),
    PROCESSES,
)


def included(name: str, arguments: dict) -> GroupAction:
    """Return another launch file, whose arguments stay inside the group."""
    source = PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), name]))
    return GroupAction([IncludeLaunchDescription(source, launch_arguments=arguments.items())])


def robots() -> list[Action]:
    """Return the Panda among its pillars, the NAO, and the pendulum, each in its namespace."""
    alone = {"rviz": "false", "web": "false"}
    panda = {
        "namespace": "panda",
        "frame_prefix": "panda/",
        "scene": "panda_pillars",
        "initial_positions": str(READY),
        **alone,
    }
    # It waits for its step.
    pendulum = {
        "namespace": "pendulum",
        "frame_prefix": "pendulum/",
        "paused": "true",
        "robot": "double_pendulum",
        "mode": "free",
        **alone,
    }
    nao: Action
    if HAS_LIBQI:
        arguments = {"frame_prefix": "nao/", "nao_port": LaunchConfiguration("nao_port")}
        nao = included("nao.launch.py", {"namespace": "nao", **alone, **arguments})
    else:
        arguments = {"robot": "nao", "frame_prefix": "nao/", "sweep": "true", **alone}
        nao = included("description.launch.py", {"namespace": "nao", **arguments})
    return [
        included("bringup.launch.py", panda),
        nao,
        included("double_pendulum.launch.py", pendulum),
    ]


def generate_launch_description() -> LaunchDescription:
    tour = Node(
        package=PACKAGE,
        executable="tour",
        parameters=[
            {
                "once": setting("once", bool),
                "pause": setting("pause", float),
                "nao": HAS_LIBQI,
                "pick_and_place": PICK_AND_PLACE if HAS_PYMOVEIT2 else "",
            }
        ],
        output="screen",
    )
    words = []
    if not HAS_LIBQI:
        words.append("The NAO only sweeps its joints: libqi (pip install qi) is missing.")
    if not HAS_PYMOVEIT2:
        words.append("No box is carried: pymoveit2 (pip install pymoveit2) is missing.")
    shown = ROBOTS | CARRIER if HAS_PYMOVEIT2 else ROBOTS
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            end_with(tour, "tour"),
            *(LogInfo(msg=word) for word in words),
            Node(
                package=PACKAGE,
                executable="web_viewer",
                parameters=[
                    {
                        "robots": list(shown),
                        "frame_prefixes": list(shown.values()),
                        "fixed_frame": "world",
                        **page_parameters(),
                        "open_browser": setting("open_browser", bool),
                    }
                ],
                output="screen",
            ),
            *robots(),
            tour,
            rviz("demo.rviz", "world"),
        ]
    )
