"""The stamp, names and positions of a joint-state message."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import position_of_pose
from rigid_tree_kinematics.nodes.common.requests import SECOND


@dataclass(frozen=True, eq=False)
class JointReading:
    """The positions of a JointState; ``names`` and ``positions`` can differ in length."""

    seconds: int
    nanoseconds: int
    names: tuple[str, ...]
    positions: NDArray[np.float64]

    @property
    def stamp(self) -> int:
        """The time of measurement, ns."""
        return self.seconds * SECOND + self.nanoseconds


def joint_reading(message: JointState) -> JointReading:
    """Return the reading of a JointState."""
    stamp, positions = message.header.stamp, np.array(message.position, dtype=np.float64)
    return JointReading(stamp.sec, stamp.nanosec, tuple(message.name), positions)


def multi_dof_reading(message: MultiDOFJointState, tree: RigidBodyTree) -> JointReading:
    """Return the message with positions like ``joint/x``; other joints keep their names.

    Raises ConfigurationError for mismatched arrays and for joints of other types.
    """
    if len(message.joint_names) != len(message.transforms):
        raise ConfigurationError(
            f"{len(message.joint_names)} joint names, but {len(message.transforms)} transforms"
        )
    joints = {joint.name: joint for joint in tree.joints}
    names: list[str] = []
    positions: list[float] = []
    for name, transform in zip(message.joint_names, message.transforms, strict=True):
        joint = joints.get(name)
        if joint is None:
            names.append(name)  # reported as unknown, like any other
            positions.append(0.0)
        elif joint.position_count <= 1:
            raise ConfigurationError(f"joint '{name}' is {joint.type}, not planar or floating")
        else:
            names += joint.position_names
            shift, turn = transform.translation, transform.rotation
            pose = position_of_pose(
                joint, (shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w)
            )
            positions += pose.tolist()
    stamp = message.header.stamp
    return JointReading(stamp.sec, stamp.nanosec, tuple(names), np.array(positions))
