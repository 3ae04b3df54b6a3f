"""Several JointConstraints of one joint, merged."""

from __future__ import annotations

import math
from collections.abc import Sequence

from moveit_msgs.msg import JointConstraint

from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, error_code
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot

ROUNDING = 1e-9  # rad, m; ranges that meet in one point have this point in common


def check_numbers(item: JointConstraint, code: int) -> None:
    """Raise MoveItError unless the position is finite and the tolerances are not negative."""
    numbers = (item.position, item.tolerance_above, item.tolerance_below)
    if not all(map(math.isfinite, numbers)) or min(numbers[1:]) < 0.0:
        raise MoveItError(
            code, f"joint '{item.joint_name}': a position and tolerances are numbers"
        )


def merged_joints(
    items: Sequence[JointConstraint], robot: MoveItRobot, code: int
) -> list[JointConstraint]:
    """Return one constraint for each joint: the positions that all of its constraints allow.

    The position is that of the last one, or the nearest that all allow. MoveItError names a joint
    whose constraints exclude each other, or that does not exist.
    """
    merged: dict[str, JointConstraint] = {}
    for item in items:
        check_numbers(item, code)
        with error_code(code):
            joint = robot.tree.get_joint(item.joint_name)
        before = merged.get(item.joint_name)
        merged[item.joint_name] = item
        if before is None:
            continue
        shift = 0.0
        if joint.type == "continuous":
            turns = round((before.position - item.position) / (2.0 * math.pi))
            shift = 2.0 * math.pi * turns
        at = item.position + shift
        lows = (before.position - before.tolerance_below, at - item.tolerance_below)
        highs = (before.position + before.tolerance_above, at + item.tolerance_above)
        low, high = max(lows), min(highs)
        if low > high + ROUNDING:
            first, second = (f"[{a:.4g}, {b:.4g}]" for a, b in zip(lows, highs, strict=True))
            raise MoveItError(
                code,
                f"joint '{item.joint_name}': its constraints leave nothing: {first} and {second} "
                "do not meet",
            )
        high = max(low, high)
        middle = min(max(at, low), high)
        merged[item.joint_name] = JointConstraint(
            joint_name=item.joint_name,
            position=middle,
            tolerance_above=high - middle,
            tolerance_below=middle - low,
        )
    return list(merged.values())
