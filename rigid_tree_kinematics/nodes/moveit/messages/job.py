"""A request of a MoveIt client with everything that is needed to serve it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes, RobotState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.nodes.moveit.messages.codes import error_code
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames, plain_frame
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot
from rigid_tree_kinematics.nodes.moveit.settings import MoveGroupSettings
from rigid_tree_kinematics.planning import MotionPlanner, Space


@dataclass(eq=False)
class Job:
    """One request being served.

    Args:
        request, response: the messages.
        state: the robot state that the request starts from.
        group_name: of the joints that move.
        robot, scene, settings: as they are when the work begins; objects that ``state`` attaches
            are part of the scene.
        frames: TF frames in the robot's base; their deadline is that of the job, and its
            cancellation.
    """

    request: Any
    response: Any
    state: RobotState
    group_name: str
    robot: MoveItRobot
    scene: Scene
    settings: MoveGroupSettings
    frames: BaseFrames

    @property
    def deadline(self) -> Deadline:
        """When the work ends at the latest."""
        return self.frames.deadline

    @cached_property
    def group(self) -> Group:
        """The group; MoveItError INVALID_GROUP_NAME if the robot has none of this name."""
        return self.robot.group(self.group_name)

    @cached_property
    def configuration(self) -> Array:
        """The configuration of ``state`` (nq,); MoveItError INVALID_ROBOT_STATE."""
        return self.robot.start(self.state)

    @cached_property
    def start(self) -> Array:
        """The same with joints of the group that are barely outside their limits on the limit."""
        slack = self.settings.start_state_max_bounds_error
        return self._space.clamped(self.configuration, slack)

    @property
    def clamping(self) -> str:
        """A warning about joints that the start clamps; empty if there are none."""
        outside = self._space.outside(self.configuration)
        return f"the start is moved to the joint limits: {outside}" if outside else ""

    @cached_property
    def _space(self) -> Space:
        return Space.of_robot(self.robot.tree.compiled(), self.group.joints)

    @cached_property
    def checker(self) -> CollisionChecker:
        """Checks the robot in the scene."""
        return self.robot.checkers.checker(self.scene)

    @cached_property
    def planner(self) -> MotionPlanner:
        """Plans motions of the group in the scene."""
        joints = list(self.group.joints)
        return MotionPlanner(
            self.robot.tree, self.checker, moving_joints=joints, **self.robot.limits
        )

    @property
    def locked(self) -> tuple[str, ...]:
        """The joints that are not in the group."""
        return tuple(name for name in self.robot.tree.joint_names if name not in self.group.joints)

    def tool(self, name: str) -> tuple[str, Array]:
        """Return the link that carries a frame, and T_link_frame; MoveItError INVALID_LINK_NAME.

        The frame is a link, an attached object or one of its subframes, or if empty the group's
        tip.
        """
        if not name:
            return self.link(name), np.eye(4)
        if name not in self.robot.tree.compiled().body_index:
            found = self.scene.frame(plain_frame(name))
            if found is not None and found[0] is not None:
                return found[0], found[1]
        with error_code(MoveItErrorCodes.INVALID_LINK_NAME):
            return str(self.robot.tree.get_body(name).name), np.eye(4)

    def link(self, name: str) -> str:
        """Return a link, or the group's tip for an empty name; MoveItError INVALID_LINK_NAME."""
        return self.robot.link(name, self.group)
