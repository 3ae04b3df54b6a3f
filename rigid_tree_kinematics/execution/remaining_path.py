"""The remaining path of a motion: the robot's progress, and collisions ahead."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.collision import CollisionChecker, Contact
from rigid_tree_kinematics.kinematics.topology import TURN, between, difference
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import CIRCLE, INTERVAL
from rigid_tree_kinematics.trajectories import Waypoints

EQUALLY_NEAR = 1e-9  # rad and m; smaller differences of distances are ignored
# Maximum increase of the distance from the path while the nearest point is searched, rad and m: a
# robot just before a sharp corner can then be located after it.
HUMP = 0.01
LONGEST_PART = 2.0  # rad; below pi


@dataclass(frozen=True, eq=False)
class Blockage:
    """The first collision on the remaining path."""

    contact: Contact
    seconds: float  # until the end of the motion in collision, by the path's times

    @property
    def message(self) -> str:
        """A sentence with the bodies in collision, the position and the time left."""
        x, y, z = self.contact.point
        return (
            f"the path is blocked: '{self.contact.first}' would hit '{self.contact.second}' at "
            f"({x:.3f}, {y:.3f}, {z:.3f}) m within {self.seconds:.2f} s"
        )


def start_errors(compiled: CompiledTree, configuration: ArrayLike, waypoints: Waypoints) -> Array:
    """Return the distances (k,), rad or m, from a configuration (nq,) to the first waypoint.

    Example:
        >>> from rigid_tree_kinematics.trajectories import checked_waypoints
        >>> robot = load_robot("ur5").compiled()
        >>> waypoints = checked_waypoints(robot, ["elbow_joint"], [0.0], [[1.0]])
        >>> print(start_errors(robot, robot.home + 0.1, waypoints).round(2))
        [0.67]
    """
    now = np.array(configuration, dtype=np.float64)
    first = now.copy()
    first[waypoints.slots] = waypoints.positions[0]
    errors: Array = np.abs(difference(compiled.position_kinds, now, first))[waypoints.slots]
    return errors


class RemainingPath:
    """Tracks a robot along a path of straight motions, and checks the remaining path.

    Like a driver (``JointTrajectory``), a continuous joint starts in the shorter direction if the
    first time is above 0, and moves by the difference of the positions between points.

    Args:
        compiled: the robot.
        configuration: the current one (nq,), rad and m. The path starts there, unless its first
            time is 0: then at its first point.
        slots: indices (k,) of the positions that the path moves.
        times: (n,) s, increasing from 0.
        positions: (n, k), rad and m.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
        >>> q = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
        >>> path = np.array([q, q - [2, 0, 0, 0, 0, 0, 0]])
        >>> rest = RemainingPath(checker.compiled, q, range(7), [0.0, 4.0], path)
        >>> rest.advance(q)
        >>> print(rest.blockage(checker, q).contact.second)
        left_pillar
    """

    def __init__(
        self,
        compiled: CompiledTree,
        configuration: ArrayLike,
        slots: Sequence[int] | NDArray[np.int64],
        times: ArrayLike,
        positions: ArrayLike,
    ) -> None:
        self._slots = np.asarray(slots, dtype=np.int64)
        self._kinds = compiled.position_kinds[self._slots]
        self._times = np.asarray(times, dtype=np.float64)
        self._positions = np.ascontiguousarray(positions, dtype=np.float64)
        circles = self._kinds == CIRCLE
        if self._times[0] > 0.0:
            begin = np.asarray(configuration, dtype=np.float64)[self._slots]
            turns = np.where(circles, np.round((self._positions[0] - begin) / TURN), 0.0)
            self._times = np.append(0.0, self._times)
            self._positions = np.vstack([begin + TURN * turns, self._positions])
        self._divide(circles)
        self._segments = [
            difference(self._kinds, a, b)
            for a, b in zip(self._positions[:-1], self._positions[1:], strict=True)
        ]
        self._segment, self._fraction = 0, 0.0

    def _divide(self, circles: Mask) -> None:
        """Divide long motions of circles, whose other direction would be shorter."""
        kinds = np.where(circles, INTERVAL, self._kinds)
        times, points = [self._times[0]], [self._positions[0]]
        for time, a, b in zip(
            self._times[1:], self._positions[:-1], self._positions[1:], strict=True
        ):
            motion, begin = difference(kinds, a, b), times[-1]
            parts = math.ceil(float(np.abs(motion[circles]).max(initial=0.0)) / LONGEST_PART)
            for share in np.arange(1, parts) / parts:
                times.append(begin + share * (time - begin))
                points.append(between(kinds, a, motion, share))
            times.append(time)
            points.append(b)
        self._times, self._positions = np.array(times), np.array(points)

    @property
    def seconds_passed(self) -> float:
        """The path's time (s) at the robot's last known position."""
        if not self._segments:
            return float(self._times[0])
        first, last = self._times[self._segment : self._segment + 2]
        return float(first + self._fraction * (last - first))

    def advance(self, configuration: ArrayLike) -> None:
        """Advance to the nearest point to ``configuration`` (nq,), never backwards.

        The search ends where the path moves away from the robot, and the first of equally near
        points is used, so that a later part of the path through the same place is not matched.
        """
        q = np.asarray(configuration, dtype=np.float64)[self._slots]
        nearest = np.inf
        for segment in range(self._segment, len(self._segments)):
            motion = self._segments[segment]
            offset = difference(self._kinds, self._positions[segment], q)
            length = float(motion @ motion)
            fraction = min(max(float(offset @ motion) / length, 0.0), 1.0) if length > 0.0 else 1.0
            if segment == self._segment:
                fraction = max(fraction, self._fraction)
            distance = float(np.linalg.norm(offset - fraction * motion))
            if distance > nearest + HUMP:
                return
            if distance < nearest - EQUALLY_NEAR:
                nearest = distance
                self._segment, self._fraction = segment, fraction

    def blockage(self, checker: CollisionChecker, configuration: ArrayLike) -> Blockage | None:
        """Return the first collision on the remaining path, or None.

        The positions that the path does not move are those of ``configuration`` (nq,).
        """
        here = np.array(configuration, dtype=np.float64)
        there = here.copy()
        if not self._segments:
            here[self._slots] = self._positions[0]
            contact = checker.motion_contact(here, here)
            return None if contact is None else Blockage(contact, 0.0)
        begin, passed = self._segment, self.seconds_passed
        here[self._slots] = between(
            self._kinds, self._positions[begin], self._segments[begin], self._fraction
        )
        for segment in range(begin, len(self._segments)):
            there[self._slots] = self._positions[segment + 1]
            contact = checker.motion_contact(here, there)
            if contact is not None:
                return Blockage(contact, float(self._times[segment + 1]) - passed)
            here[self._slots] = there[self._slots]
        return None
