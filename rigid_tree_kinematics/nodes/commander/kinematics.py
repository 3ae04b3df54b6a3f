"""Forward and inverse kinematics by move_group, and joint limits."""

from __future__ import annotations

from collections.abc import Mapping

from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes, RobotState
from moveit_msgs.srv import GetPositionFK, GetPositionIK
from rclpy.duration import Duration

from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.commander.client import Client, known, text_of
from rigid_tree_kinematics.nodes.commander.connection import REPLY, CommanderError

LIMIT_TOLERANCE = 1e-4  # rad or m, MoveIt's tolerance of joint goals


def link_pose(client: Client, link: str, state: RobotState) -> PoseStamped:
    """Return the pose of a link, or of an object in the scene, in the planning frame.

    Raises CommanderError for an unknown link.
    """
    request = GetPositionFK.Request(fk_link_names=[link], robot_state=state)
    request.header.frame_id = client.planning_frame
    reply = client.call("compute_fk", request)
    if reply.error_code.val != MoveItErrorCodes.SUCCESS:
        raise CommanderError(f"pose of link '{link}': {text_of(reply.error_code)}")
    return reply.pose_stamped[0]


def inverse(
    client: Client,
    group: Group,
    pose: PoseStamped,
    link: str,
    seed: RobotState | None = None,
    timeout: float = 0.0,
) -> dict[str, float]:
    """Return positions of a group (rad, m) with a link at a pose; collisions are ignored.

    Raises CommanderError if there is no solution within the timeout (s; 0: move_group's).
    """
    request = GetPositionIK.Request()
    wanted = request.ik_request
    wanted.group_name, wanted.ik_link_name, wanted.pose_stamped = group.name, link, pose
    wanted.robot_state = seed or RobotState(is_diff=True)
    wanted.timeout = Duration(seconds=timeout).to_msg()
    reply = client.call("compute_ik", request, timeout + REPLY)
    if reply.error_code.val != MoveItErrorCodes.SUCCESS:
        raise CommanderError(f"inverse kinematics of link '{link}': {text_of(reply.error_code)}")
    state = reply.solution.joint_state
    found = dict(zip(state.name, state.position, strict=True))
    return {name: found[name] for name in group.joints}


def check_limits(tree: RigidBodyTree, group: Group, positions: Mapping[str, float]) -> None:
    """Raise CommanderError for joints that the group lacks, and positions outside the limits."""
    for name, position in positions.items():
        known("joint", name, group.members, f"group '{group.name}'")
        low, high = tree.joint_limits(name)
        if not low - LIMIT_TOLERANCE <= position <= high + LIMIT_TOLERANCE:
            raise CommanderError(
                f"joint '{name}': {position:g} is outside its limits {low:g} to {high:g}"
            )
