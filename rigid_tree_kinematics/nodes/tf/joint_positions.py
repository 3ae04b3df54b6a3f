"""Joint positions from joint-state messages, and the frames that they move."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import poses_in_parents
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import normalize

PLANS_CACHED = 64  # cached name lists; new ones in every message must not fill memory

Frames = tuple[tuple[str, str], ...]  # (parent, child) names
_Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class MovedFrames:
    """The frames moved by messages with the same joint names."""

    rows: _Indices  # moving bodies, as rows of the tree's compiled arrays
    frames: Frames  # one for each row
    joints: tuple[str, ...]  # moving joints, including mimic joints
    message_slots: _Indices  # of the positions in the message ...
    slots: _Indices  # ... and in the configuration
    followers: _Indices  # slots of the mimic joints that the message does not name ...
    sources: _Indices  # ... and of the joints that they follow
    multipliers: NDArray[np.float64]
    offsets: NDArray[np.float64]


class JointPositions:
    """The last known positions of all joints of a robot, mimic joints included.

    A mimic joint follows its source unless a message has its position, too: measured positions
    override computed ones. So every moving joint has its own position here.
    """

    def __init__(self, tree: RigidBodyTree) -> None:
        self._mimics = {joint.name: joint.mimic for joint in tree.joints if joint.mimic}
        free = tree.copy()
        for joint in free.joints:
            joint.mimic = None
        self.compiled = free.compiled()
        names = self.compiled.position_names
        self._joint_of = dict(zip(names, self.compiled.joint_of_position, strict=True))
        self._body_row = {body.joint.name: row for row, body in enumerate(free.bodies, start=1)}
        self._slot = {name: slot for slot, name in enumerate(names)}
        self._configuration = self.compiled.home.copy()
        self._missing = dict.fromkeys(tree.joint_names)
        self._plans: dict[tuple[str, ...], MovedFrames] = {}
        # The last update: frames, positions and poses.
        self._last: tuple[MovedFrames, NDArray[np.float64], NDArray[np.float64]] | None = None
        self.static_rows = np.array(
            [self._body_row[joint.name] for joint in free.joints if not joint.position_count],
            dtype=np.intp,
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """The independent joints without a position yet."""
        return tuple(self._missing)

    @property
    def position_names(self) -> tuple[str, ...]:
        """The names that a message can use: joints, or ``joint/x`` and so on."""
        return self.compiled.position_names

    def frames_of(self, rows: Iterable[int]) -> Frames:
        """Return (parent, child) names for rows of bodies."""
        names, parents = self.compiled.body_names, self.compiled.parents
        return tuple((names[parents[row]], names[row]) for row in rows)

    def static_poses(self) -> NDArray[np.float64]:
        """Return the poses (n, 7) of ``static_rows`` in their parents."""
        return poses_in_parents(self.compiled, self.compiled.home)[self.static_rows]

    def moved_by(self, names: tuple[str, ...]) -> MovedFrames:
        """Return the frames that these joint names move; raises ConfigurationError."""
        plan = self._plans.get(names)
        if plan is None:
            if len(self._plans) >= PLANS_CACHED:
                self._plans.clear()
            plan = self._plans[names] = self._plan(names)
        return plan

    def update(self, moved: MovedFrames, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Update the positions from a message; return the poses (n, 7) of ``moved.rows``.

        If the array is that of the last call, it must be unmodified: the last poses are returned.

        Raises ConfigurationError, and changes nothing, for a number that is not finite or a
        quaternion that is zero.
        """
        if self._last is not None and self._last[0] is moved and self._last[1] is positions:
            return self._last[2]
        values = positions[moved.message_slots]
        if not np.isfinite(values).all():
            pairs = zip(moved.slots, values, strict=True)
            bad = [f"{self.position_names[k]} = {q}" for k, q in pairs if not np.isfinite(q)]
            raise ConfigurationError(f"positions that are not finite: {', '.join(bad)}")
        configuration = self._configuration.copy()
        configuration[moved.slots] = values
        normalize(self.compiled, configuration)
        if moved.followers.size:
            source = configuration[moved.sources]
            configuration[moved.followers] = moved.multipliers * source + moved.offsets
        self._configuration = configuration
        if self._missing:
            for joint in moved.joints:
                self._missing.pop(joint, None)
        poses = poses_in_parents(self.compiled, configuration)[moved.rows]
        self._last = (moved, positions, poses)
        return poses

    def _plan(self, names: tuple[str, ...]) -> MovedFrames:
        place: dict[str, int] = {}
        for index, name in enumerate(names):
            place.setdefault(name, index)
        known = [name for name in self.position_names if name in place]
        named = dict.fromkeys(self._joint_of[name] for name in known)
        self._check_complete(named, place)
        followers = [
            (joint, *chain)
            for joint in self._mimics
            if joint not in named and (chain := self._chain(joint, named))
        ]
        moving = [*named, *(follower[0] for follower in followers)]
        rows = np.array(sorted(self._body_row[joint] for joint in moving), dtype=np.intp)
        return MovedFrames(
            rows=rows,
            frames=self.frames_of(rows),
            joints=tuple(moving),
            message_slots=np.array([place[name] for name in known], dtype=np.intp),
            slots=np.array([self._slot[name] for name in known], dtype=np.intp),
            followers=np.array([self._slot[f[0]] for f in followers], dtype=np.intp),
            sources=np.array([self._slot[f[1]] for f in followers], dtype=np.intp),
            multipliers=np.array([f[2] for f in followers], dtype=np.float64),
            offsets=np.array([f[3] for f in followers], dtype=np.float64),
        )

    def _chain(self, joint: str, named: dict[str, None]) -> tuple[str, float, float] | None:
        """Return (source, multiplier, offset) for the first named joint up the mimic chain."""
        multiplier, offset = 1.0, 0.0
        while (mimic := self._mimics.get(joint)) is not None:
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            joint = mimic.joint
            if joint in named:
                return joint, multiplier, offset
        return None

    def _check_complete(self, joints: Iterable[str], place: dict[str, int]) -> None:
        """Raise ConfigurationError for a message with only some of the numbers of one joint."""
        for joint in joints:
            start, count = self.compiled.joint_slots[joint]
            wanted = self.position_names[start : start + count]
            missing = [name for name in wanted if name not in place]
            if missing:
                raise ConfigurationError(
                    f"joint '{joint}' takes {count} numbers in one message; "
                    f"{', '.join(missing)} missing"
                )
