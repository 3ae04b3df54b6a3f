"""Commands and the steps of the servo for them."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from control_msgs.msg import JointJog
from geometry_msgs.msg import PoseStamped, TwistStamped

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.servo.parameters import UNITLESS, ServoParameters
from rigid_tree_kinematics.nodes.tf import pose_matrix
from rigid_tree_kinematics.servo import Servo, ServoStep

# From a frame's name to T_base_frame.
FrameOf = Callable[[str], Array]


@dataclass(eq=False)
class Command:
    """A message with its time of arrival (s)."""

    message: Any
    arrival: float

    def is_fresh(self, now: float, timeout: float) -> bool:
        """Return whether it is recent, by its stamp, if it has one, and by its arrival."""
        stamp = seconds_of(self.message.header.stamp)
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
        wanted = servo.in_base(
            (linear.x, linear.y, linear.z, angular.x, angular.y, angular.z),
            frame_of(self.message.header.frame_id),
            parameters.apply_twist_commands_about_ee_frame,
        )
        if parameters.command_in_type == UNITLESS:
            wanted[:3] *= parameters.scale_linear
            wanted[3:] *= parameters.scale_rotational
            return servo.step_twist(wanted)
        return servo.step_twist(servo.within_speeds(wanted))


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


# Class, topic and message type of each kind of command, by its number in ServoCommandType.
KINDS: tuple[tuple[type[Command], str, Any], ...] = (
    (JogCommand, "~/delta_joint_cmds", JointJog),
    (TwistCommand, "~/delta_twist_cmds", TwistStamped),
    (PoseCommand, "~/pose_target_cmds", PoseStamped),
)
