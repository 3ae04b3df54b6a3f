"""Goals and poses as messages, from the types that MoveIt's Python interfaces accept."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped
from moveit_msgs import msg
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

from rigid_tree_kinematics.model.transforms import matrix_quaternion, rpy_matrix
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import converted, number


def joint_goal(positions: Mapping[str, float], tolerance: float) -> msg.Constraints:
    """Return joint positions with a tolerance (rad, m) as constraints."""
    tolerance = number("the tolerance", tolerance, 0.0)
    sides = {"tolerance_above": tolerance, "tolerance_below": tolerance, "weight": 1.0}
    return msg.Constraints(
        joint_constraints=[
            msg.JointConstraint(joint_name=name, position=float(value), **sides)
            for name, value in positions.items()
        ]
    )


def constrain_pose(
    goal: msg.Constraints, link: str, pose: PoseStamped, radius: float | None, angle: float | None
) -> None:
    """Constrain a link to a position within a radius (m), and to an orientation.

    The orientation is within an angle (rad) about each axis. None: no constraint.
    """
    if radius is not None:
        sphere = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[radius])
        at = Pose(position=pose.pose.position)
        region = msg.BoundingVolume(primitives=[sphere], primitive_poses=[at])
        position = msg.PositionConstraint(link_name=link, constraint_region=region, weight=1.0)
        position.header = pose.header
        goal.position_constraints.append(position)
    if angle is not None:
        sides = {f"absolute_{axis}_axis_tolerance": angle for axis in "xyz"}
        turn = msg.OrientationConstraint(link_name=link, header=pose.header, weight=1.0, **sides)
        turn.orientation = pose.pose.orientation
        goal.orientation_constraints.append(turn)


def state_of(positions: Mapping[str, float]) -> msg.RobotState:
    """Return a diff of the current state with these joint positions (rad, m)."""
    values = [float(value) for value in positions.values()]
    return msg.RobotState(
        joint_state=JointState(name=list(positions), position=values), is_diff=True
    )


def list_to_pose(values: Sequence[float]) -> Pose:
    """Return the pose of x, y, z (m) and roll, pitch, yaw (rad) or a quaternion x, y, z, w.

    Raises CommanderError for other numbers of values.
    """
    numbers = [float(value) for value in converted("a pose", "sequence<double>", values)]
    if len(numbers) not in (6, 7):
        expected = "a pose is x, y, z, roll, pitch, yaw or x, y, z, qx, qy, qz, qw"
        raise CommanderError(f"{expected}, not {numbers}")
    pose, turn = Pose(), numbers[3:]
    if len(turn) == 3:
        turn = matrix_quaternion(rpy_matrix(*turn)).tolist()
    pose.position.x, pose.position.y, pose.position.z = numbers[:3]
    orientation = pose.orientation
    orientation.x, orientation.y, orientation.z, orientation.w = turn
    return pose


def pose_to_list(pose: Pose) -> list[float]:
    """Return x, y, z (m) and the quaternion x, y, z, w of a pose."""
    at, turn = pose.position, pose.orientation
    return [at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]


def stamped(pose: Any, frame: str) -> PoseStamped:
    """Return a Pose, PoseStamped, or list of 6 or 7 numbers as PoseStamped.

    ``frame`` is used for poses without one. Raises CommanderError for other types.
    """
    if isinstance(pose, PoseStamped):
        result = copy.deepcopy(converted("the pose", "geometry_msgs/PoseStamped", pose))
        result.header.frame_id = result.header.frame_id or frame
        return result
    if isinstance(pose, str) or not isinstance(pose, Pose | Sequence):
        raise CommanderError(f"not a Pose, PoseStamped or list: {type(pose).__name__}")
    if not isinstance(pose, Pose):
        pose = list_to_pose(pose)
    result = PoseStamped(pose=copy.deepcopy(converted("the pose", "geometry_msgs/Pose", pose)))
    result.header.frame_id = frame
    return result
