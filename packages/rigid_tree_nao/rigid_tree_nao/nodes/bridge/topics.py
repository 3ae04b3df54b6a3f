"""The command topics of NAO's older drivers; each calls a method."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.base import Ticker, pose_matrix
from rigid_tree_nao import NaoError
from rigid_tree_nao.model import place_of, planar
from rigid_tree_nao.nodes.bridge.trajectories import Trajectories
from rigid_tree_nao.nodes.methods import METHODS, reject_non_finite
from rigid_tree_nao.nodes.parameters import BridgeSettings
from rigid_tree_nao.nodes.robot import WARNING_PERIOD, NaoRobot, reason_of
from rigid_tree_nao.robot import footprint

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
except ImportError:
    JointAnglesWithSpeed = None


WATCH_PERIOD = 0.05  # s
PLACE_PATIENCE = 0.2  # s that a goal waits for the robot's place
MOST_PENDING = 5  # calls by joint_angles, beyond which messages are dropped
ABSOLUTE = 0  # JointAnglesWithSpeed.relative, whose definition has no constants


class CommandTopics:
    """Turns messages into calls of the robot; a message that cannot be executed is logged."""

    def __init__(self, node: Node, robot: NaoRobot, settings: BridgeSettings) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self.timeout = settings.cmd_vel_timeout
        self._pending: list[Answer[Any]] = []
        self._our_walk = 0  # number of the last walk that cmd_vel started or changed
        self._may_walk = threading.Event()  # that walk may be active
        self._last_cmd_vel = 0.0
        self._stopping: Answer[Any] | None = None
        self._trajectories = Trajectories(robot)
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
        # In its own thread: a long callback cannot keep the robot walking.
        self._ticker = Ticker(node, WATCH_PERIOD, self._watch, self._may_walk)
        self._ticker.start()

    def destroy(self) -> None:
        """Stop watching the walk."""
        self._ticker.stop()

    def _guarded(self, topic: str, take: Callable[[Any], list[str]]) -> Callable[[Any], None]:
        """Return a callback that never raises; remarks and errors are logged."""

        def callback(message: Any) -> None:
            try:
                if not self._robot.connection.state.is_connected:
                    raise NaoError("the robot is not connected")
                reject_non_finite(message)
                remarks = take(message)
            except Exception as error:
                remarks = [f"dropped: {reason_of(error)}"]
            if remarks:
                self._node.get_logger().warning(
                    f"{topic}: {'; '.join(remarks)}", throttle_duration_sec=WARNING_PERIOD
                )

        return callback

    def _on_angles(self, message: JointAnglesWithSpeed) -> list[str]:
        self._pending = [answer for answer in self._pending if not answer.done()]
        if len(self._pending) >= MOST_PENDING:
            return ["dropped: the robot answers more slowly than messages arrive"]
        method = "set_angles" if message.relative == ABSOLUTE else "change_angles"
        names, angles = list(message.joint_names), [float(a) for a in message.joint_angles]
        remarks, answer = self._send("joint_angles", method, names, angles, float(message.speed))
        self._pending.append(answer)
        return remarks

    def _on_trajectory(self, message: JointTrajectory) -> list[str]:
        names = list(message.joint_names)
        if not message.points:
            self._trajectories.stop(list(self._robot.body.joints(names or "Body")))
            return ["the trajectory is empty: stopped the robot"]
        arguments = interpolation(names, message)
        remarks = METHODS["angle_interpolation"].remarks(self._robot, arguments)
        self._trajectories.follow(arguments)
        return remarks

    def _on_stiffness(self, message: JointState) -> list[str]:
        values = [float(value) for value in message.effort]
        if len(values) != len(message.name) or not values:
            raise NaoError("name and effort (the stiffness) are empty or of different lengths")
        if not all(0.0 <= value <= 1.0 for value in values):
            raise NaoError(f"a stiffness is not within [0, 1]: {values}")
        return self._send("joint_stiffness", "set_stiffnesses", list(message.name), values)[0]

    def _on_speech(self, message: String) -> list[str]:
        answer = self._robot.connection.call("ALTextToSpeech", "say", message.data)
        self._robot.log_failure("speech", answer)
        return []

    def _send(self, topic: str, name: str, *arguments: Any) -> tuple[list[str], Answer[Any]]:
        """Check the arguments of a method and call it; return remarks and the call's Future."""
        method, checked = METHODS[name], list(arguments)
        remarks = method.remarks(self._robot, checked)
        return remarks, method.send(self._robot, topic, *checked)

    def _on_velocity(self, message: Twist) -> list[str]:
        x, y, theta = message.linear.x, message.linear.y, message.angular.z
        self._last_cmd_vel = time.monotonic()
        if not any((x, y, theta)):
            self.stop()
            return []
        remarks, _ = self._send("cmd_vel", "move", x, y, theta)
        self._our_walk = self._robot.walk.latest
        self._may_walk.set()
        return remarks

    def _on_pose(self, message: Pose2D) -> list[str]:
        return self._send("cmd_pose", "move_to", message.x, message.y, message.theta)[0]

    def _on_goal(self, message: PoseStamped) -> list[str]:
        prefix, frame = self._settings.frame_prefix, message.header.frame_id
        into_footprint = {
            f"{prefix}base_footprint": lambda: np.eye(4),
            f"{prefix}base_link": self._footprint_from_torso,
            f"{prefix}{self._settings.odom_frame}": self._footprint_from_odom,
        }
        if frame not in into_footprint:
            raise NaoError(f"unknown frame '{frame}'; known: {', '.join(into_footprint)}")
        goal = place_of(into_footprint[frame]() @ pose_matrix(message.pose))
        return self._send("move_base_simple/goal", "move_to", *goal)[0]

    def _footprint_from_torso(self) -> Array:
        state = self._robot.state
        if state is None:
            raise NaoError("the robot's position is not known yet")
        return inverse(footprint(self._robot.body, state.angles, state.T_odom_torso))

    def _footprint_from_odom(self) -> Array:
        """Query the robot, which has moved since the last reading; later commands wait."""
        place = self._robot.connection.ask(
            "ALMotion", "getRobotPosition", True, timeout=PLACE_PATIENCE
        )
        return inverse(planar(*map(float, place)))

    def stop(self) -> Answer[Any]:
        """Stop the walk; return the Future of the call."""
        self._stopping = METHODS["stop_move"].call(self._robot)
        return self._stopping

    def _watch(self) -> None:
        """Stop a walk by cmd_vel when no more velocities arrive; retry after a failure."""
        walk = self._robot.walk
        self._may_walk.clear()  # before the check: a walk that starts meanwhile is not missed
        is_ours = walk.is_walking and self._our_walk == walk.latest
        if is_ours:
            self._may_walk.set()
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
) -> list[Any]:
    """Return angleInterpolation's arguments for a trajectory; points at time 0 are ignored."""
    timed = [(Duration.from_msg(p.time_from_start).nanoseconds / 1e9, p) for p in message.points]
    timed = [(seconds, point) for seconds, point in timed if seconds > 0.0]
    times, points = [seconds for seconds, _ in timed], [point for _, point in timed]
    if not points:
        raise NaoError("no point has a time_from_start above 0")
    if any(len(point.positions) != len(names) for point in points):
        raise NaoError(f"every point must have {len(names)} positions, one for each joint")
    if np.any(np.diff(times) <= 0.0):
        raise NaoError("the times of the points must increase")
    angles = [[float(point.positions[k]) for point in points] for k in range(len(names))]
    return [names, angles, [times] * len(names), is_absolute]
