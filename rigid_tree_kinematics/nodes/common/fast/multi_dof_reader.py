"""Reading MultiDOFJointState: transforms of planar and floating joints as named positions."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import MultiDOFJointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import position_of_pose
from rigid_tree_kinematics.nodes.common.fast.joint_state_reader import JointReading


def multi_dof_reading(message: MultiDOFJointState, tree: RigidBodyTree) -> JointReading:
    """Return the message as ``joint/x``-style positions; names of other joints stay as they are.

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
