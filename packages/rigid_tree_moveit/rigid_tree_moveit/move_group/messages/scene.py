"""The scene of move_group: changes by MoveIt's messages, and the scene as a message."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from moveit_msgs import msg

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import AllowedCollisions, Scene
from rigid_tree_kinematics.errors import CollisionError, OutOfTimeError, RigidTreeError
from rigid_tree_kinematics.nodes.scene import SceneKeeper, changes
from rigid_tree_kinematics.nodes.tf import UnknownFrameError
from rigid_tree_moveit.move_group.messages import allowed_collisions, objects
from rigid_tree_moveit.move_group.robot import (
    BaseFrames,
    MoveItRobot,
    PlanningContext,
    present_state,
    robot_state,
)

ALL = 1023  # every component
Step = Callable[[Scene, objects.BaseFrom, objects.Remarks], Awaitable[list[changes.Change]]]


async def change_scene(
    keeper: SceneKeeper,
    steps: Sequence[tuple[str, Step]],
    robot: MoveItRobot,
    frames: BaseFrames,
    allowed: AllowedCollisions | None = None,
    configuration: Array | None = None,
    labels: objects.Labels | None = None,
) -> objects.Remarks:
    """Apply the changes; return what had to be left out of them, and other remarks.

    Each step, with its name for remarks, sees the results of the previous ones. ``allowed``, if
    given, replaces the allowed collisions before the changes. Objects are attached and detached
    in ``configuration``, by default the robot's. ``labels`` are stored with the objects.
    Afterwards the frames include the objects of the new scene.

    Raises OutOfTimeError at the frames' deadline.
    """
    if configuration is None:
        configuration = robot.state.configuration
    trial, remarks = keeper.trial(), objects.Remarks()
    base_from = partial(frames.base_from, configuration=configuration)
    found: list[changes.Change] = []
    for number, (name, step) in enumerate(steps):
        frames.deadline.check(number, len(steps), "objects read")
        frames.scene, own_remarks = trial.requested, objects.Remarks()
        try:
            own = await step(trial.requested, base_from, own_remarks)
            trial.change(own, robot.tree, configuration, lambda _: None)
            found += own
        except OutOfTimeError:
            raise
        except RigidTreeError as error:
            own_remarks.left_out.append(str(error))
            own_remarks.frame_unknown = isinstance(error, UnknownFrameError)
        remarks.add(own_remarks, name)
    if found or allowed is not None or labels:
        checker = robot.checkers.checker
        keeper.change(found, robot.tree, configuration, checker, allowed, labels)
    frames.scene = keeper.scene
    return remarks


async def apply_scene(
    keeper: SceneKeeper,
    message: msg.PlanningScene,
    robot: MoveItRobot,
    frames: BaseFrames,
    *,
    whole_world: bool = False,
) -> objects.Remarks:
    """Apply the changes of a planning scene; return remarks as ``change_scene`` does.

    With ``whole_world``, objects that are not in the message are removed, unless attached.
    """
    remarks = _unsupported(message, robot)
    matrix = message.allowed_collision_matrix
    allowed = None
    if not message.is_diff or matrix.entry_names or matrix.default_entry_names:
        try:
            allowed = allowed_collisions.read_allowed(matrix, robot, remarks)
        except CollisionError as error:
            remarks.left_out.append(str(error))
    world = message.world.collision_objects
    steps: list[tuple[str, Step]] = []
    if whole_world or not message.is_diff:
        steps.append(("objects", partial(_unlisted_objects, world)))
    if not (message.is_diff or message.robot_state.is_diff):
        steps.append(("attached objects", dropped_objects))
    attached = message.robot_state.attached_collision_objects
    steps += attached_steps(attached, robot)
    for number, item in enumerate(world):
        name = f"collision_objects[{number}] '{item.id}'"
        steps.append((name, partial(objects.object_changes, item)))
    labels: dict[str, dict[str, Any]] = defaultdict(dict)
    for item in (*(item.object for item in attached), *world):
        if item.type.key or item.type.db:
            labels[item.id][objects.TYPE] = item.type
    for item in message.object_colors:
        labels[item.id][objects.COLOR] = item.color
    changed = await change_scene(keeper, steps, robot, frames, allowed, labels=labels)
    remarks.add(changed, "")
    return remarks


def attached_steps(
    attached: Sequence[msg.AttachedCollisionObject], robot: MoveItRobot
) -> list[tuple[str, Step]]:
    """Return the steps of the changes by attached objects."""
    change, links = objects.attached_changes, robot.link_names
    return [
        (f"attached_collision_objects[{k}] '{item.object.id}'", partial(change, item, links=links))
        for k, item in enumerate(attached)
    ]


async def dropped_objects(scene: Scene, *_: Any) -> list[changes.Change]:
    """Return the removal of all attached objects, as a step."""
    return [changes.Remove(name) for name in scene.attached]


async def _unlisted_objects(
    messages: Sequence[msg.CollisionObject], scene: Scene, *_: Any
) -> list[changes.Change]:
    """Return the removal of the objects that are not attached, except those that are added."""
    added = {item.id for item in messages if objects.operation_of(item.operation) == objects.ADD}
    return [changes.Remove(name) for name in scene.obstacles if name not in added]


def _unsupported(message: msg.PlanningScene, robot: MoveItRobot) -> objects.Remarks:
    """Return remarks about the parts of a planning scene that are not supported."""
    remarks = objects.Remarks()
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
    message = msg.PlanningScene(name="scene", robot_model_name=robot.tree.name)
    if wanted & (part.ROBOT_STATE | part.ROBOT_STATE_ATTACHED_OBJECTS):
        message.robot_state = present_state(robot)
        if wanted & part.ROBOT_STATE_ATTACHED_OBJECTS:
            attached = objects.attached_messages(scene, prefix)
            message.robot_state.attached_collision_objects = attached
    geometry = bool(wanted & part.WORLD_OBJECT_GEOMETRY)
    if geometry or wanted & part.WORLD_OBJECT_NAMES:
        root = prefix + robot.tree.base_name
        message.world.collision_objects = [
            objects.object_message(obstacle, obstacle.pose, root, scene.labels, geometry)
            for obstacle in scene.obstacles.values()
        ]
    if wanted & part.ALLOWED_COLLISION_MATRIX:
        message.allowed_collision_matrix = allowed_collisions.allowed_message(scene.allowed, robot)
    if wanted & part.OBJECT_COLORS:
        message.object_colors = _colors(scene)
    if wanted & part.LINK_PADDING_AND_SCALING:
        names = robot.link_names
        message.link_padding = [msg.LinkPadding(link_name=name) for name in names]
        message.link_scale = [msg.LinkScale(link_name=name, scale=1.0) for name in names]
    return message


def start_state(context: PlanningContext) -> msg.RobotState:
    """Return the start of a request with its attached objects, for a reply."""
    state = robot_state(context.robot, context.configuration)
    attached = objects.attached_messages(context.scene, context.settings.frame_prefix)
    state.attached_collision_objects = attached
    return state


def _colors(scene: Scene) -> list[msg.ObjectColor]:
    return [
        msg.ObjectColor(id=name, color=labels[objects.COLOR])
        for name, labels in scene.labels.items()
        if objects.COLOR in labels
    ]


def state_difference(robot: MoveItRobot) -> msg.PlanningScene:
    """Return a scene difference with only the robot's current state."""
    message = msg.PlanningScene(name="scene", robot_model_name=robot.tree.name)
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
        msg.AttachedCollisionObject(object=objects.removed(name)) for name in released
    ]
    message.world.collision_objects += [objects.removed(name) for name in old if name not in new]
    if before.labels != after.labels:
        message.object_colors = _colors(after)
    if before.allowed != after.allowed:
        message.allowed_collision_matrix = allowed_collisions.allowed_message(after.allowed, robot)
    return message
