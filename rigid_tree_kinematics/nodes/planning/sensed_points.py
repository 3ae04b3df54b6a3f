"""The points that sensors see, in the scene of a planning server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import ClockType
from rclpy.qos import qos_profile_sensor_data
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.serialization import deserialize_message
from rclpy.time import Time
from sensor_msgs.msg import PointCloud2

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Obstacle, PointCloud
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.common.process import (
    WARNING_PERIOD,
    report_error,
    wait_in_thread,
)
from rigid_tree_kinematics.nodes.common.requests import stamp_in
from rigid_tree_kinematics.nodes.common.robot import LATCHED, RobotServer
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
from rigid_tree_kinematics.nodes.scene import SceneKeeper, cloud_message, read_points
from rigid_tree_kinematics.nodes.tf import RobotInTf, TargetFrames
from rigid_tree_kinematics.perception import (
    SeenCells,
    cell_centers,
    cell_radius,
    cells_along_axes,
)

CLOUD_TIMEOUT = 0.2  # s, for TF and joint states at the time of a cloud
STALE = 0.5  # s, maximum age difference of a cloud and the robot's joint states
SHOW_PERIOD = 0.2  # s between two messages on topic seen_points


@dataclass(eq=False)
class _Sensor:
    """A topic of clouds, and its cells."""

    topic: str
    cells: SeenCells = field(default_factory=SeenCells)
    size: float = 0.0  # of the cells, m
    waiting: bytes | None = None  # the last message, not yet processed
    warned: float = -WARNING_PERIOD


class SensedPoints:
    """Adds the clouds of all sensors to a node's scene, in its own thread.

    If clouds arrive too fast, only the newest is used. Each sensor's points are an obstacle with
    the name of its topic.
    """

    def __init__(
        self,
        node: RobotServer[Any],
        keeper: SceneKeeper,
        frames: TargetFrames,
        settings: Callable[[], PlannerSettings],
    ) -> None:
        self._node, self._keeper, self._frames, self._settings = node, keeper, frames, settings
        self._sensors = [_Sensor(topic) for topic in settings().sensor_topics]
        self._seen_by: PlanningRobot | None = None
        self._shown = node.create_publisher(PointCloud2, "seen_points", LATCHED)
        self._next_show, self._is_shown = 0.0, True
        self._news = threading.Condition()
        self._at_work = threading.Lock()  # on the cells
        self._stopped = False
        for sensor in self._sensors:
            node.create_subscription(
                PointCloud2,
                sensor.topic,
                partial(self._on_cloud, sensor),
                qos_profile_sensor_data,
                callback_group=MutuallyExclusiveCallbackGroup(),
                qos_overriding_options=QoSOverridingOptions.with_default_policies(),
                raw=True,  # only the newest is deserialized, in the thread
            )
        self._thread = threading.Thread(target=self._run, name="sensed points", daemon=True)

    def start(self) -> None:
        """Start listening."""
        if self._sensors:
            self._thread.start()

    def stop(self) -> None:
        """Stop, and wait for the last cloud to be processed."""
        with self._news:
            self._stopped = True
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join()

    def clear(self) -> None:
        """Remove all points from the scene, until the next cloud."""
        with self._at_work:
            robot = self._node.robot
            for sensor in self._sensors:
                sensor.cells = SeenCells()
                self._waiting_cloud(sensor)
                if robot is None:
                    continue
                try:
                    self._keeper.set_sensed(sensor.topic, None, robot.checkers.checker)
                except RigidTreeError as error:  # another obstacle has the topic's name
                    self._warn(sensor, f"no points to clear: {error}")
            if self._sensors:
                self._show()

    @property
    def seen(self) -> tuple[NDArray[np.int64], float]:
        """The occupied cells, (n, 3) numbers along x, y and z, and their size, m.

        Cells of a previous size are left out.
        """
        size = self._settings().voxel_size
        numbers = [s.cells.numbers for s in self._sensors if s.size == size]
        return cells_along_axes(np.concatenate([np.empty(0, dtype=np.int64), *numbers])), size

    def _on_cloud(self, sensor: _Sensor, data: bytes) -> None:
        if problem := self._frames.stamp_check.problem(stamp_in(data)):
            self._warn(sensor, f"dropped a cloud: {problem}")
            return
        with self._news:
            sensor.waiting = data
            self._news.notify()

    # -- in the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        def has_news() -> bool:
            return self._stopped or any(sensor.waiting is not None for sensor in self._sensors)

        while True:
            with self._news:
                self._news.wait_for(has_news, self._pause())
                if self._stopped:
                    return
            for sensor in self._sensors:
                with self._at_work:
                    try:
                        self._process(sensor, self._waiting_cloud(sensor))
                    except RigidTreeError as error:
                        self._warn(sensor, f"dropped a cloud: {error}")
                    except Exception as error:  # a bug, which must not end the thread
                        report_error(self._node, sensor.topic, error)
            with self._at_work:
                if not self._is_shown and time.monotonic() >= self._next_show:
                    self._show()

    def _waiting_cloud(self, sensor: _Sensor) -> bytes | None:
        """Return the waiting cloud, if any, which no longer waits then."""
        with self._news:
            data, sensor.waiting = sensor.waiting, None
        return data

    def _pause(self) -> float | None:
        """Return the time (s) until the next work without a new cloud, or None."""
        lifetime = self._settings().point_lifetime
        pauses = []
        if not self._is_shown:
            pauses.append(max(0.0, self._next_show - time.monotonic()))
        if lifetime > 0.0 and any(len(sensor.cells.numbers) for sensor in self._sensors):
            pauses.append(max(0.05, 0.1 * lifetime))
        return min(pauses, default=None)

    def _process(self, sensor: _Sensor, data: bytes | None) -> None:
        """Add a cloud, if there is one, and remove points that are too old."""
        robot: PlanningRobot | None = self._node.robot
        if robot is None:
            return
        if robot is not self._seen_by:  # the scene has dropped the other robot's points
            for each in self._sensors:
                each.cells = SeenCells()
            self._seen_by, self._is_shown = robot, False
        if self._update_cells(sensor, data, robot):
            self._update_scene(sensor, robot)
            self._is_shown = False

    def _update_cells(self, sensor: _Sensor, data: bytes | None, robot: PlanningRobot) -> bool:
        """Update a sensor's cells; return whether they have changed."""
        settings, now = self._settings(), time.monotonic()
        changed = False
        if sensor.size != settings.voxel_size:
            changed = bool(len(sensor.cells.numbers))
            sensor.cells, sensor.size = SeenCells(), settings.voxel_size
        if data is None:
            return sensor.cells.remove_old(now, settings.point_lifetime) or changed
        numbers = self._cells(sensor, deserialize_message(data, PointCloud2), robot)
        return sensor.cells.add(numbers, now, settings.point_lifetime) or changed

    def _update_scene(self, sensor: _Sensor, robot: PlanningRobot) -> None:
        """Replace the sensor's points in the scene by its cells."""
        seen = None
        if len(sensor.cells.numbers):
            centers = cell_centers(sensor.cells.numbers, sensor.size)
            seen = Obstacle.of(sensor.topic, PointCloud(centers, cell_radius(sensor.size)))
        try:
            self._keeper.set_sensed(sensor.topic, seen, robot.checkers.checker)
        except RigidTreeError:
            sensor.cells = SeenCells()  # they are not in the scene
            raise
        if self._node.robot is not robot:  # replaced meanwhile: the points are in its root
            self._keeper.set_sensed(sensor.topic, None, lambda _: None)

    def _cells(
        self, sensor: _Sensor, message: PointCloud2, robot: PlanningRobot
    ) -> NDArray[np.int64]:
        """Return the cells of a message's points, except those on the robot.

        Raises a RigidTreeError if TF lacks the sensor's frame.
        """
        points, frame = read_points(message), message.header.frame_id
        stamp = Time.from_msg(message.header.stamp, clock_type=ClockType.ROS_TIME)
        configuration = self._configuration(sensor, robot, stamp)
        if not frame:
            raise ConfigurationError("header.frame_id is empty")
        in_tf = RobotInTf(robot, self._settings().frame_prefix)
        if (body := in_tf.body_of(frame)) is not None:
            placed = body_transform(robot.tree, configuration, body)
        else:
            placed = self._frames.lookup_within(in_tf.root, frame, stamp, CLOUD_TIMEOUT)
        held = self._keeper.requested.attached.values()
        return robot.own_body.cells(points, placed, configuration, held, sensor.size).numbers

    def _configuration(self, sensor: _Sensor, robot: PlanningRobot, stamp: Time) -> Array:
        """Return the robot's configuration at a time."""
        seconds = 1e-9 * stamp.nanoseconds
        if not seconds:
            return robot.state.configuration

        def is_known() -> bool:  # or joint states have stopped
            latest = robot.state.latest
            return latest is None or not 0.0 < seconds - latest < STALE

        wait_in_thread(is_known, CLOUD_TIMEOUT)
        configuration, gap = robot.state.at(seconds)
        if gap > STALE:
            consequence = "the robot is removed from it at the nearest known positions"
            self._warn(
                sensor, f"no joint states within {gap:.1f} s of a cloud's stamp: {consequence}"
            )
        return configuration

    def _show(self) -> None:
        """Publish the occupied cells."""
        self._next_show, self._is_shown = time.monotonic() + SHOW_PERIOD, True
        centers = [cell_centers(s.cells.numbers, s.size) for s in self._sensors]
        message = cloud_message(np.concatenate(centers))
        if self._seen_by is not None:
            root = self._seen_by.tree.base_name
            message.header.frame_id = self._settings().frame_prefix + root
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._shown.publish(message)

    def _warn(self, sensor: _Sensor, message: str) -> None:
        if time.monotonic() >= sensor.warned + WARNING_PERIOD:
            sensor.warned = time.monotonic()
            topic = self._node.resolve_topic_name(sensor.topic)
            self._node.get_logger().warning(f"{topic}: {message}")
