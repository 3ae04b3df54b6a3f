"""The scene of move_group: changed by MoveIt's messages, and told in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from moveit_msgs.msg import (
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    CollisionObject,
    LinkPadding,
    LinkScale,
    PlanningScene,
    PlanningSceneComponents,
)
from rigid_tree_interfaces.msg import SceneChange

from rigid_tree_kinematics.collision import AllowedCollisions, Scene
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.nodes.moveit.messages.allowed_messages import (
    allowed_message,
    read_allowed,
)
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot, robot_state
from rigid_tree_kinematics.nodes.moveit.messages.scene_messages import (
    attached_changes,
    attached_messages,
    object_message,
    standing_changes,
)
from rigid_tree_kinematics.nodes.scene import SceneKeeper, scene_message, with_arrays

ALL = 1023  # every component
ChangesOf = Callable[[Scene], list[SceneChange]]


async def change_scene(
    keeper: SceneKeeper,
    steps: Sequence[ChangesOf],
    robot: MoveItRobot,
    frames: BaseFrames,
    allowed: AllowedCollisions | None = None,
) -> Scene:
    """Take over changes, each found from the scene that those before have left; all or none.

    ``allowed``, if given, says before them what may touch.

    Raises a RigidTreeError that names what is wrong, OutOfTimeError at the frames' deadline.
    """
    configuration = robot.state.configuration
    trial = SceneKeeper(keeper.requested)  # not what sensors see
    changes: list[SceneChange] = []
    poses = []
    for number, step in enumerate(steps):
        frames.deadline.check(number, len(steps), "objects read")
        own = step(trial.scene)
        own_poses = []
        for change in own:
            if change.operation in (SceneChange.ADD, SceneChange.MOVE):
                obstacle = change.obstacle
                frame = obstacle.header.frame_id
                own_poses.append(await frames.in_base(obstacle.pose, frame, configuration))
            else:
                own_poses.append(np.eye(4))
        trial.change(own, own_poses, robot.tree, configuration, lambda _: None)
        changes += own
        poses += own_poses
    if not changes and allowed is None:
        return keeper.scene
    checker = robot.checkers.checker
    return keeper.change(changes, poses, robot.tree, configuration, checker, allowed)


async def apply_scene(
    keeper: SceneKeeper, message: PlanningScene, robot: MoveItRobot, frames: BaseFrames
) -> Scene:
    """Take over what a planning scene changes; all or none.

    Raises a RigidTreeError that names what is wrong or not served.
    """
    if message.world.octomap.octomap.data:
        raise CollisionError("octomaps are not served")
    if any(item.padding != 0.0 for item in message.link_padding):
        raise CollisionError("paddings of single links are not served; see parameter padding")
    if any(item.scale != 1.0 for item in message.link_scale):
        raise CollisionError("scaled links are not served")
    matrix = message.allowed_collision_matrix
    allowed = None
    if not message.is_diff or matrix.entry_names or matrix.default_entry_names:
        allowed = read_allowed(matrix, robot.checkers.self_pairs, _links(robot))
    steps: list[ChangesOf] = []
    if not message.is_diff:
        steps.append(lambda _: [SceneChange(operation=SceneChange.CLEAR)])
    steps += [attaching(item) for item in message.robot_state.attached_collision_objects]
    steps += [standing(item) for item in message.world.collision_objects]
    return await change_scene(keeper, steps, robot, frames, allowed)


def attaching(message: AttachedCollisionObject) -> ChangesOf:
    """Return the step of an attached object's message."""
    return lambda scene: attached_changes(message, scene)


def standing(message: CollisionObject) -> ChangesOf:
    """Return the step of an object's message."""
    return lambda scene: standing_changes(message, scene)


def matrix_of(robot: MoveItRobot, scene: Scene) -> AllowedCollisionMatrix:
    """Return what may touch: of the links, and of obstacles of which something was said."""
    return allowed_message(scene.allowed, robot.checkers.self_pairs, _links(robot))


def _links(robot: MoveItRobot) -> list[str]:
    return [robot.tree.base_name, *robot.tree.body_names]


def scene_reply(scene: Scene, robot: MoveItRobot, prefix: str, components: int) -> PlanningScene:
    """Return the parts of the scene that are asked for; 0: all."""
    wanted = components or ALL
    asked = PlanningSceneComponents
    ours = scene_message(scene, robot.tree.base_name, prefix)
    message = with_arrays(PlanningScene)(name="scene", robot_model_name=robot.tree.name)
    if wanted & (asked.ROBOT_STATE | asked.ROBOT_STATE_ATTACHED_OBJECTS):
        message.robot_state = robot_state(robot, robot.state.configuration)
        if wanted & asked.ROBOT_STATE_ATTACHED_OBJECTS:
            message.robot_state.attached_collision_objects = attached_messages(ours)
    geometry = bool(wanted & asked.WORLD_OBJECT_GEOMETRY)
    if geometry or wanted & asked.WORLD_OBJECT_NAMES:
        message.world.collision_objects = [
            object_message(obstacle, geometry) for obstacle in ours.obstacles
        ]
    if wanted & asked.ALLOWED_COLLISION_MATRIX:
        message.allowed_collision_matrix = matrix_of(robot, scene)
    if wanted & asked.LINK_PADDING_AND_SCALING:
        names = _links(robot)
        message.link_padding = [LinkPadding(link_name=name) for name in names]
        message.link_scale = [LinkScale(link_name=name, scale=1.0) for name in names]
    return message


async def scene_with(
    items: Sequence[AttachedCollisionObject],
    scene: Scene,
    robot: MoveItRobot,
    frames: BaseFrames,
) -> Scene:
    """Return a scene in which a request's state holds further objects."""
    keeper = SceneKeeper(scene)
    return await change_scene(keeper, [attaching(item) for item in items], robot, frames)
