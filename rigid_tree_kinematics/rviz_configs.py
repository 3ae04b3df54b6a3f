"""RViz's configurations for a robot whose frames have a prefix, and for what is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

# Where the package of a plug-in has another name.
PACKAGES = {"moveit_rviz_plugin": "moveit_ros_visualization"}


def prepared(text: str, frame_prefix: str, is_installed: Callable[[str], bool]) -> str:
    """Return an RViz configuration fit for one robot on one machine.

    Robot models without a prefix of their own get the robot's, and displays whose plug-in is not
    installed, which RViz would show as errors, are left out.

    Args:
        text: the configuration, YAML.
        frame_prefix: of the robot's frames in TF, such as 'left/'. RViz puts the slash between
            prefix and frame itself, and knows no prefix that ends otherwise.
        is_installed: whether the ROS package of a name is installed.
    """
    config = yaml.safe_load(text)
    manager: dict[str, Any] = config["Visualization Manager"]
    plugins = [display["Class"].split("/")[0] for display in manager["Displays"]]
    manager["Displays"] = [
        display
        for display, plugin in zip(manager["Displays"], plugins, strict=True)
        if is_installed(PACKAGES.get(plugin, plugin))
    ]
    for display in manager["Displays"]:
        if display["Class"] == "rviz_default_plugins/RobotModel" and not display["TF Prefix"]:
            display["TF Prefix"] = frame_prefix.removesuffix("/")
    return yaml.safe_dump(config, sort_keys=False)
