"""The robot of move_group, and a request with its data: robot, scene, frames."""

from __future__ import annotations

import copy
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import RobotState
from rclpy.time import Time
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group, default_semantics, read_semantics
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.joints import followers
from rigid_tree_kinematics.nodes.base import RobotDescription
from rigid_tree_kinematics.nodes.ik import IkSettings, cached_solvers
from rigid_tree_kinematics.nodes.planning import PlannerSettings, PlanningRobot
from rigid_tree_kinematics.nodes.tf import LATEST, RobotInTf, Target, TargetFrames
from rigid_tree_kinematics.planning import MotionPlanner, Space
from rigid_tree_moveit.move_group.messages.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.messages.given import GroupSolver
from rigid_tree_moveit.move_group.settings import MoveGroupSettings

TF_TIMEOUT = 1.0  # s
LONGEST_CHANGE = 60.0  # s, time limit of changes of the scene


class MoveItRobot(PlanningRobot):
    """A robot with its SRDF semantics; without an SRDF, each of its chains is a group.

    ``limits`` are arguments of MotionPlanner; ``servo_limits`` are the acceleration and jerk
    limits of joints for ``Servo``; ``solvers`` are by group, ``start_tolerances`` (rad, m) by
    joint.
    """

    def __init__(
        self,
        description: RobotDescription,
        settings: PlannerSettings,
        limits: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(description, settings)
        self.limits = limits or {}
        self.solvers: Mapping[str, GroupSolver] = {}
        self.start_tolerances: Mapping[str, float] = {}
        self.servo_limits: tuple[Mapping[str, float], ...] = ()
        self.urdf = description.urdf
        self.solver = cached_solvers(self.tree, IkSettings())
        read = partial(read_semantics, settings.srdf) if settings.srdf else default_semantics
        self.semantics = read(self.tree)
        self.link_names = [self.tree.base_name, *self.tree.body_names]

    def group(self, name: str) -> Group:
        """Return a group; MoveItError INVALID_GROUP_NAME lists those that exist."""
        with error_code(Codes.INVALID_GROUP_NAME):
            return self.semantics.group(name)

    def link(self, name: str, group: Group | None) -> str:
        """Return the named link, or the group's tip for an empty name."""
        if group is not None and not (name or group.tip):
            reason = f"group '{group.name}' has no tip: name a link"
            raise MoveItError(Codes.INVALID_LINK_NAME, reason)
        with error_code(Codes.INVALID_LINK_NAME):
            return str(self.tree.get_body(name or (group.tip if group else "")).name)

    def start(self, state: RobotState) -> tuple[Array, list[str]]:
        """Return the configuration of a state, and remarks about what it leaves out.

        Joints that the state does not name, or without a usable position, are unchanged.
        """
        q, remarks = self.merged(self.state.configuration, state.joint_state)
        several, left_out = state.multi_dof_joint_state, []
        for name, pose in zip_longest(several.joint_names, several.transforms):
            if name in self.semantics.virtual_joints:
                continue  # of the base, which does not move in the tree
            try:
                if name is None or pose is None:
                    raise ConfigurationError(
                        "a transform without a name" if pose else "no transform"
                    )
                one = MultiDOFJointState(joint_names=[name], transforms=[pose])
                q = self.named.merge(q, *self.positions_of_poses(one), strict=True)
            except RigidTreeError as error:
                left_out.append(f"'{name or ''}': {error}")
        if left_out:
            remarks.append(f"left out of multi_dof_joint_state: {'; '.join(left_out)}")
        return q, remarks

    def merged(self, configuration: Array, joints: JointState) -> tuple[Array, list[str]]:
        """Return a configuration with the positions of a message, and remarks as ``start``."""
        known = {joint.name for joint in self.tree.joints} | set(self.tree.position_names)
        usable: dict[str, float] = {}
        left_out: dict[str, list[str]] = defaultdict(list)
        for name, position in zip_longest(joints.name, joints.position):
            if name is None:
                left_out["positions without a name"].append(f"{position:g}")
            elif name not in known:
                left_out["unknown joints"].append(f"'{name}'")
            elif position is None or not math.isfinite(position):
                left_out["joints without a finite position"].append(f"'{name}'")
            else:
                usable[name] = position
        with error_code(Codes.INVALID_ROBOT_STATE, "start_state: "):
            positions = np.array(list(usable.values()))
            q = self.named.merge(configuration, list(usable), positions, strict=True)
        texts = [f"{reason}: {', '.join(names)}" for reason, names in left_out.items()]
        return q, [f"left out of joint_state: {'; '.join(texts)}"] if texts else []


def present_state(robot: MoveItRobot) -> RobotState:
    """Return the robot's current state as a message, with the stamp of its joint states."""
    state, stamp = robot_state(robot, robot.state.configuration), robot.state.latest
    if stamp is not None:
        state.joint_state.header.stamp = Time(seconds=stamp).to_msg()
    return state


def robot_state(robot: MoveItRobot, configuration: Array) -> RobotState:
    """Return a configuration as a message, mimic joints included."""
    names = list(robot.tree.position_names)
    positions = configuration.tolist()
    at = dict(zip(names, positions, strict=True))
    for follower in followers(robot.tree.joints, robot.tree.name):
        names.append(follower.name)
        positions.append(follower.multiplier * at[follower.source] + follower.offset)
    return RobotState(joint_state=JointState(name=names, position=positions))


def plain_frame(frame: str) -> str:
    """Return a frame's name without the leading slash of ROS 1."""
    return frame.removeprefix("/")


class BaseFrames:
    """Transforms from frames to the robot's base for one request.

    As in MoveIt, frames are links, objects in the ``scene``, their subframes, the parents of
    virtual joints, and TF frames, with their latest transforms whatever the stamps are. The
    request ends at ``deadline``, by default after LONGEST_CHANGE.
    """

    def __init__(
        self,
        frames: TargetFrames,
        robot: MoveItRobot,
        prefix: str,
        deadline: Deadline | None = None,
    ) -> None:
        self.deadline = Deadline(LONGEST_CHANGE) if deadline is None else deadline
        self.scene = Scene()
        self._frames = frames
        self._robot = robot
        self._in_tf = RobotInTf(robot, prefix)

    def until(self, deadline: Deadline) -> BaseFrames:
        """Return the same frames for work with another deadline."""
        frames = copy.copy(self)
        frames.deadline = deadline
        return frames

    def link_of(self, frame: str) -> str | None:
        """Return the robot's link of a frame's name, None for another frame."""
        return self._in_tf.body_of(plain_frame(frame))

    def _fixture(self, frame: str) -> tuple[str, Array] | None:
        """Return the link of a frame, and T_link_frame; None for a TF frame.

        Objects that are not attached are fixed to the base.
        """
        if (link := self.link_of(frame)) is not None:
            return link, np.eye(4)
        found = self.scene.frame(plain_frame(frame))
        return None if found is None else (found[0] or self._robot.tree.base_name, found[1])

    async def base_from(self, frame: str, configuration: Array) -> Array:
        """Return T_base_frame; frames on links follow from the configuration.

        Raises UnknownFrameError for a frame that TF does not know.
        """
        tree, root = self._robot.tree, self._in_tf.root
        frame = plain_frame(frame)
        if not frame:
            return np.eye(4)
        if (carried := self._fixture(frame)) is not None:
            link, T_link_frame = carried
            return np.asarray(body_transform(tree, configuration, link) @ T_link_frame)
        if frame in self._robot.semantics.world_frames and not self._frames.knows(root, frame):
            return np.eye(4)
        target, deadline = Target(np.eye(4), frame, LATEST), self.deadline.within(TF_TIMEOUT)
        base = tree.base_name
        return await self._frames.in_base(target, self._in_tf, configuration, base, deadline)

    async def reference(self, frame: str, configuration: Array) -> tuple[str | None, Array]:
        """Return the link that a frame is fixed to (None: the base), and T_link_frame.

        TF frames of other bodies are fixed to the base. Raises UnknownFrameError.
        """
        carried = self._fixture(frame)
        if carried is None or carried[0] == self._robot.tree.base_name:
            return None, await self.base_from(frame, configuration)
        return carried


@dataclass(eq=False)
class Job:
    """A request in progress, with the robot, scene and settings at its start."""

    request: Any
    response: Any
    state: RobotState  # at the start
    group_name: str  # of the joints that move
    robot: MoveItRobot
    scene: Scene  # with the objects that ``state`` attaches
    settings: MoveGroupSettings
    frames: BaseFrames  # with the job's deadline and cancellation
    remarks: list[str] = field(default_factory=list)  # about the request, for its client

    @property
    def deadline(self) -> Deadline:
        """The deadline of the work."""
        return self.frames.deadline

    @cached_property
    def group(self) -> Group:
        """The group; MoveItError INVALID_GROUP_NAME if the robot has none of this name."""
        return self.robot.group(self.group_name)

    @cached_property
    def configuration(self) -> Array:
        """The configuration of ``state`` (nq,); MoveItError INVALID_ROBOT_STATE."""
        return self.robot.start(self.state)[0]

    @cached_property
    def start(self) -> Array:
        """The configuration, with the group's slightly exceeded joint limits clamped."""
        slack = self.settings.start_state_max_bounds_error
        return self._space.clamped(self.configuration, slack)

    @property
    def clamping(self) -> str:
        """A warning about clamped joints of the start; empty if there are none."""
        outside = self._space.outside(self.configuration)
        return f"the start is clamped to the joint limits: {outside}" if outside else ""

    @cached_property
    def _space(self) -> Space:
        return Space.of_robot(self.robot.tree.compiled(), self.group.joints)

    @cached_property
    def checker(self) -> CollisionChecker:
        """Checks the links that the group moves, and what they carry, in the scene."""
        return self.robot.checkers.checker_of(self.group.joints, self.scene)

    @cached_property
    def planner(self) -> MotionPlanner:
        """Plans motions of the group in the scene."""
        robot, joints = self.robot, list(self.group.joints)
        return MotionPlanner(robot.tree, self.checker, moving_joints=joints, **robot.limits)

    @property
    def root(self) -> str:
        """The frame of the robot's base."""
        return self.settings.frame_prefix + self.robot.tree.base_name

    @property
    def locked(self) -> tuple[str, ...]:
        """The joints that are not in the group."""
        return tuple(name for name in self.robot.tree.joint_names if name not in self.group.joints)

    @property
    def position_only(self) -> bool:
        """Whether inverse kinematics of the group ignores the orientation."""
        solver = self.robot.solvers.get(self.group_name)
        return solver is not None and solver.position_only

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of inverse kinematics, of the orientation and of the position."""
        return (0.0 if self.position_only else 1.0,) * 3 + (1.0,) * 3

    def tool(self, name: str) -> tuple[str, Array]:
        """Return the link that carries a frame, and T_link_frame; MoveItError INVALID_LINK_NAME.

        The frame is a link, an attached object or one of its subframes; by default, the group's
        tip.
        """
        if name and name not in self.robot.tree.compiled().body_index:
            found = self.scene.frame(plain_frame(name))
            if found is not None and found[0] is not None:
                return found[0], found[1]
        # Requests for forward kinematics have no group.
        return self.robot.link(name, None if name else self.group), np.eye(4)
