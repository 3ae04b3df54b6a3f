"""The RViz configurations: valid, with existing displays and published topics.

Names of plug-ins and properties are those of rviz_default_plugins/plugins_description.xml and the
displays' sources (ros2/rviz).
"""

import re
from pathlib import Path

import pytest
import yaml

from rigid_tree_kinematics.rviz_configs import prepared

ROOT = Path(__file__).parents[1]
CONFIGS = sorted([*ROOT.glob("config/*.rviz"), *ROOT.glob("packages/*/config/*.rviz")])
NEEDED = "bringup demo description double_pendulum ik moveit nao planar_rrt planning"
QOS = {"Value", "Depth", "History Policy", "Reliability Policy", "Durability Policy"}
COMMON = {"Class", "Name", "Enabled", "Value"}
# Display -> its properties that we set; those of topics hold QoS.
DISPLAYS = {
    "Grid": {"Plane", "Plane Cell Count", "Cell Size", "Color"},
    "RobotModel": {
        "Description Source", "Description Topic", "TF Prefix", "Visual Enabled",
        "Collision Enabled", "Alpha",
    },
    "TF": {"Show Axes", "Show Names", "Show Arrows", "Marker Scale", "Frames", "Frame Timeout"},
    "MarkerArray": {"Topic", "Namespaces"},
    "PointCloud2": {"Topic", "Style", "Size (m)", "Alpha", "Color Transformer", "Color"},
    "Map": {"Topic", "Update Topic", "Alpha", "Color Scheme", "Draw Behind"},
    "Odometry": {"Topic", "Keep", "Shape", "Covariance", "Position Tolerance", "Angle Tolerance"},
    "InteractiveMarkers": {
        "Interactive Markers Namespace", "Show Axes", "Show Descriptions", "Show Visual Aids",
        "Enable Transparency",
    },
}  # fmt: skip
TOOLS = {"Interact", "MoveCamera", "FocusCamera", "Measure", "SetGoal", "Select"}
VIEWS = {"Orbit", "TopDownOrtho", "XYOrbit", "FPS"}
# topic -> whether its publisher keeps the last message for latecomers
PUBLISHED = {
    "robot_description": True,
    "scene_markers": True,
    "seen_points": True,
    "planning_tree": False,
    "planned_path": True,
    "trace": False,
    "configuration_map": True,
    "odom": False,
}


def displays_of(path):
    return yaml.safe_load(path.read_text())["Visualization Manager"]["Displays"]


def test_there_is_one_for_everything_and_a_target_only_where_one_is_started():
    assert {path.stem for path in CONFIGS} == set(NEEDED.split())
    kind = "rviz_default_plugins/InteractiveMarkers"
    shows = {
        path.stem for path in CONFIGS for display in displays_of(path) if display["Class"] == kind
    }
    assert shows == {"bringup"}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_displays_exist_and_have_their_properties(path):
    text = path.read_text()
    assert not re.search(r"/(home|root|work|tmp|opt|usr)/", text)
    config = yaml.safe_load(text)
    manager = config["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"]
    for panel in config["Panels"]:
        assert panel["Class"] in ("rviz_common/Displays", "rviz_common/Views", "rviz_common/Time")
    for display in manager["Displays"]:
        package, kind = display["Class"].split("/")
        if package == "moveit_rviz_plugin":  # left out where MoveIt is not installed
            assert display["Enabled"] == (path.stem == "moveit")
            continue
        assert package == "rviz_default_plugins"
        assert display.keys() - COMMON <= DISPLAYS[kind], display["Name"]
    for tool in manager["Tools"]:
        assert tool["Class"].split("/")[1] in TOOLS
    assert manager["Views"]["Current"]["Class"].split("/")[1] in VIEWS


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_topics_are_published_and_their_qos_fits(path):
    received = []
    for display in displays_of(path):
        for key, topic in display.items():
            if not (isinstance(topic, dict) and "Value" in topic):
                continue
            assert topic.keys() <= QOS, display["Name"]
            name = topic["Value"]
            if name.endswith("_updates"):
                continue
            if path.stem == "demo":  # several robots, each in its namespace
                name = re.sub(r"^/(panda|nao|pendulum|carrier)/", "", name)
            assert name in PUBLISHED, f"{display['Name']}: {key} {name}"
            # The planar demonstration shows one tree only, and keeps it.
            if PUBLISHED[name] or (path.stem, name) == ("planar_rrt", "planning_tree"):
                assert topic["Durability Policy"] == "Transient Local"
            else:
                assert topic.get("Durability Policy", "Volatile") == "Volatile"
            received.append(name)
    assert "robot_description" in received


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_only_the_prefix_and_missing_displays_are_changed(path):
    text = path.read_text()
    for package in ("", "moveit_ros_visualization"):  # which MoveIt's displays are in
        installed = {"rviz_default_plugins", package}
        ready = prepared(text, "left/", installed)
        expected = yaml.safe_load(text)
        manager = expected["Visualization Manager"]
        manager["Displays"] = [
            display
            for display in manager["Displays"]
            if package or not display["Class"].startswith("moveit_rviz_plugin/")
        ]
        for display in manager["Displays"]:
            if display.get("TF Prefix") == "":
                display["TF Prefix"] = "left"
        assert yaml.safe_load(ready) == expected
