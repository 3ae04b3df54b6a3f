"""The commands that go out to whoever drives the joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.nodes.common.message_time import duration_of
from rigid_tree_kinematics.nodes.servo.parameters import TRAJECTORY, ServoParameters
from rigid_tree_kinematics.servo import Servo, ServoStep

Array = NDArray[np.float64]


class Output:
    """Publishes steps of a servo for all joints of a group, of which some may stand.

    A trajectory goes on behind its first point: a step as fast as the last one, then a stop. So a
    command that comes late changes nothing, and one that never comes lets the robot stop.
    """

    def __init__(self, node: Node, parameters: ServoParameters) -> None:
        self._parameters = parameters
        kind: Any = (
            JointTrajectory if parameters.command_out_type == TRAJECTORY else Float64MultiArray
        )
        self._publisher = node.create_publisher(kind, parameters.command_out_topic, 10)
        self._trajectories = kind is JointTrajectory

    def publish(self, servo: Servo, step: ServoStep, joints: Sequence[str]) -> None:
        """Publish where ``joints`` shall be a period from now."""
        moving = dict(zip(servo.joints, range(len(servo.joints)), strict=True))
        columns = np.array([moving.get(name, -1) for name in joints])
        standing = servo.positions_of(joints)

        def all_of(values: Array, others: Array) -> list[float]:
            return list(np.where(columns < 0, others, values[columns]).tolist())

        still = np.zeros(len(joints))
        period = self._parameters.publish_period
        points = [(0.0, step.positions, step.velocities), *servo.stopping_points()]
        if not self._trajectories:
            positions = self._parameters.publish_joint_positions
            data = all_of(*((step.positions, standing) if positions else (step.velocities, still)))
            self._publisher.publish(Float64MultiArray(data=data))
            return
        velocities = self._parameters.publish_joint_velocities
        self._publisher.publish(
            JointTrajectory(
                joint_names=list(joints),
                points=[
                    JointTrajectoryPoint(
                        positions=all_of(q, standing),
                        velocities=all_of(v, still) if velocities else [],
                        time_from_start=duration_of(period + after),
                    )
                    for after, q, v in points
                ],
            )
        )
