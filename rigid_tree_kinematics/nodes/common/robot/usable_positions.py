"""Joint states without the positions that cannot be used, and log lines about these."""

import math
from collections.abc import Iterable, Mapping, Sequence, Sized

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import MultiDOFJointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.joints import FLOATING
from rigid_tree_kinematics.model.transforms import normalize_quaternion
from rigid_tree_kinematics.nodes.common.robot.joint_reading import JointReading, multi_dof_reading
from rigid_tree_kinematics.text import LONGEST_NAME, plain

MOST_LISTED, MOST_REPORTED = 10, 1000  # names of a log line; of all
LISTS_CACHED = 64  # bounds the memory if a sender changes its names all the time

ABSENT = "joints without a position"
NOT_FINITE = "positions that are not finite"
REPEATED = "repeated names, of which the first is used"
INCOMPLETE = "joints with some of their positions missing"
NO_ROTATION = "joints whose quaternion is zero or too large"
UNKNOWN = "joints that the robot does not have"
NO_POSE = "transforms that cannot be used"

Remarks = dict[str, dict[str, str]]  # for each reason: names, with the text to be logged


class UsablePositions:
    """Leaves out of a robot's joint states what cannot be used, and logs each name once.

    A driver without the position of one joint sends NaN for it; the others are still measured.
    """

    def __init__(self, node: Node, tree: RigidBodyTree) -> None:
        self._node = node
        self._tree = tree
        several = [joint for joint in tree.joints if joint.position_count > 1]
        self._parts = {joint.name: joint.position_names for joint in several}
        self._floating = {joint.name for joint in several if joint.layout.motion == FLOATING}
        self._known = {name for joint in tree.joints for name in joint.position_names}
        self._known.update(joint.name for joint in tree.joints)  # fixed joints too
        self._plain: set[tuple[str, ...]] = set()  # complete lists of known names
        self._reported: set[tuple[str, str]] = set()

    def of(self, reading: JointReading, topic: str) -> JointReading:
        """Return the usable part of a reading, which is the same object if that is all of it.

        Raises ConfigurationError if positions and names differ in number: which position is
        whose is then unknown.
        """
        names, positions = reading.names, reading.positions
        _check_counts(names, positions, "positions")
        remarks: Remarks = {}
        if len(positions) and names in self._plain and np.isfinite(positions).all():
            return reading
        if not len(positions):
            if names:
                _remark(remarks, ABSENT, names)
            names = ()
        place = self._places(names, positions.tolist(), remarks)
        self._report(remarks, topic)
        if not remarks:
            if not self._floating:  # whose quaternions must be checked each time
                self._plain = {*(self._plain if len(self._plain) < LISTS_CACHED else ()), names}
            return reading
        return JointReading(
            reading.seconds, reading.nanoseconds, tuple(place), positions[[*place.values()]]
        )

    def of_poses(self, message: MultiDOFJointState, topic: str) -> JointReading:
        """Return the usable part of the message; raises ConfigurationError like ``of``."""
        joints, poses = message.joint_names, message.transforms
        _check_counts(joints, poses, "transforms")
        remarks: Remarks = {}
        if joints and not poses:
            _remark(remarks, ABSENT, joints)
        names: list[str] = []
        positions: list[float] = []
        for name, pose in zip(joints, poses, strict=False):
            one = MultiDOFJointState(joint_names=[name], transforms=[pose])
            try:
                part = multi_dof_reading(one, self._tree)
            except ConfigurationError as error:
                remarks.setdefault(NO_POSE, {})[name] = str(error)
                continue
            names += part.names
            positions += part.positions.tolist()
        self._report(remarks, topic)
        at = message.header.stamp
        reading = JointReading(at.sec, at.nanosec, tuple(names), np.array(positions))
        return self.of(reading, topic)

    def _places(
        self, names: Sequence[str], positions: Sequence[float], remarks: Remarks
    ) -> dict[str, int]:
        """Return the indices of usable positions by name, and remark on the others."""
        place: dict[str, int] = {}
        for index, name in enumerate(names):
            if name not in self._known:
                _remark(remarks, UNKNOWN, [name])
            elif not math.isfinite(positions[index]):
                remarks.setdefault(NOT_FINITE, {})[name] = f"{name} = {positions[index]}"
            elif name in place:
                _remark(remarks, REPEATED, [name])
            else:
                place[name] = index
        for joint, parts in self._parts.items():
            missing = [part for part in parts if part not in place]
            turn = [positions[place[part]] for part in parts[-4:]] if not missing else []
            if len(missing) < len(parts) and missing:
                text = f"{joint} ({', '.join(missing)} missing)"
                remarks.setdefault(INCOMPLETE, {})[joint] = text
            elif turn and joint in self._floating and not normalize_quaternion(np.array(turn)):
                _remark(remarks, NO_ROTATION, [joint])
            else:
                continue
            for part in parts:
                place.pop(part, None)
        return place

    def _report(self, remarks: Mapping[str, Mapping[str, str]], topic: str) -> None:
        """Log names that have not been logged for the same reason, all in one line."""
        lists = []
        for reason, texts in remarks.items():
            new = {n: text for n, text in texts.items() if (reason, n) not in self._reported}
            if new:
                lists.append((reason, new))
        if not lists or len(self._reported) >= MOST_REPORTED:
            return
        reported = [(reason, name) for reason, new in lists for name in new]
        self._reported.update(reported[:MOST_REPORTED])
        ignored = "; ".join(f"{reason}: {_listed(new.values())}" for reason, new in lists)
        where = self._node.resolve_topic_name(topic)
        self._node.get_logger().warning(f"ignored on {where}: {ignored}")


def _check_counts(names: Sequence[str], values: Sized, what: str) -> None:
    """Raise ConfigurationError unless each name has a value, or none has."""
    if len(values) and len(names) != len(values):
        raise ConfigurationError(f"{len(names)} names, but {len(values)} {what}")


def _remark(remarks: Remarks, reason: str, names: Iterable[str]) -> None:
    remarks.setdefault(reason, {}).update((name, name) for name in names)


def _listed(texts: Iterable[str]) -> str:
    all_of = [plain(text, LONGEST_NAME) for text in texts]
    more = f" and {len(all_of) - MOST_LISTED} more" if len(all_of) > MOST_LISTED else ""
    return ", ".join(all_of[:MOST_LISTED]) + more
