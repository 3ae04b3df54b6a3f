"""Poses in messages, transformed to the robot's base."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import MoveItErrorCodes

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.moveit.messages.codes import error_code
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.nodes.tf import LATEST, RobotInTf, Target, TargetFrames

TF_TIMEOUT = 1.0  # s
LONGEST_CHANGE = 60.0  # s, of a change of the scene, which has no time limit of its own


def plain_frame(frame: str) -> str:
    """Return a frame's name without the leading slash of ROS 1."""
    return frame.removeprefix("/")


class BaseFrames:
    """Transforms from frames to the robot's base for one request.

    Like in MoveIt, frames are links, objects in the ``scene``, their subframes, the parents of
    virtual joints, and those of TF, whose latest transforms are taken without a look at stamps.
    The request is worked on until ``deadline``, by default for LONGEST_CHANGE.
    """

    def __init__(
        self,
        frames: TargetFrames,
        robot: MoveItRobot,
        prefix: str,
        deadline: Deadline | None = None,
        scene: Scene | None = None,
    ) -> None:
        self.deadline = Deadline(LONGEST_CHANGE) if deadline is None else deadline
        self.scene = Scene() if scene is None else scene
        self._frames = frames
        self._robot = robot
        self._in_tf = RobotInTf(robot, prefix)

    def link_of(self, frame: str) -> str | None:
        """Return the robot's link of a frame's name, None for another frame."""
        return self._in_tf.body_of(plain_frame(frame))

    def fixture(self, frame: str) -> tuple[str, Array] | None:
        """Return the link that carries a frame, and T_link_frame; None for a frame of TF.

        The base carries objects that are not attached.
        """
        link = self.link_of(frame)
        if link is not None:
            return link, np.eye(4)
        found = self.scene.frame(plain_frame(frame))
        return None if found is None else (found[0] or self._robot.tree.base_name, found[1])

    async def base_from(self, frame: str, configuration: Array) -> Array:
        """Return T_base_frame; frames that links carry follow from the configuration.

        Raises UnknownFrameError for a frame that TF does not know.
        """
        tree = self._robot.tree
        frame = plain_frame(frame)
        if frame == "":
            return np.eye(4)
        if (carried := self.fixture(frame)) is not None:
            link, T_link_frame = carried
            return np.asarray(body_transform(tree, configuration, link) @ T_link_frame)
        root = self._in_tf.root
        if frame in self._robot.semantics.world_frames and not self._frames.knows(root, frame):
            return np.eye(4)
        target = Target(np.eye(4), frame, LATEST)
        deadline = self.deadline.within(TF_TIMEOUT)
        return await self._frames.in_base(
            target, self._in_tf, configuration, tree.base_name, deadline
        )

    async def reference(self, frame: str, configuration: Array) -> tuple[str | None, Array]:
        """Return the link that a frame is fixed to (None: the base), and T_link_frame.

        TF frames of other bodies are fixed to the base. Raises UnknownFrameError.
        """
        carried = self.fixture(frame)
        if carried is None or carried[0] == self._robot.tree.base_name:
            return None, await self.base_from(frame, configuration)
        return carried

    async def in_base(self, pose: Pose, frame: str, configuration: Array) -> Array:
        """Return T_base_pose; MoveItError for an invalid pose."""
        with error_code(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS):
            T_frame_pose = placed_pose(pose)
        return await self.base_from(frame, configuration) @ T_frame_pose
