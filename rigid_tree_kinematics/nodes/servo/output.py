"""The commands to the driver of the joints."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.nodes.common.fast import ReadyMessage
from rigid_tree_kinematics.nodes.common.requests import duration_of
from rigid_tree_kinematics.nodes.servo.parameters import TRAJECTORY, ServoParameters
from rigid_tree_kinematics.servo import Servo, ServoStep


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
        end = duration_of(self._parameters.publish_period + points[-1][0])
        message = self._messages[len(points)]
        self._publisher.publish(message.encode(end.sec, end.nanosec, rows))

    def _trajectory(
        self, points: int, seconds: int, nanoseconds: int, numbers: Sequence[float]
    ) -> JointTrajectory:
        """Return points a period apart, except the last one, whose time is given."""
        values = np.reshape(numbers, (points, -1, len(self._joints))).tolist()
        message = JointTrajectory(joint_names=list(self._joints))
        for number, rows in enumerate(values, start=1):
            time = duration_of(number * self._parameters.publish_period)
            if number == points:
                time = Duration(sec=seconds, nanosec=nanoseconds)
            point = JointTrajectoryPoint(positions=rows[0], time_from_start=time)
            point.velocities = rows[1] if len(rows) > 1 else []
            message.points.append(point)
        return message
