"""The scene of move_group: changes by MoveIt's messages, and the scene as a message."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from moveit_msgs import msg
from rigid_tree_interfaces.msg import SceneChange

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import AllowedCollisions, Scene
from rigid_tree_kinematics.errors import CollisionError, OutOfTimeError, RigidTreeError
from rigid_tree_kinematics.nodes.scene import (
    SceneKeeper,
    attached_obstacles,
    placed_pose,
    scene_message,
    with_arrays,
    without_arrays,
)
from rigid_tree_kinematics.nodes.tf import UnknownFrameError
from rigid_tree_moveit.move_group.messages import scene_messages
from rigid_tree_moveit.move_group.messages.job import (
    BaseFrames,
    Job,
    MoveItRobot,
    present_state,
    robot_state,
)

ALL = 1023  # every component
Step = Callable[[Scene, scene_messages.Remarks], list[SceneChange]]


async def change_scene(
    keeper: SceneKeeper,
    steps: Sequence[tuple[str, Step]],
    robot: MoveItRobot,
    frames: BaseFrames,
    allowed: AllowedCollisions | None = None,
    configuration: Array | None = None,
    labels: scene_messages.Labels | None = None,
) -> scene_messages.Remarks:
    """Apply the changes; return what had to be left out of them, and other remarks.

    Each step, with its name for remarks, sees the results of the previous ones. ``allowed``, if
    given, replaces the allowed collisions before the changes. Objects are attached and detached
    in ``configuration``, by default the robot's. ``labels`` are stored with the objects.
    Afterwards the frames include the objects of the new scene.

    Raises OutOfTimeError at the frames' deadline.
    """
    if configuration is None:
        configuration = robot.state.configuration
    trial, remarks = keeper.trial(), scene_messages.Remarks()
    changes: list[SceneChange] = []
    poses: list[Array] = []
    for number, (name, step) in enumerate(steps):
        frames.deadline.check(number, len(steps), "objects read")
        frames.scene, own_remarks = trial.requested, scene_messages.Remarks()
        try:
            own = step(trial.requested, own_remarks)
            own_poses = [await _in_base(change, frames, configuration) for change in own]
            trial.change(own, own_poses, robot.tree, configuration, lambda _: None)
            changes += own
            poses += own_poses
        except OutOfTimeError:
            raise
        except RigidTreeError as error:
            own_remarks.left_out.append(str(error))
            own_remarks.frame_unknown = isinstance(error, UnknownFrameError)
        remarks.add(own_remarks, name)
    if changes or allowed is not None or labels:
        checker = robot.checkers.checker
        keeper.change(changes, poses, robot.tree, configuration, checker, allowed, labels)
    frames.scene = keeper.scene
    return remarks


async def _in_base(change: SceneChange, frames: BaseFrames, configuration: Array) -> Array:
    """Return the pose of a change's obstacle in the robot's base, if it has one."""
    if change.operation not in (SceneChange.ADD, SceneChange.MOVE):
        return np.eye(4)
    T_frame_obstacle = placed_pose(change.obstacle.pose)
    frame = change.obstacle.header.frame_id
    return np.asarray(await frames.base_from(frame, configuration) @ T_frame_obstacle)


async def apply_scene(
    keeper: SceneKeeper,
    message: msg.PlanningScene,
    robot: MoveItRobot,
    frames: BaseFrames,
    *,
    whole_world: bool = False,
) -> scene_messages.Remarks:
    """Apply the changes of a planning scene; return remarks as ``change_scene`` does.

    With ``whole_world``, objects that are not in the message are removed, unless attached.
    """
    remarks = _unsupported(message, robot)
    matrix = message.allowed_collision_matrix
    allowed = None
    if not message.is_diff or matrix.entry_names or matrix.default_entry_names:
        try:
            allowed = scene_messages.read_allowed(matrix, robot, remarks)
        except CollisionError as error:
            remarks.left_out.append(str(error))
    world = message.world.collision_objects
    steps: list[tuple[str, Step]] = []
    if whole_world or not message.is_diff:
        steps.append(("objects", partial(scene_messages.unlisted_objects, world)))
    if not (message.is_diff or message.robot_state.is_diff):
        steps.append(("attached objects", scene_messages.dropped_objects))
    attached = message.robot_state.attached_collision_objects
    steps += attached_steps(attached, robot)
    for number, item in enumerate(world):
        name = f"collision_objects[{number}] '{item.id}'"
        steps.append((name, partial(scene_messages.object_changes, item)))
    labels: dict[str, dict[str, Any]] = defaultdict(dict)
    for item in (*(item.object for item in attached), *world):
        if item.type.key or item.type.db:
            labels[item.id][scene_messages.TYPE] = item.type
    for item in message.object_colors:
        labels[item.id][scene_messages.COLOR] = item.color
    changed = await change_scene(keeper, steps, robot, frames, allowed, labels=labels)
    remarks.add(changed, "")
    return remarks


def attached_steps(
    attached: Sequence[msg.AttachedCollisionObject], robot: MoveItRobot
) -> list[tuple[str, Step]]:
    """Return the steps of the changes by attached objects."""
    change, links = scene_messages.attached_changes, robot.link_names
    return [
        (f"attached_collision_objects[{k}] '{item.object.id}'", partial(change, item, links=links))
        for k, item in enumerate(attached)
    ]


def _unsupported(message: msg.PlanningScene, robot: MoveItRobot) -> scene_messages.Remarks:
    """Return remarks about the parts of a planning scene that are not supported."""
    remarks = scene_messages.Remarks()
    if message.world.octomap.octomap.data:
        remarks.left_out.append("octomaps are not supported")
    if padded := [item.link_name for item in message.link_padding if item.padding != 0.0]:
        reason = "paddings of single links are not supported; see parameter padding"
        remarks.left_out.append(f"link_padding of {', '.join(padded)}: {reason}")
    if scaled := [item.link_name for item in message.link_scale if item.scale != 1.0]:
        remarks.left_out.append(f"scaled links are not supported: {', '.join(scaled)}")
    if message.robot_model_name not in ("", robot.tree.name):
        name = message.robot_model_name
        remarks.notes.append(f"the scene is for '{name}', the robot is '{robot.tree.name}'")
    if message.fixed_frame_transforms:
        names = ", ".join(item.child_frame_id for item in message.fixed_frame_transforms)
        remarks.notes.append(f"fixed_frame_transforms are ignored: {names}")
    return remarks


def scene_reply(
    scene: Scene, robot: MoveItRobot, prefix: str, components: int
) -> msg.PlanningScene:
    """Return the requested components of the scene; 0: all."""
    wanted = components or ALL
    part = msg.PlanningSceneComponents
    ours = scene_message(scene, robot.tree.base_name, prefix)
    message = with_arrays(msg.PlanningScene)(name="scene", robot_model_name=robot.tree.name)
    if wanted & (part.ROBOT_STATE | part.ROBOT_STATE_ATTACHED_OBJECTS):
        message.robot_state = present_state(robot)
        if wanted & part.ROBOT_STATE_ATTACHED_OBJECTS:
            message.robot_state.attached_collision_objects = scene_messages.attached_messages(
                ours.attached, scene.labels
            )
    geometry = bool(wanted & part.WORLD_OBJECT_GEOMETRY)
    if geometry or wanted & part.WORLD_OBJECT_NAMES:
        convert = partial(scene_messages.object_message, labels=scene.labels, geometry=geometry)
        message.world.collision_objects = list(map(convert, ours.obstacles))
    if wanted & part.ALLOWED_COLLISION_MATRIX:
        message.allowed_collision_matrix = scene_messages.allowed_message(scene.allowed, robot)
    if wanted & part.OBJECT_COLORS:
        message.object_colors = _colors(scene)
    if wanted & part.LINK_PADDING_AND_SCALING:
        names = robot.link_names
        message.link_padding = [msg.LinkPadding(link_name=name) for name in names]
        message.link_scale = [msg.LinkScale(link_name=name, scale=1.0) for name in names]
    return message


def start_state(job: Job) -> msg.RobotState:
    """Return the start of a request with its attached objects, for a reply."""
    state, scene = robot_state(job.robot, job.configuration), job.scene
    attached = attached_obstacles(scene, job.settings.frame_prefix)
    objects = scene_messages.attached_messages(attached, scene.labels)
    for mesh in itertools.chain.from_iterable(item.object.meshes for item in objects):
        without_arrays(mesh)
    state.attached_collision_objects = objects
    return state


def _colors(scene: Scene) -> list[msg.ObjectColor]:
    return [
        msg.ObjectColor(id=name, color=labels[scene_messages.COLOR])
        for name, labels in scene.labels.items()
        if scene_messages.COLOR in labels
    ]


def state_difference(robot: MoveItRobot) -> msg.PlanningScene:
    """Return a scene difference with only the robot's current state."""
    message = with_arrays(msg.PlanningScene)(name="scene", robot_model_name=robot.tree.name)
    message.robot_state = present_state(robot)
    message.is_diff = message.robot_state.is_diff = True
    return message


def scene_difference(
    before: Scene, after: Scene, robot: MoveItRobot, prefix: str
) -> msg.PlanningScene:
    """Return the difference message between two scenes, with the current state."""
    old, new = ({**scene.obstacles, **scene.attached} for scene in (before, after))
    changed = after.copy()
    for name, thing in new.items():
        if thing is old.get(name):
            changed.remove(name)
    part = msg.PlanningSceneComponents
    components = part.ROBOT_STATE_ATTACHED_OBJECTS | part.WORLD_OBJECT_GEOMETRY
    message = scene_reply(changed, robot, prefix, components)
    message.is_diff = message.robot_state.is_diff = True
    released = [name for name in before.attached if name not in after.attached]
    message.robot_state.attached_collision_objects += [
        msg.AttachedCollisionObject(object=scene_messages.removed(name)) for name in released
    ]
    message.world.collision_objects += [
        scene_messages.removed(name) for name in old if name not in new
    ]
    if before.labels != after.labels:
        message.object_colors = _colors(after)
    if before.allowed != after.allowed:
        message.allowed_collision_matrix = scene_messages.allowed_message(after.allowed, robot)
    return message
