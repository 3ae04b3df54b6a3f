"""The robot of move_group: a planner's, with groups of joints and solvers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import RobotState
from rclpy.time import Time
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Group, default_semantics, read_semantics
from rigid_tree_kinematics.model.joints import followers
from rigid_tree_kinematics.nodes.common.fast import multi_dof_reading
from rigid_tree_kinematics.nodes.common.robot import RobotDescription
from rigid_tree_kinematics.nodes.ik import IkSettings, cached_solvers
from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, error_code
from rigid_tree_kinematics.nodes.planning import PlannerSettings, PlanningRobot


class MoveItRobot(PlanningRobot):
    """A robot with its SRDF semantics; without an SRDF, each of its chains is a group.

    ``limits`` are arguments of MotionPlanner, ``solver_timeouts`` (s) those of single groups.
    """

    def __init__(
        self,
        description: RobotDescription,
        settings: PlannerSettings,
        limits: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        super().__init__(description, settings)
        self.limits = limits or {}
        self.solver_timeouts: Mapping[str, float] = {}
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
            words = f"group '{group.name}' has no tip: name a link"
            raise MoveItError(Codes.INVALID_LINK_NAME, words)
        with error_code(Codes.INVALID_LINK_NAME):
            return str(self.tree.get_body(name or (group.tip if group else "")).name)

    def start(self, state: RobotState) -> Array:
        """Return the configuration of a state; joints that it does not name are unchanged."""
        joints, several = state.joint_state, state.multi_dof_joint_state
        with error_code(Codes.INVALID_ROBOT_STATE):
            reading = multi_dof_reading(several, self.tree)
            # An SRDF's virtual joint is not one of the tree.
            own = dict(zip(reading.names, reading.positions, strict=True))
            own = {name: own[name] for name in own if name in self.tree.position_names}
            names, positions = [*joints.name, *own], [*joints.position, *own.values()]
            return self.configuration("start_state", names, np.array(positions))


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
