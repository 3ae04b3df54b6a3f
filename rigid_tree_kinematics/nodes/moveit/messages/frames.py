"""Where poses in messages lie to the robot's base."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import MoveItErrorCodes

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.moveit.messages.codes import refusing
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.nodes.tf import LATEST, RobotInTf, Target, TargetFrames

PATIENCE = 1.0  # s, that a request waits for TF
LONGEST_CHANGE = 60.0  # s, that a change of the scene takes, which has no limit of its own


def plain_frame(frame: str) -> str:
    """Return a frame's name without the slash that names had in front in ROS 1."""
    return frame.removeprefix("/")


class BaseFrames:
    """Poses in the robot's base, of frames as they are now: like MoveIt, without their stamps.

    They are those of one request, which is worked on until ``deadline``; None: for LONGEST_CHANGE.
    """

    def __init__(
        self,
        frames: TargetFrames,
        robot: MoveItRobot,
        prefix: str,
        deadline: Deadline | None = None,
    ) -> None:
        self.deadline = Deadline(LONGEST_CHANGE) if deadline is None else deadline
        self._frames = frames
        self._robot = robot
        self._in_tf = RobotInTf(robot, prefix)

    def link_of(self, frame: str) -> str | None:
        """Return the link that a frame is; None if it is none of the robot's."""
        return self._in_tf.body_of(plain_frame(frame))

    async def base_from(self, frame: str, configuration: Array) -> Array:
        """Return T_base_frame; the robot's own frames are where the configuration has them.

        UnknownFrameError for a frame that TF does not know.
        """
        tree = self._robot.tree
        frame = plain_frame(frame)
        link = self._in_tf.body_of(frame)
        if frame == "":
            return np.eye(4)
        if link is not None:
            return body_transform(tree, configuration, link)
        root = self._in_tf.root
        if frame in self._robot.semantics.world_frames and not self._frames.knows(root, frame):
            return np.eye(4)
        target = Target(np.eye(4), frame, LATEST)
        deadline = self.deadline.within(PATIENCE)
        return await self._frames.in_base(
            target, self._in_tf, configuration, tree.base_name, deadline
        )

    async def reference(self, frame: str, configuration: Array) -> tuple[str | None, Array]:
        """Return the link that a frame is fixed to, and T_link_frame; None for the base.

        Frames of TF are fixed to the base, where they are now. UnknownFrameError.
        """
        link = self.link_of(frame)
        if link is None or link == self._robot.tree.base_name:
            return None, await self.base_from(frame, configuration)
        return link, np.eye(4)

    async def in_base(self, pose: Pose, frame: str, configuration: Array) -> Array:
        """Return T_base_pose; MoveItError for a pose that is none."""
        with refusing(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS):
            T_frame_pose = placed_pose(pose)
        return await self.base_from(frame, configuration) @ T_frame_pose
