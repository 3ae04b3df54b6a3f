"""Messages to MoveIt's move_group: states, goals, kept directions and changes of the scene."""

import math
from collections.abc import Iterable, Mapping

from geometry_msgs.msg import Pose, PoseStamped
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    OrientationConstraint,
    PlanningScene,
    PositionConstraint,
    RobotState,
)
from rigid_tree_interfaces.msg import SceneChange
from sensor_msgs.msg import JointState
from shape_msgs.msg import SolidPrimitive

from rigid_tree_kinematics.nodes.motion import MotionError
from rigid_tree_web import panels

AT_POSITION = 1e-4  # m, rad; tolerance of goals
AT_ORIENTATION = 1e-3  # rad
KEPT = 0.05  # rad, of an orientation along a path
OPERATIONS = {
    SceneChange.ADD: CollisionObject.ADD,
    SceneChange.MOVE: CollisionObject.MOVE,
    SceneChange.REMOVE: CollisionObject.REMOVE,
    SceneChange.CLEAR: CollisionObject.REMOVE,  # of all objects, as it has no name
}


def robot_state(joints: JointState) -> RobotState:
    """Return the current state with these positions."""
    return RobotState(joint_state=joints, is_diff=True)


def joint_goal(positions: Mapping[str, float]) -> Constraints:
    """Return the goal that joints are at positions (rad, m)."""
    sides = {"tolerance_above": AT_POSITION, "tolerance_below": AT_POSITION, "weight": 1.0}
    items = [JointConstraint(joint_name=j, position=q, **sides) for j, q in positions.items()]
    return Constraints(joint_constraints=items)


def pose_goal(body: str, pose: PoseStamped) -> Constraints:
    """Return the goal that a link is at a pose."""
    place = PositionConstraint(header=pose.header, link_name=body, weight=1.0)
    ball = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[AT_POSITION])
    place.constraint_region.primitives = [ball]
    place.constraint_region.primitive_poses = [Pose(position=pose.pose.position)]
    turn = orientation(body, pose, (AT_ORIENTATION,) * 3)
    return Constraints(position_constraints=[place], orientation_constraints=[turn])


def kept_along(body: str, pose: PoseStamped, kept: str) -> Constraints:
    """Return what a link keeps along a path that begins at a pose: one of ``panels.KEPT``."""
    if kept not in (panels.ORIENTATION, panels.Z_AXIS):
        return Constraints()
    about_z = math.pi if kept == panels.Z_AXIS else KEPT
    return Constraints(orientation_constraints=[orientation(body, pose, (KEPT, KEPT, about_z))])


def orientation(
    body: str, pose: PoseStamped, tolerances: tuple[float, float, float]
) -> OrientationConstraint:
    """Return the constraint to a pose's orientation, with tolerances (rad) about its axes."""
    x, y, z = tolerances
    return OrientationConstraint(
        header=pose.header,
        link_name=body,
        orientation=pose.pose.orientation,
        absolute_x_axis_tolerance=x,
        absolute_y_axis_tolerance=y,
        absolute_z_axis_tolerance=z,
        weight=1.0,
    )


def scene_diff(changes: Iterable[SceneChange]) -> PlanningScene:
    """Return changes of the scene; raises MotionError for shapes that MoveIt's messages lack."""
    scene = PlanningScene(is_diff=True, robot_state=RobotState(is_diff=True))
    for change in changes:
        item = _object(change)
        if change.operation in OPERATIONS:
            item.operation = OPERATIONS[change.operation]
            scene.world.collision_objects.append(item)
            continue
        held = AttachedCollisionObject(object=CollisionObject(id=item.id))
        attaches = change.operation == SceneChange.ATTACH
        held.object.operation = CollisionObject.ADD if attaches else CollisionObject.REMOVE
        held.link_name, held.touch_links = change.link, change.touch_links
        scene.robot_state.attached_collision_objects.append(held)
    return scene


def _object(change: SceneChange) -> CollisionObject:
    obstacle = change.obstacle
    if obstacle.points.width or obstacle.mesh_resource or obstacle.meshes:
        raise MotionError(f"'{obstacle.name}': move_group receives no meshes and points from here")
    poses = list(obstacle.primitive_poses)
    poses += [Pose() for _ in obstacle.primitives[len(poses) :]]
    return CollisionObject(
        header=obstacle.header,
        id=obstacle.name,
        pose=obstacle.pose,
        primitives=obstacle.primitives,
        primitive_poses=poses,
    )


def reason(code: MoveItErrorCodes) -> str:
    """Return the message of an error, or its name for types without messages."""
    if text := getattr(code, "message", ""):
        return str(text)
    names = (name for name in dir(code) if name.isupper() and getattr(code, name) == code.val)
    return next(names, f"error {code.val}").lower().replace("_", " ")
