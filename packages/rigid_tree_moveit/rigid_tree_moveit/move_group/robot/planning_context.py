"""A planning group at the start of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.planning import MotionPlanner, Space
from rigid_tree_moveit.move_group.robot.base_frames import BaseFrames, plain_frame
from rigid_tree_moveit.move_group.robot.moveit_robot import MoveItRobot
from rigid_tree_moveit.move_group.settings import MoveGroupSettings


@dataclass(frozen=True, eq=False)
class PlanningContext:
    """A group of a robot's joints, and all that was known when a request began.

    ``scene`` has the objects that the start state attaches; ``configuration`` (nq,) is that
    state. ``frames`` have the request's deadline and cancellation. ``remarks`` are about the
    request, for its client.
    """

    robot: MoveItRobot
    group_name: str
    scene: Scene
    configuration: Array
    settings: MoveGroupSettings
    frames: BaseFrames
    remarks: list[str] = field(default_factory=list)

    @property
    def deadline(self) -> Deadline:
        """The deadline of the work."""
        return self.frames.deadline

    @property
    def root(self) -> str:
        """The frame of the robot's base."""
        return self.settings.frame_prefix + self.robot.tree.base_name

    @cached_property
    def group(self) -> Group:
        """The group; MoveItError INVALID_GROUP_NAME if the robot has none of this name."""
        return self.robot.group(self.group_name)

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
    def locked(self) -> tuple[str, ...]:
        """The joints that are not in the group."""
        return tuple(name for name in self.robot.tree.joint_names if name not in self.group.joints)

    @property
    def position_only(self) -> bool:
        """Whether inverse kinematics of the group ignores the orientation."""
        solver = self.robot.ik_settings.get(self.group_name)
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
