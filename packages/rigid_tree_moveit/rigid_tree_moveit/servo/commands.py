"""Commands to the servo, its steps for them, and its commands to the joints' driver."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from control_msgs.msg import JointJog
from geometry_msgs.msg import PoseStamped, TwistStamped
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.nodes.base import pose_matrix
from rigid_tree_kinematics.servo import Servo, ServoStep
from rigid_tree_moveit.servo.parameters import TRAJECTORY, UNITLESS, ServoParameters

# From a frame's name to T_base_frame.
FrameOf = Callable[[str], Array]


@dataclass(eq=False)
class Command(ABC):
    """A message with its time of arrival (s)."""

    message: Any
    arrival: float

    @property
    def stamp(self) -> float:
        """The message's stamp (s)."""
        at = self.message.header.stamp
        return float(at.sec + 1e-9 * at.nanosec)

    def is_fresh(self, now: float, timeout: float) -> bool:
        """Return whether it is recent, by its stamp, if it has one, and by its arrival."""
        stamp = self.stamp
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
        frame = frame_of(self.message.header.frame_id)
        return servo.step_pose(pose_matrix(self.message.pose), frame, self.stamp or self.arrival)


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

    def lead(self, servo: Servo, joints: tuple[str, ...]) -> None:
        """Publish this servo's steps for these joints from now on."""
        self._joints = joints
        # The published joints that the servo moves: rows in its steps, and places here.
        led = [k for k, name in enumerate(servo.joints) if name in joints]
        self._led = np.array(led, dtype=np.int64)
        self._places = np.array([joints.index(servo.joints[k]) for k in led], dtype=np.int64)

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
        period = self._parameters.publish_period
        message = JointTrajectory(joint_names=list(self._joints))
        for time, moved, rates in (
            (0.0, step.positions, step.velocities),
            *servo.stopping_points(),
        ):
            row, velocities = positions.copy(), np.zeros(len(self._joints))
            row[self._places], velocities[self._places] = moved[self._led], rates[self._led]
            point = JointTrajectoryPoint(positions=row.tolist())
            if self._parameters.publish_joint_velocities:
                point.velocities = velocities.tolist()
            point.time_from_start = Duration(seconds=period + time).to_msg()
            message.points.append(point)
        self._publisher.publish(message)
