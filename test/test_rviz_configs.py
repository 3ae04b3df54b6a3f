"""The RViz configurations: valid, with existing displays and published topics.

Names of plug-ins and properties are those of rviz_default_plugins/plugins_description.xml and the
displays' sources (ros2/rviz).
"""

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yaml


from rigid_tree_kinematics.collision import load_scene
from rigid_tree_demos import planar_rrt, tour
from rigid_tree_kinematics.rviz_configs import prepared

CONFIGS = sorted((Path(__file__).parents[1] / "config").glob("*.rviz"))
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
        ready = prepared(text, "left/", installed.__contains__)
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


def picture(path, point):
    """Return where a point stands in the picture, in halves of its height, and the camera's place.

    As OrbitViewController places its camera, and Ogre's cameras see: 45 degrees upwards.
    """
    view = yaml.safe_load(path.read_text())["Visualization Manager"]["Views"]["Current"]
    focal = np.array([view["Focal Point"][axis] for axis in "XYZ"], dtype=float)
    yaw, pitch = view["Yaw"], view["Pitch"]
    back = np.array([np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)])
    right = np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    camera = focal + view["Distance"] * back
    away = np.asarray(point, dtype=float) - camera
    height = np.tan(np.radians(22.5)) * -(away @ back)
    return np.array([away @ right, away @ np.cross(back, right)]) / height, camera


def in_view(path, point):
    # Beside the list of displays about 800 x 750 of the window's 1200 x 800 pixels are left.
    return (np.abs(picture(path, point)[0]) < [800.0 / 750.0, 1.0]).all()


def test_the_planar_arm_and_its_whole_map_are_in_view():
    path = CONFIGS[0].with_name("planar_rrt.rviz")
    left, bottom, height = planar_rrt.MAP_AT
    for x in (0.0, 2.0 * np.pi):
        for y in (0.0, 2.0 * np.pi):
            assert in_view(path, (left + x, bottom + y, height))
    for x, y in ((2.0, 0.0), (-2.0, 0.0), (0.0, 2.0), (0.0, -2.0)):  # its reach
        assert in_view(path, (x, y, 0.0))


def test_tour_robots_are_in_view_and_not_behind_a_pillar():
    path = CONFIGS[0].with_name("demo.rviz")
    boxes = [
        trimesh.creation.box(part.shape.size, transform=obstacle.pose @ part.pose)
        for obstacle in load_scene("panda_pillars").obstacles.values()
        for part in obstacle.shapes
    ]
    for name, (x, y, z, _) in tour.PLACES.items():
        for up in (0.0, 0.2, 0.4) if "odom" in name else (0.0,):
            point = np.array([x, y, z + up])
            assert in_view(path, point), name
            if name.startswith("panda"):
                continue
            camera = picture(path, point)[1]
            for box in boxes:
                hits = box.ray.intersects_location([camera], [point - camera])[0]
                assert (
                    np.linalg.norm(hits - camera, axis=1) > np.linalg.norm(point - camera)
                ).all()
