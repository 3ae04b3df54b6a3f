"""The topics that move the robot, under the names that NAO's older drivers gave them."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose2D, PoseStamped, Twist
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Empty
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nao.command_check import (
    limited_angles,
    limited_changes,
    limited_lists,
)
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.pose import place_of
from rigid_tree_kinematics.nao.robot_state import footprint
from rigid_tree_kinematics.nodes.common.message_time import seconds_of
from rigid_tree_kinematics.nodes.nao.checks import refuse_non_finite
from rigid_tree_kinematics.nodes.nao.parameters import BridgeSettings
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot
from rigid_tree_kinematics.nodes.tf.target_frames import pose_matrix

try:  # where the older drivers' messages are not installed, everything else works all the same
    from naoqi_bridge_msgs.msg import JointAnglesWithSpeed
except ImportError:
    JointAnglesWithSpeed = None

WATCH_PERIOD = 0.05  # s
WARNING_PERIOD = 2.0  # s between two warnings of one kind
MOST_UNANSWERED = 5  # joint_angles under way: a robot that is slower gets the later ones only


class CommandTopics:
    """Turns messages into calls; what is wrong with one is logged, and it is dropped."""

    def __init__(self, node: Node, robot: NaoRobot, settings: BridgeSettings) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self.timeout = settings.cmd_vel_timeout
        self._unanswered: list[Answer] = []
        self._walking = False  # by cmd_vel
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
        ):
            if kind is not None:
                node.create_subscription(kind, topic, self._guarded(topic, take), 10)
        group = ReentrantCallbackGroup()
        for name, method, arguments in (
            ("body_stiffness/enable", "ALMotion.setStiffnesses", ("Body", 1.0)),
            ("body_stiffness/disable", "ALMotion.setStiffnesses", ("Body", 0.0)),
            ("wakeup", "ALMotion.wakeUp", ()),
            ("stop_walk_srv", "ALMotion.stopMove", ()),
        ):
            answer = self._empty(name, method, arguments)
            node.create_service(Empty, name, answer, callback_group=group)
        node.create_timer(WATCH_PERIOD, self._watch)

    def _guarded(self, topic: str, take: Callable[[Any], list[str]]) -> Callable[[Any], None]:
        """Return a callback that no message can make raise; remarks and refusals are logged."""

        def callback(message: Any) -> None:
            try:
                if not self._robot.connection.state.is_connected:
                    raise NaoError("the robot is not connected")
                refuse_non_finite(message)
                remarks = [remark for remark in take(message) if remark]
            except RigidTreeError as error:
                remarks = [f"dropped: {error}"]
            except Exception as error:
                remarks = [f"dropped: {type(error).__name__}: {error}"]
            if remarks:
                self._node.get_logger().warning(
                    f"{topic}: {'; '.join(remarks)}", throttle_duration_sec=WARNING_PERIOD
                )

        return callback

    def _empty(self, name: str, method: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        async def answer(request: Any, response: Any) -> Any:
            try:
                await self._robot.value(method, *arguments)
            except RigidTreeError as error:
                self._node.get_logger().error(f"{name}: {error}")
            return response

        return answer

    # -- joints ----------------------------------------------------------------------------------

    def _on_angles(self, message: JointAnglesWithSpeed) -> list[str]:
        if not 0.0 < message.speed <= 1.0:
            raise NaoError(f"speed is a fraction of the highest, in (0, 1], not {message.speed:g}")
        relative = message.relative == JointAnglesWithSpeed.RELATIVE
        check = limited_changes if relative else limited_angles
        values = [float(angle) for angle in message.joint_angles]
        joints, angles, remarks = check(
            self._robot.body, list(message.joint_names), values, self._robot.commands
        )
        method = "ALMotion.changeAngles" if relative else "ALMotion.setAngles"
        self._unanswered = [answer for answer in self._unanswered if not answer.done()]
        if len(self._unanswered) >= MOST_UNANSWERED:
            return ["dropped: the robot is slower than the messages"]
        answer = self._robot.call(method, joints, angles, float(message.speed))
        self._unanswered.append(answer)
        answer.add_done_callback(self._report("joint_angles"))
        return [*remarks, self._robot.limp(joints)]

    def _on_trajectory(self, message: JointTrajectory) -> list[str]:
        names = list(message.joint_names)
        if names:
            self._robot.body.joints(names)
        held = names or ["Body"]
        if not message.points:
            self._robot.send("joint_trajectory", "ALMotion.killTasksUsingResources", held)
            return ["an empty trajectory: stopped"]
        points = [p for p in message.points if seconds_of(p.time_from_start) > 0.0]
        if not points:
            raise NaoError("no point has a time_from_start above 0")
        if any(len(point.positions) != len(names) for point in points):
            raise NaoError(f"a point has another number of positions than {len(names)}")
        times = [seconds_of(point.time_from_start) for point in points]
        if np.any(np.diff(times) <= 0.0):
            raise NaoError("the times of the points do not rise")
        lists = [[float(p.positions[k]) for p in points] for k in range(len(names))]
        joints, rows, remarks = limited_lists(
            self._robot.body, names, lists, self._robot.commands, True
        )
        follow = ("ALMotion.angleInterpolation", joints, rows, [times] * len(joints), True)
        # A new trajectory takes the joints over from the one before, as soon as that is killed.
        killed = self._robot.call("ALMotion.killTasksUsingResources", joints)
        killed.add_done_callback(lambda _: self._robot.send("joint_trajectory", *follow))
        return [*remarks, self._robot.limp(joints)]

    def _on_stiffness(self, message: JointState) -> list[str]:
        values = [float(value) for value in message.effort]
        if len(values) != len(message.name) or not values:
            raise NaoError("name and effort, the stiffness, are of different lengths, or empty")
        if not all(0.0 <= value <= 1.0 for value in values):
            raise NaoError(f"a stiffness is not within [0, 1]: {values}")
        self._robot.send("joint_stiffness", "ALMotion.setStiffnesses", list(message.name), values)
        return []

    # -- walking ---------------------------------------------------------------------------------

    def _on_velocity(self, message: Twist) -> list[str]:
        velocity = (message.linear.x, message.linear.y, message.angular.z)
        self._last_cmd_vel = time.monotonic()
        if not any(velocity):
            self.stop()
            return []
        self._walking = True
        self._robot.guard.walks()
        self._robot.send("cmd_vel", "ALMotion.move", *velocity)
        return [self._robot.limp(["Legs"])]

    def _on_pose(self, message: Pose2D) -> list[str]:
        self._robot.send("cmd_pose", "ALMotion.moveTo", message.x, message.y, message.theta)
        return [self._robot.limp(["Legs"])]

    def _on_goal(self, message: PoseStamped) -> list[str]:
        state = self._robot.state
        if state is None:
            raise NaoError("the robot's place is not known yet")
        prefix, frame = self._settings.frame_prefix, message.header.frame_id
        T_torso_footprint = footprint(self._robot.body, state.angles, state.T_odom_torso)
        to_footprint = {
            f"{prefix}base_footprint": np.eye(4),
            f"{prefix}base_link": inverse(T_torso_footprint),
            f"{prefix}{self._settings.odom_frame}": inverse(
                state.T_odom_torso @ T_torso_footprint
            ),
        }
        if frame not in to_footprint:
            raise NaoError(f"unknown frame '{frame}'; known are {', '.join(to_footprint)}")
        goal = place_of(to_footprint[frame] @ pose_matrix(message.pose))
        self._robot.send("move_base_simple/goal", "ALMotion.moveTo", *goal)
        return [self._robot.limp(["Legs"])]

    def stop(self) -> Answer:
        """Stop the walk."""
        answer = self._robot.call("ALMotion.stopMove")
        self._stopping = answer

        def stopped(done: Answer) -> None:
            # Where it did not get through, the watch tries again.
            if done.exception() is None:
                self._walking = False
                self._robot.guard.stands()

        answer.add_done_callback(stopped)
        return answer

    def _watch(self) -> None:
        """Stop the robot where nobody sends velocities any more."""
        if not self._walking or not self._robot.connection.state.is_connected:
            return
        silence = time.monotonic() - self._last_cmd_vel
        if silence <= self.timeout or (self._stopping and not self._stopping.done()):
            return
        self._node.get_logger().warning(
            f"no cmd_vel for {silence:.1f} s: the robot is stopped", throttle_duration_sec=1.0
        )
        self.stop()

    def _report(self, topic: str) -> Callable[[Answer], None]:
        def report(done: Answer) -> None:
            error = done.exception()
            if error is not None:
                self._node.get_logger().warning(
                    f"{topic}: {error}", throttle_duration_sec=WARNING_PERIOD
                )

        return report
