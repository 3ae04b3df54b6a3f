"""The robot of move_group, and its states as messages."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import zip_longest

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import RobotState
from rclpy.time import Time
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Group, default_semantics, read_semantics
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.model.joints import followers
from rigid_tree_kinematics.nodes.base import RobotDescription
from rigid_tree_kinematics.nodes.planning import PlannerSettings, PlanningRobot
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot.given import GroupSolver

IK_TIMEOUT = 0.1  # s, of requests without one
IK_RESTARTS = 100  # random seeds tried before a target is unreachable
SOLVERS_CACHED = 64  # limits the memory for requests with many different problems


class MoveItRobot(PlanningRobot):
    """A robot with its SRDF semantics; without an SRDF, each of its chains is a group.

    ``limits`` are arguments of MotionPlanner; ``servo_limits`` are the acceleration and jerk
    limits of joints for ``Servo``; ``solvers`` returns ``ik_settings`` by group;
    ``start_tolerances`` (rad, m) are by joint.
    """

    def __init__(
        self,
        description: RobotDescription,
        settings: PlannerSettings,
        limits: Mapping[str, Mapping[str, float]] | None = None,
        solvers: Callable[[Iterable[str]], Mapping[str, GroupSolver]] = lambda _: {},
        start_tolerances: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__(description, settings)
        self.limits = limits or {}
        self.start_tolerances = start_tolerances or {}
        self.servo_limits: tuple[Mapping[str, float], ...] = ()
        self.urdf = description.urdf
        # By the arguments of a problem, such as the tip.
        make = partial(InverseKinematics, self.tree, max_restarts=IK_RESTARTS)
        self.ik_solver = lru_cache(SOLVERS_CACHED)(make)
        read = partial(read_semantics, settings.srdf) if settings.srdf else default_semantics
        self.semantics = read(self.tree)
        self.ik_settings = solvers(self.semantics.groups)
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

    def ik_timeout(self, group: str) -> float:
        """Return the time limit (s) of inverse kinematics for requests without one."""
        settings = self.ik_settings.get(group)
        return (settings and settings.timeout) or IK_TIMEOUT

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
