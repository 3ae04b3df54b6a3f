"""The messages of the robot's state, serialized once and filled with new numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Imu, JointState
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nao.robot import RobotState, footprint
from rigid_tree_kinematics.nodes.common.fast import ReadyMessage
from rigid_tree_kinematics.nodes.nao.state.parameters import BridgeSettings
from rigid_tree_kinematics.nodes.tf import POSE, FrameMessage


class StateMessages:
    """Makes the messages of every reading, with joints in the order of "Body"."""

    def __init__(self, joints: Sequence[str], settings: BridgeSettings) -> None:
        self._names = list(joints)
        self._posed: RobotState | None = None  # the state of _poses
        self._poses = np.empty((2, POSE))
        prefix = settings.frame_prefix
        self._torso = f"{prefix}torso"
        self._base, self._odom = f"{prefix}base_link", f"{prefix}{settings.odom_frame}"
        self._body_names = self._names
        self._present = list(range(len(self._names)))
        self._sources: tuple[Array | None, ...] = (None, None, None)  # of the numbers
        self._numbers = np.empty((3, len(self._names)))
        self._joints = ReadyMessage(self._joints_of, 3 * len(self._names))
        self._odometry = ReadyMessage(self._odometry_of, 10)
        self._imu = ReadyMessage(self._imu_of, 10)
        self._frames = FrameMessage(
            [(self._odom, self._base), (self._base, f"{prefix}base_footprint")]
        )

    def joints(self, state: RobotState, stamp: tuple[int, int]) -> bytes | JointState:
        """Return the states of the joints that the robot has; ``stamp`` is in s and ns."""
        if self._present != list(state.present):
            self._present = list(state.present)
            self._names = [self._body_names[place] for place in self._present]
            self._joints = ReadyMessage(self._joints_of, 3 * len(self._names))
            self._sources = (None, None, None)
        sources = (state.angles, state.velocities, state.currents)
        if any(new is not old for new, old in zip(sources, self._sources, strict=True)):
            rows = np.stack(sources)
            self._numbers = rows[:, self._present]
            self._sources = sources
        return self._joints.encode(*stamp, self._numbers)

    def frames(self, state: RobotState, stamp: tuple[int, int]) -> bytes | TFMessage:
        """Return base_link in odom, and base_footprint in base_link."""
        return self._frames.encode(*stamp, self._poses_of(state))

    def odometry(self, state: RobotState, stamp: tuple[int, int]) -> bytes | Odometry:
        """Return the pose of base_link in odom, and the velocity of the walk."""
        return self._odometry.encode(
            *stamp, np.concatenate((self._poses_of(state)[0], state.walk_velocity))
        )

    def imu(self, state: RobotState, stamp: tuple[int, int]) -> bytes | Imu:
        """Return the values of the inertial unit."""
        numbers = (state.inclination_quaternion, state.rotation, state.acceleration)
        return self._imu.encode(*stamp, np.concatenate(numbers))

    def _poses_of(self, state: RobotState) -> Array:
        """Return the poses (2, 7) of ``frames``; those of the last state while nothing moves."""
        last = self._posed
        if (
            last is None
            or state.T_odom_torso is not last.T_odom_torso
            or state.angles is not last.angles
        ):
            T_torso_footprint = footprint(state.body, state.angles, state.T_odom_torso)
            self._poses = np.array([_pose(state.T_odom_torso), _pose(T_torso_footprint)])
        self._posed = state
        return self._poses

    # -- built once, as patterns -----------------------------------------------------------------

    def _joints_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> JointState:
        count = len(self._names)
        message = JointState(name=self._names)
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        message.position = numbers[:count]
        message.velocity = numbers[count : 2 * count]
        message.effort = numbers[2 * count :]
        return message

    def _odometry_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> Odometry:
        message = Odometry(child_frame_id=self._base)
        message.header.frame_id = self._odom
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        position, turn = message.pose.pose.position, message.pose.pose.orientation
        twist = message.twist.twist
        position.x, position.y, position.z = numbers[:3]
        turn.x, turn.y, turn.z, turn.w = numbers[3:7]
        twist.linear.x, twist.linear.y, twist.angular.z = numbers[7:]
        return message

    def _imu_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> Imu:
        message = Imu()
        message.header.frame_id = self._torso
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        turn, rate, pull = (
            message.orientation,
            message.angular_velocity,
            message.linear_acceleration,
        )
        turn.x, turn.y, turn.z, turn.w = numbers[:4]
        rate.x, rate.y, rate.z = numbers[4:7]
        pull.x, pull.y, pull.z = numbers[7:]
        return message


def _pose(T: Array) -> list[float]:
    """Return x y z qx qy qz qw of a 4x4."""
    return [*T[:3, 3].tolist(), *matrix_quaternion(T).tolist()]
