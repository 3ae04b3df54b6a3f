"""Commands to the servo, its steps for them, and its commands to the joints' driver."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration as DurationMessage
from control_msgs.msg import JointJog
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.nodes.base import pose_matrix
from rigid_tree_kinematics.nodes.common.fast import ReadyMessage
from rigid_tree_kinematics.servo import Servo, ServoStep
from rigid_tree_moveit.servo.parameters import TRAJECTORY, UNITLESS, ServoParameters

# From a frame's name to T_base_frame.
FrameOf = Callable[[str], Array]


@dataclass(eq=False)
class Command:
    """A message with its time of arrival (s)."""

    message: Any
    arrival: float

    def is_fresh(self, now: float, timeout: float) -> bool:
        """Return whether it is recent, by its stamp, if it has one, and by its arrival."""
        at = self.message.header.stamp
        stamp = float(at.sec + 1e-9 * at.nanosec)
        if not 0.0 <= now - self.arrival < timeout:  # below 0: the clock was set back
            return False
        return stamp == 0.0 or now - stamp < timeout

    @abstractmethod
    def step(self, servo: Servo, parameters: ServoParameters, frame_of: FrameOf) -> ServoStep:
        """Return the servo's step; RigidTreeError for an invalid command."""


class TwistCommand(Command):
    """A TwistStamped."""

    def step(self, servo: Servo, parameters: ServoParameters, frame_of: FrameOf) -> ServoStep:
        """Move the tip by the twist."""
        linear, angular = self.message.twist.linear, self.message.twist.angular
        twist = np.array([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
        if parameters.command_in_type == UNITLESS:  # before the rotation moves the tip
            twist[:3] *= parameters.scale_linear
            twist[3:] *= parameters.scale_rotational
        else:
            twist = servo.within_speeds(twist)
        frame = frame_of(self.message.header.frame_id)
        about_tip = parameters.apply_twist_commands_about_ee_frame
        return servo.step_twist(servo.in_base(twist, frame, about_tip))


class JogCommand(Command):
    """A JointJog; its displacements are ignored."""

    def step(self, servo: Servo, parameters: ServoParameters, frame_of: FrameOf) -> ServoStep:
        """Move the joints by the velocities."""
        names, values = self.message.joint_names, self.message.velocities
        if len(names) != len(values):
            raise ConfigurationError(f"{len(names)} joint_names, but {len(values)} velocities")
        rates = np.zeros(len(servo.joints))
        for name, value in zip(names, values, strict=True):
            if name not in servo.joints:
                raise UnknownNameError("joint", name, servo.joints, "the group that moves")
            rates[servo.joints.index(name)] = value
        scale = parameters.scale_joint if parameters.command_in_type == UNITLESS else 1.0
        return servo.step_joints(scale * rates)


class PoseCommand(Command):
    """A PoseStamped."""

    def step(self, servo: Servo, parameters: ServoParameters, frame_of: FrameOf) -> ServoStep:
        """Move the tip towards the pose."""
        T_frame_target = pose_matrix(self.message.pose)
        return servo.step_pose(frame_of(self.message.header.frame_id) @ T_frame_target)


# Class, parameter with the topic, and message type of each kind of command, by its number in
# ServoCommandType.
KINDS: tuple[tuple[type[Command], str, Any], ...] = (
    (JogCommand, "joint_command_in_topic", JointJog),
    (TwistCommand, "cartesian_command_in_topic", TwistStamped),
    (PoseCommand, "pose_command_in_topic", PoseStamped),
)


class Output:
    """Publishes steps of a servo for all joints of a group; some of them may not move.

    A trajectory continues after its first point: a step at the last velocity, then a stop. A late
    command has no effect on the motion, and without another command the robot stops.
    """

    def __init__(self, node: Node, parameters: ServoParameters) -> None:
        self._parameters = parameters
        kind: Any = (
            JointTrajectory if parameters.command_out_type == TRAJECTORY else Float64MultiArray
        )
        self._publisher = node.create_publisher(kind, parameters.command_out_topic, 10)
        self._trajectories = kind is JointTrajectory
        self._joints: tuple[str, ...] = ()
        self._led = self._places = np.empty(0, dtype=np.int64)
        self._messages: dict[int, ReadyMessage[JointTrajectory]] = {}  # by their points

    def lead(self, servo: Servo, joints: tuple[str, ...]) -> None:
        """Publish this servo's steps for these joints from now on."""
        self._joints = joints
        # The published joints that the servo moves: rows in its steps, and places here.
        led = [k for k, name in enumerate(servo.joints) if name in joints]
        self._led = np.array(led, dtype=np.int64)
        self._places = np.array([joints.index(servo.joints[k]) for k in led], dtype=np.int64)
        numbers = len(joints) * (1 + self._parameters.publish_joint_velocities)
        if self._trajectories:
            self._messages = {  # in advance: building one takes a whole period
                points: ReadyMessage(partial(self._trajectory, points), points * numbers)
                for points in (1, 3)
            }

    def publish(self, servo: Servo, step: ServoStep) -> None:
        """Publish the positions of the joints a period from now."""
        positions = servo.positions_of(self._joints)
        if not self._trajectories:
            data, values = np.zeros(len(self._joints)), step.velocities
            if self._parameters.publish_joint_positions:
                data, values = positions, step.positions
            data[self._places] = values[self._led]
            self._publisher.publish(Float64MultiArray(data=data.tolist()))
            return
        points = [(0.0, step.positions, step.velocities), *servo.stopping_points()]
        rows = np.zeros((len(points), 2, len(self._joints)))
        rows[:, 0] = positions
        rows[:, :, self._places] = np.array([point[1:] for point in points])[:, :, self._led]
        if not self._parameters.publish_joint_velocities:
            rows = rows[:, :1]
        end = Duration(seconds=self._parameters.publish_period + points[-1][0]).to_msg()
        message = self._messages[len(points)]
        self._publisher.publish(message.encode(end.sec, end.nanosec, rows))

    def _trajectory(
        self, points: int, seconds: int, nanoseconds: int, numbers: Sequence[float]
    ) -> JointTrajectory:
        """Return points a period apart, except the last one, whose time is given."""
        values = np.reshape(numbers, (points, -1, len(self._joints))).tolist()
        message = JointTrajectory(joint_names=list(self._joints))
        for number, rows in enumerate(values, start=1):
            time = Duration(seconds=number * self._parameters.publish_period).to_msg()
            if number == points:
                time = DurationMessage(sec=seconds, nanosec=nanoseconds)
            point = JointTrajectoryPoint(positions=rows[0], time_from_start=time)
            point.velocities = rows[1] if len(rows) > 1 else []
            message.points.append(point)
        return message
