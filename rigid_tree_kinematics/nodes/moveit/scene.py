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

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.nodes.moveit.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot, robot_state
from rigid_tree_kinematics.nodes.moveit.scene_messages import (
    allowed_collisions,
    attached_changes,
    attached_messages,
    object_message,
    standing_changes,
)
from rigid_tree_kinematics.nodes.scene.keeper import SceneKeeper
from rigid_tree_kinematics.nodes.scene.messages import scene_message

ALL = 1023  # every component
ChangesOf = Callable[[Scene], list[SceneChange]]


async def change_scene(
    keeper: SceneKeeper,
    steps: Sequence[ChangesOf],
    robot: MoveItRobot,
    frames: BaseFrames,
) -> Scene:
    """Take over changes, each found from the scene that those before have left; all or none.

    Raises a RigidTreeError that names what is wrong.
    """
    configuration = robot.state.configuration
    trial = SceneKeeper(keeper.asked)  # not what sensors see
    changes: list[SceneChange] = []
    poses = []
    for step in steps:
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
    if not changes:
        return keeper.scene
    return keeper.change(changes, poses, robot.tree, configuration, robot.checkers.checker)


def diff_steps(message: PlanningScene, robot: MoveItRobot, scene: Scene) -> list[ChangesOf]:
    """Return what a planning scene changes; a CollisionError for what is not served."""
    if message.world.octomap.octomap.data:
        raise CollisionError("octomaps are not served")
    matrix = message.allowed_collision_matrix
    if matrix.entry_names or matrix.default_entry_names:
        _check_same(matrix, robot, scene)
    if any(item.padding != 0.0 for item in message.link_padding):
        raise CollisionError("paddings of single links are not served; see parameter padding")
    if any(item.scale != 1.0 for item in message.link_scale):
        raise CollisionError("scaled links are not served")
    steps: list[ChangesOf] = []
    if not message.is_diff:
        steps.append(lambda _: [SceneChange(operation=SceneChange.CLEAR)])
    steps += [attaching(item) for item in message.robot_state.attached_collision_objects]
    steps += [standing(item) for item in message.world.collision_objects]
    return steps


def attaching(message: AttachedCollisionObject) -> ChangesOf:
    """Return the step of an attached object's message."""
    return lambda scene: attached_changes(message, scene)


def standing(message: CollisionObject) -> ChangesOf:
    """Return the step of an object's message."""
    return lambda scene: standing_changes(message, scene)


def _check_same(matrix: AllowedCollisionMatrix, robot: MoveItRobot, scene: Scene) -> None:
    """Refuse a matrix that allows or forbids what the checker does not."""
    names = list(matrix.entry_names)
    present = matrix_of(robot, scene)
    known = {
        frozenset((row, column)): enabled
        for row, entry in zip(present.entry_names, present.entry_values, strict=True)
        for column, enabled in zip(present.entry_names, entry.enabled, strict=True)
    }
    for row, entry in zip(names, matrix.entry_values, strict=False):
        for column, enabled in zip(names, entry.enabled, strict=False):
            pair = frozenset((row, column))
            if len(pair) == 2 and enabled != known.get(pair, False):
                raise CollisionError(
                    f"'{row}' and '{column}': the allowed collisions cannot be changed while the "
                    "node runs; attach what is held, with its touch_links, and name links that "
                    "may touch in the SRDF"
                )


def matrix_of(robot: MoveItRobot, scene: Scene) -> AllowedCollisionMatrix:
    """Return which links may touch each other."""
    names = [robot.tree.base_name, *robot.tree.body_names]
    return allowed_collisions(robot.checkers.checker(scene), names)


def scene_reply(scene: Scene, robot: MoveItRobot, prefix: str, components: int) -> PlanningScene:
    """Return the parts of the scene that are asked for; 0: all."""
    wanted = components or ALL
    asked = PlanningSceneComponents
    ours = scene_message(scene, robot.tree.base_name, prefix)
    message = PlanningScene(name="scene", robot_model_name=robot.tree.name)
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
        names = [robot.tree.base_name, *robot.tree.body_names]
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
