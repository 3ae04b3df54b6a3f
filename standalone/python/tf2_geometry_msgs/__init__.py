"""A stand-in for tf2_geometry_msgs: geometry messages that a buffer can transform."""

from tf2_geometry_msgs.tf2_geometry_msgs import (
    do_transform_point,
    do_transform_pose,
    do_transform_pose_stamped,
    do_transform_vector3,
)

__all__ = [
    "do_transform_point",
    "do_transform_pose",
    "do_transform_pose_stamped",
    "do_transform_vector3",
]
