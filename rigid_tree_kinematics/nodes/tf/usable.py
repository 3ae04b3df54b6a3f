"""Which transforms of /tf are ones: the others are ignored, and said to be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.requests import BelievedStamps, nanoseconds_of

LONGEST_NAME = 255  # characters of a frame's name
FARTHEST = 1e9  # m
WARNING_PERIOD = 5.0  # s between two warnings


def usable(
    node: Node, transforms: Sequence[TransformStamped], stamps: BelievedStamps | None = None
) -> Iterator[TransformStamped]:
    """Yield the transforms that are poses between named frames; warn of the others.

    ``stamps`` checks those of moving frames; the stamp of a static transform means nothing.
    """
    for stamped in transforms:
        trouble = _trouble(stamped)
        if stamps is not None and not trouble:
            trouble = stamps.doubt(nanoseconds_of(stamped.header.stamp))
        if not trouble:
            yield stamped
            continue
        node.get_logger().warning(
            f"ignored the transform of frame '{stamped.child_frame_id[:LONGEST_NAME]}': {trouble}",
            throttle_duration_sec=WARNING_PERIOD,
        )


def _trouble(stamped: TransformStamped) -> str:
    for name in (stamped.child_frame_id, stamped.header.frame_id):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"a frame's name has 1 to {LONGEST_NAME} printable characters"
    shift, turn = stamped.transform.translation, stamped.transform.rotation
    if not all(abs(number) < FARTHEST for number in (shift.x, shift.y, shift.z)):
        return f"its translation ({shift.x:g}, {shift.y:g}, {shift.z:g}) is no place"
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if not abs(length - 1.0) < 0.1:
        return f"its quaternion has the length {length:g}"
    return ""
