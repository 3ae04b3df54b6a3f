"""Node: the planar demo with its map, tree, path, obstacles and moving arm.

It publishes the joint states of robots/planar_two_link.urdf, so no other node must publish them.
The frame ``configuration_space`` beside the arm has the two joint angles as x and y.
"""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, TransformStamped
from nav_msgs.msg import OccupancyGrid
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Prism
from rigid_tree_kinematics.collision.shapes import triangulation
from rigid_tree_kinematics.collision.shapes.fit_cache import cache_folder
from rigid_tree_kinematics.nodes.base import (
    LATCHED,
    Parameters,
    TaskError,
    TaskNode,
    parameter,
    run_node,
)
from rigid_tree_kinematics.planning import ConfigurationMap, planar_demo, saved_map

NAME = "planar_rrt"
ARM_FRAME, MAP_FRAME = "base_link", "configuration_space"
MAP_AT = (2.6, -3.1, 0.0)  # m, of the map's corner in the arm's frame
RATE = 50.0  # joint states a second
TREE_RATE = 10.0  # Hz, of the growing tree
PAUSE = 1.0  # s, at both ends
PATIENCE = 300.0  # s, for the search

OBSTACLE = ColorRGBA(r=0.33, g=0.38, b=0.43, a=1.0)
TREE = ColorRGBA(r=0.23, g=0.51, b=0.77, a=1.0)
PATH = ColorRGBA(r=0.85, g=0.28, b=0.06, a=1.0)
CROSSING = ColorRGBA(r=0.85, g=0.28, b=0.06, a=0.35)
TREE_WIDTH, PATH_WIDTH, TRACE_WIDTH = 0.01, 0.03, 0.02  # m
HALF_HEIGHT = 0.05  # m, of the drawn obstacles


@dataclass(frozen=True)
class PlanarSettings(Parameters):
    """The node's parameters."""

    start: tuple[float, ...] = parameter(
        tuple(planar_demo.PLANAR_DEMO.start.tolist()),
        "Joint angles at the start of the path.",
        unit="rad",
    )
    goal: tuple[float, ...] = parameter(
        tuple(planar_demo.PLANAR_DEMO.goal.tolist()), "Goal of the arm's tip: x, y.", unit="m"
    )
    seed: int = parameter(0, "Random seed: equal seeds give equal paths.", 0, 2**31 - 1)
    speed: float = parameter(0.8, "Speed of the faster joint.", 0.01, 10.0, unit="rad/s")
    growth_time: float = parameter(4.0, "Duration of the tree animation.", 0.0, 60.0, unit="s")
    once: bool = parameter(False, "Exit when the goal is reached.")
    map_file: str = parameter("", "File of the map (.npz). Empty: in the user's cache.")


class PlanarRrt(TaskNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = settings = PlanarSettings.declare(self)
        self._arm = replace(
            planar_demo.PLANAR_DEMO, start=np.array(settings.start), goal=np.array(settings.goal)
        )
        self._at = self._arm.start
        self._states = self.create_publisher(JointState, "joint_states", 10)
        self._map = self.create_publisher(OccupancyGrid, "configuration_map", LATCHED)
        self._scene = self.create_publisher(MarkerArray, "scene_markers", LATCHED)
        self._tree = self.create_publisher(MarkerArray, "planning_tree", LATCHED)
        self._path = self.create_publisher(MarkerArray, "planned_path", LATCHED)
        self._trace = self.create_publisher(MarkerArray, "trace", QoSProfile(depth=5))
        self._static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
        self.create_timer(1.0 / RATE, self._publish_state)

    async def play(self) -> None:
        """Show the map, search, show the tree, then move back and forth along the path."""
        found_map = self._load_map()
        self._map.publish(grid_message(found_map, self.get_clock().now().to_msg()))
        self._place_map_and_obstacles()
        plan = await self._search()
        for line in plan.report(found_map):
            self.get_logger().info(line)
        best = plan.best
        if best is None:
            raise TaskError("there is no path to either goal")
        await self._grow(best)
        self._show_path(best)
        waypoints = planar_demo.evenly(self._arm, best.best.path, self._settings.speed / RATE)
        while True:
            await self._move(waypoints)
            if self._settings.once:
                return
            waypoints = waypoints[::-1]
            await self.sleep(PAUSE)

    def _place_map_and_obstacles(self) -> None:
        place = TransformStamped(child_frame_id=MAP_FRAME)
        place.header.frame_id = ARM_FRAME
        shift = place.transform.translation
        shift.x, shift.y, shift.z = MAP_AT
        self._static.publish(TFMessage(transforms=[place]))
        markers = []
        for number, corners in enumerate(self._arm.obstacles, start=1):
            vertices, faces = triangulation(Prism(corners, -HALF_HEIGHT, HALF_HEIGHT))
            marker = marker_of(
                Marker.TRIANGLE_LIST, f"obstacle {number}", ARM_FRAME, 1.0, OBSTACLE
            )
            marker.scale.y = marker.scale.z = 1.0
            ends = vertices[faces].reshape(-1, 3).tolist()
            marker.points = [Point(x=x, y=y, z=z) for x, y, z in ends]
            markers.append(marker)
        self._scene.publish(MarkerArray(markers=markers))

    def _load_map(self) -> ConfigurationMap:
        given = os.path.expanduser(self._settings.map_file)
        path = Path(given or cache_folder().parent / "planar_map.npz")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            found, reused = saved_map(path, self._arm.map_key(), self._arm.map)
        except (OSError, ValueError) as error:  # ValueError: no path at all
            self.get_logger().warning(f"the map was not saved: {error}")
            found, reused = self._arm.map(), False
        self.get_logger().info(
            f"map: {found.free_count} cells free, {found.blocked_count} blocked, "
            f"{'reused from' if reused else 'computed and saved to'} {path}"
        )
        return found

    async def _search(self) -> planar_demo.PlanarPlan:
        """Return the plan, computed in another thread while joint states continue."""
        settings = replace(planar_demo.DEMO_SETTINGS, seed=self._settings.seed)
        plan: Future[planar_demo.PlanarPlan] = Future()
        cancel = threading.Event()

        def search() -> None:
            try:
                plan.set_result(planar_demo.search_paths(self._arm, settings, cancel=cancel))
            except Exception as error:
                plan.set_exception(error)

        self.set_timeout(PATIENCE)
        threading.Thread(target=search, daemon=True).start()
        try:
            await self.until(plan.done, "the search has not finished")
        finally:
            cancel.set()
        return plan.result()

    def _publish_state(self) -> None:
        message = JointState(name=list(planar_demo.JOINTS), position=self._at.tolist())
        message.header.stamp = self.get_clock().now().to_msg()
        self._states.publish(message)

    async def _grow(self, search: planar_demo.GoalSearch) -> None:
        """Show the tree growing."""
        pieces = planar_demo.tree_pieces(search)
        frames = max(1, round(self._settings.growth_time * TREE_RATE))
        for frame in range(1, frames + 1):
            marker = marker_of(Marker.LINE_LIST, "tree", MAP_FRAME, TREE_WIDTH, TREE)
            shown = pieces[: len(pieces) * frame // frames]
            marker.points = [flat_point(end) for piece in shown for end in piece]
            self._tree.publish(MarkerArray(markers=[marker]))
            await self.sleep(self._settings.growth_time / frames)

    def _show_path(self, search: planar_demo.GoalSearch) -> None:
        """Show the path on the map; motions across a border are pale."""
        markers = [Marker(action=Marker.DELETEALL)]
        for number, (piece, crosses) in enumerate(
            planar_demo.map_pieces(search.best.path), start=1
        ):
            color = CROSSING if crosses else PATH
            marker = marker_of(Marker.LINE_STRIP, "path", MAP_FRAME, PATH_WIDTH, color)
            marker.id = number
            marker.points = [flat_point(end) for end in piece]
            markers.append(marker)
        self._path.publish(MarkerArray(markers=markers))

    async def _move(self, waypoints: Array) -> None:
        """Move the arm along the path, with the trace of its tip."""
        trace = marker_of(Marker.LINE_STRIP, "trace", ARM_FRAME, TRACE_WIDTH, PATH)
        for q in waypoints:
            self._at = q
            trace.points.append(flat_point(self._arm.points(q)[-1]))
            self._trace.publish(MarkerArray(markers=[trace]))
            await self.sleep(1.0 / RATE)
        self._publish_state()
        first, second = waypoints[-1]
        end = self._arm.points(waypoints[-1])[-1]
        self.get_logger().info(
            f"the arm reached joint angles ({first:.6f}, {second:.6f}) rad, its end "
            f"({end[0]:.6f}, {end[1]:.6f}) m"
        )


def grid_message(found: ConfigurationMap, stamp: Any) -> OccupancyGrid:
    """Return a map as a message: 0 free, 100 blocked, one meter per radian."""
    message = OccupancyGrid()
    message.header.frame_id, message.header.stamp = MAP_FRAME, stamp
    message.info.map_load_time = stamp
    cell = float(found.first[1] - found.first[0])
    message.info.resolution = cell
    message.info.width, message.info.height = len(found.first), len(found.second)
    # A cell's value is sampled at its center.
    message.info.origin.position.x = float(found.first[0]) - 0.5 * cell
    message.info.origin.position.y = float(found.second[0]) - 0.5 * cell
    message.info.origin.orientation.w = 1.0
    message.data = (100 * found.blocked.T.astype(np.int8)).reshape(-1).tolist()
    return message


def marker_of(kind: int, name: str, frame: str, scale: float, color: ColorRGBA) -> Marker:
    """Return a marker without points; ``scale`` is the width of lines, m.

    It is locked to its frame: RViz draws others only if TF has the frame when they arrive.
    """
    marker = Marker(type=kind, ns=name, color=color, frame_locked=True)
    marker.header.frame_id = frame
    marker.scale.x = scale
    return marker


def flat_point(position: Sequence[float] | Array) -> Point:
    """Return two coordinates as a point in the plane."""
    return Point(x=float(position[0]), y=float(position[1]))


PARAMETERS = (PlanarSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, PlanarRrt, PARAMETERS)
