"""The topics by which NAO's older drivers move the robot: each calls a method."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from typing import Any

import nao_motion_interfaces.srv as srv
import numpy as np
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from nao_motion_interfaces.msg import NumberList
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.model import place_of, planar
from rigid_tree_kinematics.nao.robot import footprint
from rigid_tree_kinematics.nodes.common.process import Ticker
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.nao.methods import (
    ANGLE_INTERPOLATION,
    CHANGE_ANGLES,
    KILL_TASKS_USING_RESOURCES,
    MOVE,
    MOVE_TO,
    SET_ANGLES,
    SET_STIFFNESSES,
    STOP_MOVE,
    Method,
)
from rigid_tree_kinematics.nodes.nao.robot import (
    WARNING_PERIOD,
    NaoRobot,
    checked,
    floats,
    refuse_non_finite,
)
from rigid_tree_kinematics.nodes.nao.state import BridgeSettings
from rigid_tree_kinematics.nodes.tf import pose_matrix

try:  # everything else works without the messages of the older drivers
    from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
except ImportError:
    JointAnglesWithSpeed = None


WATCH_PERIOD = 0.05  # s
PLACE_PATIENCE = 0.2  # s that a goal waits for where the robot is
MOST_UNANSWERED = 5  # joint_angles under way, beyond which messages are dropped
ABSOLUTE = 0  # JointAnglesWithSpeed.relative, whose definition has no constants


class CommandTopics:
    """Turns messages into calls of the robot; a message that cannot be executed is logged."""

    def __init__(self, node: Node, robot: NaoRobot, settings: BridgeSettings) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self.timeout = settings.cmd_vel_timeout
        self._unanswered: list[Answer] = []
        self._walk = 0  # number of the walk that cmd_vel began, or changed, last
        self._walks = threading.Event()  # that walk may be under way
        self._last_cmd_vel = 0.0
        self._stopping: Answer | None = None
        if JointAnglesWithSpeed is None:
            node.get_logger().warning(
                "no topic joint_angles: naoqi_bridge_msgs is not installed "
                "(apt install ros-$ROS_DISTRO-naoqi-bridge-msgs)"
            )
        for kind, topic, take in (
            (JointAnglesWithSpeed, "joint_angles", self._on_angles),
            (JointTrajectory, "joint_trajectory", self._on_trajectory),
            (JointState, "joint_stiffness", self._on_stiffness),
            (Twist, "cmd_vel", self._on_velocity),
            (Pose2D, "cmd_pose", self._on_pose),
            (PoseStamped, "move_base_simple/goal", self._on_goal),
            (String, "speech", self._on_speech),
        ):
            if kind is not None:
                node.create_subscription(kind, topic, self._guarded(topic, take), 10)
        # In a thread of its own: no callback that lasts keeps the robot walking.
        self._ticker = Ticker(node, WATCH_PERIOD, self._watch, self._walks)
        self._ticker.start()

    def _guarded(self, topic: str, take: Callable[[Any], list[str]]) -> Callable[[Any], None]:
        """Return a callback that never raises; remarks and refusals are logged."""

        def callback(message: Any) -> None:
            try:
                if not self._robot.connection.state.is_connected:
                    raise NaoError("the robot is not connected")
                refuse_non_finite(message)
                remarks = take(message)
            except RigidTreeError as error:
                remarks = [f"dropped: {error}"]
            except Exception as error:
                remarks = [f"dropped: {type(error).__name__}: {error}"]
            if remarks:
                self._node.get_logger().warning(
                    f"{topic}: {'; '.join(remarks)}", throttle_duration_sec=WARNING_PERIOD
                )

        return callback

    # -- joints ----------------------------------------------------------------------------------

    def _on_angles(self, message: JointAnglesWithSpeed) -> list[str]:
        self._robot.body.joints(message.joint_names)
        method = SET_ANGLES if message.relative == ABSOLUTE else CHANGE_ANGLES
        request = srv.SetAngles.Request(
            names=message.joint_names,
            angles=floats(message.joint_angles),  # from single precision
            fraction_max_speed=message.speed,
        )
        remarks = checked(self._robot, method, request)
        self._unanswered = [answer for answer in self._unanswered if not answer.done()]
        if len(self._unanswered) >= MOST_UNANSWERED:
            return ["dropped: the robot answers more slowly than messages arrive"]
        self._unanswered.append(self._robot.send("joint_angles", method, request))
        return remarks

    def _on_trajectory(self, message: JointTrajectory) -> list[str]:
        names = list(message.joint_names)
        if names:
            self._robot.body.joints(names)
        if not message.points:
            request = srv.CallForAll.Request(names=names or ["Body"])
            self._robot.send("joint_trajectory", KILL_TASKS_USING_RESOURCES, request)
            return ["an empty trajectory: stopped"]
        follow = interpolation(names, message)
        remarks = checked(self._robot, ANGLE_INTERPOLATION, follow)
        # The trajectory before has to release the joints first.
        release = srv.CallForAll.Request(names=follow.names)
        self._robot.call(KILL_TASKS_USING_RESOURCES, release).add_done_callback(
            lambda _: self._robot.send("joint_trajectory", ANGLE_INTERPOLATION, follow)
        )
        return remarks

    def _on_stiffness(self, message: JointState) -> list[str]:
        values = floats(message.effort)
        if len(values) != len(message.name) or not values:
            raise NaoError("name and effort (the stiffness) are empty or of different lengths")
        if not all(0.0 <= value <= 1.0 for value in values):
            raise NaoError(f"a stiffness is not within [0, 1]: {values}")
        request = srv.SetStiffnesses.Request(names=message.name, stiffnesses=values)
        self._robot.send("joint_stiffness", SET_STIFFNESSES, request)
        return []

    def _on_speech(self, message: String) -> list[str]:
        answer = self._robot.connection.call("ALTextToSpeech", "say", message.data)
        answer.add_done_callback(lambda done: self._report("speech", done))
        return []

    def _report(self, topic: str, done: Answer) -> None:
        error = done.exception()
        if error is not None:
            self._node.get_logger().warning(f"{topic}: {error}")

    # -- walking ---------------------------------------------------------------------------------

    def _on_velocity(self, message: Twist) -> list[str]:
        x, y, theta = message.linear.x, message.linear.y, message.angular.z
        self._last_cmd_vel = time.monotonic()
        if not any((x, y, theta)):
            self.stop()
            return []
        remarks = self._go("cmd_vel", MOVE, x, y, theta)
        self._walk = self._robot.walk.latest
        self._walks.set()
        return remarks

    def _on_pose(self, message: Pose2D) -> list[str]:
        return self._go("cmd_pose", MOVE_TO, message.x, message.y, message.theta)

    def _on_goal(self, message: PoseStamped) -> list[str]:
        prefix, frame = self._settings.frame_prefix, message.header.frame_id
        into_footprint = {
            f"{prefix}base_footprint": lambda: np.eye(4),
            f"{prefix}base_link": self._footprint_from_torso,
            f"{prefix}{self._settings.odom_frame}": self._footprint_from_odom,
        }
        if frame not in into_footprint:
            raise NaoError(f"unknown frame '{frame}'; known are {', '.join(into_footprint)}")
        goal = place_of(into_footprint[frame]() @ pose_matrix(message.pose))
        return self._go("move_base_simple/goal", MOVE_TO, *goal)

    def _footprint_from_torso(self) -> Array:
        state = self._robot.state
        if state is None:
            raise NaoError("the position of the robot is not known yet")
        return inverse(footprint(self._robot.body, state.angles, state.T_odom_torso))

    def _footprint_from_odom(self) -> Array:
        """Ask the robot: the last reading may be old, and the robot has walked on since.

        Commands that arrive meanwhile wait, so that a stop does not overtake the walk.
        """
        place = self._robot.connection.ask(
            "ALMotion", "getRobotPosition", True, timeout=PLACE_PATIENCE
        )
        return inverse(planar(*map(float, place)))

    def _go(self, topic: str, method: Method, x: float, y: float, theta: float) -> list[str]:
        request = srv.Move.Request(x=x, y=y, theta=theta)
        remarks = checked(self._robot, method, request)
        self._robot.send(topic, method, request)
        return remarks

    def stop(self) -> Answer:
        """Stop the walk; return the Future of the call."""
        self._stopping = self._robot.call(STOP_MOVE, srv.Call.Request())
        return self._stopping

    def destroy(self) -> None:
        """Watch the walk no longer."""
        self._ticker.stop()

    def _watch(self) -> None:
        """Stop a walk by cmd_vel when no velocities arrive any more; after a failure, again."""
        walk = self._robot.walk
        self._walks.clear()  # before the look at it: nothing that begins meanwhile is missed
        is_ours = walk.is_walking and self._walk == walk.latest
        if is_ours:
            self._walks.set()
        if not is_ours or not self._robot.connection.state.is_connected:
            return
        silence = time.monotonic() - self._last_cmd_vel
        if silence <= self.timeout or (self._stopping and not self._stopping.done()):
            return
        self._node.get_logger().warning(
            f"no cmd_vel for {silence:.1f} s: the robot is stopped", throttle_duration_sec=1.0
        )
        self.stop()


def interpolation(
    names: list[str], message: JointTrajectory, is_absolute: bool = True
) -> srv.AngleInterpolation.Request:
    """Return the request that follows a trajectory; NaoError for one that cannot be followed.

    Points at time 0 are where the robot is expected to be; ALMotion begins wherever it is.
    """
    points = [p for p in message.points if seconds_of(p.time_from_start) > 0.0]
    if not points:
        raise NaoError("no point has a time_from_start above 0")
    if any(len(point.positions) != len(names) for point in points):
        raise NaoError(f"every point must have {len(names)} positions, one for each joint")
    times = [seconds_of(point.time_from_start) for point in points]
    if np.any(np.diff(times) <= 0.0):
        raise NaoError("the times of the points do not increase")
    return srv.AngleInterpolation.Request(
        names=names,
        angle_lists=[
            NumberList(values=[point.positions[k] for point in points]) for k in range(len(names))
        ],
        time_lists=[NumberList(values=times) for _ in names],
        is_absolute=is_absolute,
    )
