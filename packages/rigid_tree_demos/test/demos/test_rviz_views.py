"""What the demos show is in RViz's view."""

from pathlib import Path

import numpy as np
import trimesh
import yaml

from rigid_tree_demos import planar_rrt, tour
from rigid_tree_kinematics.collision import load_scene

CONFIG = Path(__file__).parents[2] / "config"


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
    path = CONFIG / "planar_rrt.rviz"
    left, bottom, height = planar_rrt.MAP_AT
    for x in (0.0, 2.0 * np.pi):
        for y in (0.0, 2.0 * np.pi):
            assert in_view(path, (left + x, bottom + y, height))
    for x, y in ((2.0, 0.0), (-2.0, 0.0), (0.0, 2.0), (0.0, -2.0)):  # its reach
        assert in_view(path, (x, y, 0.0))


def test_tour_robots_are_in_view_and_not_behind_a_pillar():
    path = CONFIG / "demo.rviz"
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
