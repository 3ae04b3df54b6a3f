"""The scene of move_group: changes by MoveIt's messages, and the scene as a message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from moveit_msgs.msg import (
    AttachedCollisionObject,
    LinkPadding,
    LinkScale,
    ObjectColor,
    PlanningScene,
    PlanningSceneComponents,
)
from rigid_tree_interfaces.msg import SceneChange

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import AllowedCollisions, Scene
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.nodes.moveit.messages.allowed_messages import (
    allowed_message,
    read_allowed,
)
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot, present_state
from rigid_tree_kinematics.nodes.moveit.messages.scene_messages import (
    COLOR,
    Labels,
    attached_changes,
    attached_messages,
    labels_of,
    object_changes,
    object_message,
    removed,
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
    configuration: Array | None = None,
    labels: Labels | None = None,
) -> Scene:
    """Apply changes, all or none; each step sees the scene that the steps before it have left.

    ``allowed``, if given, replaces the allowed collisions before the changes. ``configuration`` is
    that in which objects are attached and detached, by default the robot's. ``labels`` are kept
    with the objects. The frames know the objects of the new scene.

    Raises a RigidTreeError that names what is wrong, OutOfTimeError at the frames' deadline.
    """
    if configuration is None:
        configuration = robot.state.configuration
    trial = SceneKeeper(keeper.requested)  # not what sensors see
    changes: list[SceneChange] = []
    poses = []
    for number, step in enumerate(steps):
        frames.deadline.check(number, len(steps), "objects read")
        frames.scene = trial.scene
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
    if changes or allowed is not None or labels:
        checker = robot.checkers.checker
        keeper.change(changes, poses, robot.tree, configuration, checker, allowed, labels)
    frames.scene = keeper.scene
    return keeper.scene


async def apply_scene(
    keeper: SceneKeeper, message: PlanningScene, robot: MoveItRobot, frames: BaseFrames
) -> Scene:
    """Apply the changes of a planning scene, all or none.

    Raises a RigidTreeError that names what is invalid or not supported.
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
    held, standing = (
        message.robot_state.attached_collision_objects,
        message.world.collision_objects,
    )
    steps += [partial(attached_changes, item) for item in held]
    steps += [partial(object_changes, item) for item in standing]
    labels: dict[str, dict[str, Any]] = defaultdict(dict)
    for item in (*(item.object for item in held), *standing):
        labels |= labels_of(item)
    for item in message.object_colors:
        labels[item.id] = {**labels[item.id], COLOR: item.color}
    return await change_scene(keeper, steps, robot, frames, allowed, labels=labels)


def _links(robot: MoveItRobot) -> list[str]:
    return [robot.tree.base_name, *robot.tree.body_names]


def scene_reply(scene: Scene, robot: MoveItRobot, prefix: str, components: int) -> PlanningScene:
    """Return the requested components of the scene; 0: all."""
    wanted = components or ALL
    part = PlanningSceneComponents
    ours = scene_message(scene, robot.tree.base_name, prefix)
    message = with_arrays(PlanningScene)(name="scene", robot_model_name=robot.tree.name)
    if wanted & (part.ROBOT_STATE | part.ROBOT_STATE_ATTACHED_OBJECTS):
        message.robot_state = present_state(robot)
        if wanted & part.ROBOT_STATE_ATTACHED_OBJECTS:
            message.robot_state.attached_collision_objects = attached_messages(ours, scene.labels)
    geometry = bool(wanted & part.WORLD_OBJECT_GEOMETRY)
    if geometry or wanted & part.WORLD_OBJECT_NAMES:
        message.world.collision_objects = [
            object_message(obstacle, scene.labels, geometry) for obstacle in ours.obstacles
        ]
    if wanted & part.ALLOWED_COLLISION_MATRIX:
        message.allowed_collision_matrix = allowed_message(
            scene.allowed, robot.checkers.self_pairs, _links(robot)
        )
    if wanted & part.OBJECT_COLORS:
        message.object_colors = _colors(scene)
    if wanted & part.LINK_PADDING_AND_SCALING:
        names = _links(robot)
        message.link_padding = [LinkPadding(link_name=name) for name in names]
        message.link_scale = [LinkScale(link_name=name, scale=1.0) for name in names]
    return message


def _colors(scene: Scene) -> list[ObjectColor]:
    return [
        ObjectColor(id=name, color=labels[COLOR])
        for name, labels in scene.labels.items()
        if COLOR in labels
    ]


def state_difference(robot: MoveItRobot) -> PlanningScene:
    """Return the message that changes the robot's state to the present one, and nothing else."""
    message = with_arrays(PlanningScene)(name="scene", robot_model_name=robot.tree.name)
    message.robot_state = present_state(robot)
    message.is_diff = message.robot_state.is_diff = True
    return message


def scene_difference(
    before: Scene, after: Scene, robot: MoveItRobot, prefix: str
) -> PlanningScene:
    """Return the message that changes one scene into another one, and the present state."""
    old, new = ({**scene.obstacles, **scene.attached} for scene in (before, after))
    changed = after.copy()
    for name, thing in new.items():
        if thing is old.get(name):
            changed.remove(name)
    part = PlanningSceneComponents
    components = part.ROBOT_STATE_ATTACHED_OBJECTS | part.WORLD_OBJECT_GEOMETRY
    message = scene_reply(changed, robot, prefix, components)
    message.is_diff = message.robot_state.is_diff = True
    released = [name for name in before.attached if name not in after.attached]
    message.robot_state.attached_collision_objects += [
        AttachedCollisionObject(object=removed(name)) for name in released
    ]
    message.world.collision_objects += [removed(name) for name in old if name not in new]
    if before.labels != after.labels:
        message.object_colors = _colors(after)
    if before.allowed != after.allowed:
        message.allowed_collision_matrix = allowed_message(
            after.allowed, robot.checkers.self_pairs, _links(robot)
        )
    return message
