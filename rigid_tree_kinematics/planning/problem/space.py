"""Configuration spaces: intervals, circles and rotations, with bounds and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics.topology import (
    between,
    difference,
    distance_kernel,
    path_length,
)
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import (
    LIMIT_SLACK,
    UNLIMITED_LENGTH,
    check_independent,
)
from rigid_tree_kinematics.model.joints import CIRCLE, INTERVAL, QUATERNION
from rigid_tree_kinematics.model.transforms import random_quaternion
from rigid_tree_kinematics.text import told_apart

MEAN_SQUARED_ANGLE = np.pi**2 / 3 + 2  # rad^2, of random rotations: density (1 - cos a) / pi


@dataclass(frozen=True, eq=False)
class Space:
    """A configuration space, of which some positions move.

    ``kinds`` (nq,) are a CompiledTree's ``position_kinds``; ``lower`` and ``upper`` (nq,) are the
    limits of intervals and the sampling bounds of circles; ``weights`` (nq,) scale each position
    in distances; ``moving`` lists the positions that may change. For the sampling of unlimited
    intervals, see ``around``.

    Example:
        >>> robot = load_robot("ur5")
        >>> space = Space.of_robot(robot.compiled(), ["shoulder_pan_joint", "elbow_joint"])
        >>> q = robot.home_configuration()
        >>> print(round(space.distance(q, q + [0.3, 0, 0.4, 0, 0, 0]), 3))
        0.5
    """

    kinds: NDArray[np.int64]
    lower: Array
    upper: Array
    weights: Array
    moving: NDArray[np.int64]
    names: tuple[str, ...]
    opened: Array | None = None  # (2, nq) 1 for bounds of ``around``, where there are no limits

    @classmethod
    def of_robot(cls, compiled: CompiledTree, moving_joints: Sequence[str] | None = None) -> Space:
        """Return the configuration space of a robot; by default all joints move.

        Raises ConfigurationError for an unknown joint, or if no joint is left to move.
        """
        joints = compiled.joint_names if moving_joints is None else tuple(moving_joints)
        check_independent(compiled, joints)
        slots = [compiled.joint_slots[name] for name in joints]
        moving = np.array(sorted(k for at, n in slots for k in range(at, at + n)), dtype=np.int64)
        if not len(moving):
            raise ConfigurationError("no joint is left to move")
        kinds = compiled.position_kinds
        low, high = compiled.lower.copy(), compiled.upper.copy()
        circles = kinds == CIRCLE
        low[circles], high[circles] = -np.pi, np.pi
        return cls(kinds, low, high, np.ones(len(low)), moving, compiled.position_names)

    @classmethod
    def of_kinds(
        cls, kinds: ArrayLike, lower: ArrayLike, upper: ArrayLike, weights: ArrayLike | None = None
    ) -> Space:
        """Return a space without a robot; all positions move.

        Args:
            kinds: (n,) the kind of each position, see topology.py.
            lower, upper: (n,) limits, rad or m; infinite where an interval has none.
            weights: (n,) of the metric; None: all 1.
        """
        kind = np.array(kinds, dtype=np.int64)
        count = len(kind)
        return cls(
            kind,
            np.array(lower, dtype=np.float64),
            np.array(upper, dtype=np.float64),
            np.ones(count) if weights is None else np.array(weights, dtype=np.float64),
            np.arange(count),
            tuple(f"q{k}" for k in range(count)),
        )

    def around(self, points: Sequence[Array]) -> Space:
        """Return the space with unlimited intervals bounded around the points (nq,)."""
        if not self._has_endless:
            return self
        at = np.array(points)
        opened = np.isinf([self.lower, self.upper]) & (self.kinds == INTERVAL)
        low = np.where(opened[0], at.min(axis=0) - UNLIMITED_LENGTH, self.lower)
        high = np.where(opened[1], at.max(axis=0) + UNLIMITED_LENGTH, self.upper)
        return replace(self, lower=low, upper=high, opened=opened.astype(np.float64))

    def widened(self, length: float) -> Space:
        """Return the space with the bounds of unlimited intervals ``length`` (m) farther out."""
        if self.opened is None:
            return self
        low, high = self.lower - length * self.opened[0], self.upper + length * self.opened[1]
        return replace(self, lower=low, upper=high)

    def narrowed(self, lower: Array, upper: Array) -> Space:
        """Return the space with intervals narrowed to ``lower`` and ``upper`` (nq,)."""
        intervals = self.kinds == INTERVAL
        return replace(
            self,
            lower=np.where(intervals, np.maximum(self.lower, lower), self.lower),
            upper=np.where(intervals, np.minimum(self.upper, upper), self.upper),
        )

    @cached_property
    def _has_endless(self) -> bool:
        return bool(np.isinf([self.lower, self.upper])[:, self.kinds == INTERVAL].any())

    @cached_property
    def is_plain(self) -> bool:
        """Whether all positions are intervals, so motions are plain differences."""
        return bool((self.kinds == INTERVAL).all())

    @cached_property
    def _limited(self) -> tuple[NDArray[np.int64], Array, Array]:
        """The moving positions on intervals, and their limits."""
        limited = self.moving[self.kinds[self.moving] == INTERVAL]
        return limited, self.lower[limited], self.upper[limited]

    @cached_property
    def mean_distance(self) -> float:
        """The root of the mean squared distance of two random configurations."""
        squared = np.zeros(len(self.kinds))
        for kind, value in ((INTERVAL, 1 / 6), (CIRCLE, 1 / 12)):
            of_kind = self.moving[self.kinds[self.moving] == kind]
            squared[of_kind] = value * (self.upper - self.lower)[of_kind] ** 2
        squared[self.moving[self.kinds[self.moving] == QUATERNION]] = MEAN_SQUARED_ANGLE
        return float(np.sqrt(self.weights**2 @ squared))

    def difference(self, a: Array, b: Array) -> Array:
        """Return the straight motion from ``a`` to ``b``, (n,) each (see kinematics.topology)."""
        return difference(self.kinds, a, b)

    def between(self, a: Array, motion: Array, fraction: float) -> Array:
        """Return the configuration (n,) at a fraction, 0 to 1, of a motion (n,) from ``a``."""
        return between(self.kinds, a, motion, fraction)

    def distance(self, a: Array, b: Array) -> float:
        """Return the weighted length of the straight motion between configurations (n,)."""
        return float(distance_kernel(self.kinds, self.weights, a, b))

    def path_length(self, path: Array) -> float:
        """Return the sum of the distances along a path (k, nq)."""
        return float(path_length(self.kinds, self.weights, path, len(path)))

    def continuous(self, path: Array) -> Array:
        """Return a path (k, nq) without jumps: circles unwrapped, quaternions' signs alike."""
        if self.is_plain:
            return path
        points = [path[0]]
        for point in path[1:]:
            reached = self.between(points[-1], self.difference(points[-1], point), 1.0)
            # Adding a difference rounds: without wrapping, the point itself is used.
            points.append(np.where(np.abs(reached - point) < 1e-9, point, reached))
        return np.array(points)

    def inside(self, q: Array) -> Array:
        """Return ``q`` clamped to the limits if it exceeds them by rounding only.

        Raises ConfigurationError naming the positions outside their limits.
        """
        inside = self.clamped(q, LIMIT_SLACK)
        if inside is not q and (outside := self.outside(inside)):
            raise ConfigurationError(f"outside its limits: {outside}")
        return inside

    def outside(self, q: Array) -> str:
        """Return the moving positions of ``q`` (nq,) outside their limits, as a message."""
        limited, lower, upper = self._limited
        part = q[limited]
        wrong = limited[(part < lower) | (part > upper)]
        parts = []
        for k in wrong:
            value, low, high = told_apart(q[k], self.lower[k], self.upper[k])
            parts.append(f"{self.names[k]} = {value}, allowed {low} to {high}")
        return ", ".join(parts)

    def clamped(self, q: Array, slack: float) -> Array:
        """Return ``q`` with moving positions that exceed limits by less than ``slack`` clamped.

        It is ``q`` itself if none is outside.
        """
        limited, lower, upper = self._limited
        part = q[limited]
        inside = np.minimum(np.maximum(part, lower), upper)
        if (inside == part).all():
            return q
        clamped = np.array(q)
        clamped[limited] = np.where(np.abs(inside - part) <= slack, inside, part)
        return clamped

    def random(self, base: Array, rng: np.random.Generator) -> Array:
        """Return ``base`` with its moving positions drawn at random within the bounds."""
        q = np.array(base)
        drawn = rng.uniform(self.lower, self.upper)
        for k in self.moving:
            if self.kinds[k] in (INTERVAL, CIRCLE):
                q[k] = drawn[k]
            elif self.kinds[k] == QUATERNION:
                q[k : k + 4] = random_quaternion(rng)
        return q
