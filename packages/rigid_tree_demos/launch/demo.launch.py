"""A guided tour: frames, IK, planning, execution, a waving NAO, a pendulum, a carried box.

The robots are shown at http://localhost:8080, and in RViz with rviz:=true.

ros2 launch rigid_tree_demos demo.launch.py [rviz:=true] [once:=true]
"""

import os
import subprocess
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_prefix
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription, LogInfo
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import PACKAGE, argument

FOLDER = Path(__file__).resolve().parents[1]
ARGUMENTS = (
    argument("once", "false", "Exit after the tour."),
    argument("pause", "5.0", "Pause between steps, s."),
    argument("web_port", "8080", "Port of the page."),
    argument("web_host", "127.0.0.1", "Address of the page; other than loopback need a token."),
    argument("web_token", "", "Token of the page. Empty: none on loopback, else a random one."),
    argument("open_browser", "false", "Open the page in a browser, if there is a display."),
    argument("nao_port", "9559", "Port of the simulated NAO."),
    argument("rviz", "false", "Show the robots in RViz, if it is installed."),
    argument("processes", "one", "one: the nodes of robots share one. each: one for each node."),
    argument("namespace", "", "Namespace of all robots."),
)


def robot(package: str, launch_file: str, **arguments: str) -> GroupAction:
    """Return a robot's launch file; its arguments are scoped to the group."""
    given = {"rviz": "false", "web": "false", **arguments}
    source: list[Any] = [FindPackageShare(package), f"/launch/{launch_file}"]
    return GroupAction([IncludeLaunchDescription(source, launch_arguments=given.items())])


def nodes_have(package: str) -> bool:
    """Return whether the nodes' Python, which can differ from this one, has a package."""
    python = os.path.join(get_package_prefix(PACKAGE), "lib", PACKAGE, "python")
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    return subprocess.run([python, "-c", code, package], check=False).returncode == 0


def launch_setup(context: LaunchContext) -> list[Action]:
    """Return the robots, each in a namespace, and the process of the page and the tour.

    Without libqi, which some Python versions lack, the NAO sweeps its joints.
    """
    robots = [robot(PACKAGE, "bringup.launch.py", robots=f"{FOLDER}/config/tour.yaml")]
    script, words = "", []
    if nodes_have("pymoveit2"):
        script = f"{FOLDER}/examples/pick_and_place.py"
        carrier = {"namespace": "carrier", "robot": "panda_hand", "servo": "false", "rate": "50"}
        robots.append(robot("rigid_tree_moveit", "moveit.launch.py", **carrier))
    else:
        words.append("pymoveit2 is not installed (pip install pymoveit2): no box is carried.")
    nao: dict[str, Any] = {"namespace": "nao", "frame_prefix": "nao/"}
    has_qi = nodes_have("qi")
    if has_qi:
        nao["nao_port"] = LaunchConfiguration("nao_port")
        robots.append(robot("rigid_tree_nao", "nao.launch.py", **nao))
    else:
        robots.append(robot(PACKAGE, "description.launch.py", robot="nao", **nao))
        words.append("libqi is not installed (pip install qi): the NAO only sweeps its joints.")
    shown = {"panda": "panda/", "nao": "nao/", "pendulum": "pendulum/"}
    shown |= {"carrier": ""} if script else {}
    page = launching.page(context, [*shown.values()]) | launching.values(context, "open_browser")
    page |= {"robots": [*shown], "fixed_frame": "world"}
    tour = launching.values(context, "once", "pause") | {"nao": has_qi, "pick_and_place": script}
    nodes = {"web_viewer": page, "tour": tour}
    started = [*(LogInfo(msg=word) for word in words), *robots]
    if launching.is_on(context, "rviz"):
        given = {"rviz_config": f"{FOLDER}/config/demo.rviz", "fixed_frame": "world"}
        rviz: list[Any] = [FindPackageShare(PACKAGE), "/launch/rviz.launch.py"]
        started.append(IncludeLaunchDescription(rviz, launch_arguments=given.items()))
    return [*started, *launching.hosts(context, nodes, is_demo=True)]


def generate_launch_description() -> LaunchDescription:
    return launching.description(__file__, [*ARGUMENTS, launching.setup(launch_setup)])
