"""Transforms from the frames of MoveIt's requests to the robot's base."""

from __future__ import annotations

import copy

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.tf import LATEST, RobotInTf, Target, TargetFrames
from rigid_tree_moveit.move_group.robot.moveit_robot import MoveItRobot

TF_TIMEOUT = 1.0  # s
LONGEST_CHANGE = 60.0  # s, time limit of changes of the scene


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
        is_world = frame in self._robot.semantics.world_frames
        if is_world and not await self._frames.is_connected(root, frame):
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
