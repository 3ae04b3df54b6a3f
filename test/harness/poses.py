"""Poses of messages as 4x4 matrices."""

from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, TransformStamped
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.model.transforms import matrix_quaternion, quaternion_matrix, transform


def poses_in(*messages: TFMessage) -> dict[str, np.ndarray]:
    """Return all frames of messages in the root frame (4x4)."""
    links = {
        stamped.child_frame_id: (stamped.header.frame_id, matrix_of(stamped.transform))
        for message in messages
        for stamped in message.transforms
    }

    def pose(frame: str) -> np.ndarray:
        if frame not in links:
            return np.eye(4)
        parent, T_parent_frame = links[frame]
        return pose(parent) @ T_parent_frame

    return {frame: pose(frame) for frame in links}


def matrix_of(message: Any) -> np.ndarray:
    shift, turn = message.translation, message.rotation
    rotation = quaternion_matrix([turn.x, turn.y, turn.z, turn.w])
    return transform([shift.x, shift.y, shift.z], rotation)


def pose_stamped(T: np.ndarray, frame: str = "") -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    p, o = message.pose.position, message.pose.orientation
    p.x, p.y, p.z = (float(value) for value in T[:3, 3])
    o.x, o.y, o.z, o.w = (float(value) for value in matrix_quaternion(T[:3, :3]))
    return message


def transform_stamped(parent: str, child: str, T_parent_child: np.ndarray) -> TransformStamped:
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id = parent, child
    pose = pose_stamped(T_parent_child).pose
    message.transform.translation.x = pose.position.x
    message.transform.translation.y = pose.position.y
    message.transform.translation.z = pose.position.z
    message.transform.rotation = pose.orientation
    return message
