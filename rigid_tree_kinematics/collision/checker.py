"""CollisionChecker: collisions of a robot with itself and a scene."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.checked_robot import CheckedRobot
from rigid_tree_kinematics.collision.conservative import free_batch
from rigid_tree_kinematics.collision.exact import Contact, Distance
from rigid_tree_kinematics.collision.pairs import LeftOut, Pair, named
from rigid_tree_kinematics.collision.report import CollisionReport
from rigid_tree_kinematics.collision.robot import BodySolids, moved_rows
from rigid_tree_kinematics.collision.scene import Scene
from rigid_tree_kinematics.collision.shapes.fit_cache import shape_fingerprint
from rigid_tree_kinematics.collision.state import State, follow
from rigid_tree_kinematics.collision.world import ConservativeModel
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import (
    check_independent,
    configuration_vector,
    normalize,
)

Configuration = ArrayLike | Mapping[str, Any]


class CollisionChecker:
    """Finds contacts and distances, and whether motions are free.

    The robot's collision shapes are checked against each other and against the scene, whose
    changes it follows. Pairs of bodies are left out (``left_out_pairs`` lists them with the
    reason) if they are fixed to each other or the SRDF disables them. Without an SRDF, these are
    the bodies that a joint connects, and those in contact in nearly all of many random
    configurations. Calls from several threads are safe while the scene does not change.

    Args:
        robot: the tree; later changes to it have no effect.
        scene: obstacles; an empty one if None.
        padding: a distance (m) below which two bodies or obstacles are in contact.
        disabled_pairs: pairs of bodies that may touch.
        checked_pairs: pairs of bodies that are checked even if they would be left out.
        srdf: path or text of an SRDF; the pairs that it does not disable are checked, also those
            that the robot excludes. Links that the robot does not have are skipped.

    Raises:
        DescriptionError: a mesh or the SRDF cannot be read.
        CollisionError, UnknownNameError: the padding or a pair is invalid.

    Example:
        >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
        >>> q = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
        >>> checker.is_free(q), checker.motion_free(q, q - [2, 0, 0, 0, 0, 0, 0])
        (True, False)
        >>> round(checker.distance(q).distance, 3)  # m
        0.021
        >>> print(checker.motion_contact(q, q - [2, 0, 0, 0, 0, 0, 0]).second)
        left_pillar
    """

    def __init__(
        self,
        robot: RigidBodyTree,
        scene: Scene | None = None,
        *,
        padding: float = 0.0,
        disabled_pairs: Iterable[Pair] = (),
        checked_pairs: Iterable[Pair] = (),
        srdf: str | Path | None = None,
    ) -> None:
        if not (np.isfinite(padding) and padding >= 0.0):
            raise CollisionError(f"the padding must be finite and not negative, not {padding}")
        self.padding = float(padding)
        self.scene = Scene() if scene is None else scene
        pairs = {"disabled_pairs": disabled_pairs, "checked_pairs": checked_pairs}
        self._robot = CheckedRobot(robot, self.padding, **pairs, srdf=srdf)
        self.compiled = self._robot.compiled
        self.kinds = self.compiled.position_kinds
        self._active: frozenset[int] | None = None  # bodies; None: all
        self._state = State.of(self._robot.loaded())

    @property
    def self_pairs(self) -> tuple[Pair, ...]:
        """The pairs of bodies that are checked against each other."""
        names = [part.name for part in self._robot.parts]
        return tuple((names[a], names[b]) for a, b in self._robot.pairs)

    @cached_property
    def body_solids(self) -> BodySolids:
        """The robot's shapes, for line-of-sight checks."""
        return BodySolids(self._robot.parts)

    @property
    def left_out_pairs(self) -> dict[Pair, LeftOut]:
        """Pairs of bodies with collision shapes that are not checked, with reasons (a copy)."""
        return dict(self._robot.chosen.left_out)

    @property
    def pairs_summary(self) -> str:
        """A sentence with the number of checked pairs, and the excluded pairs with reasons."""
        return self._robot.chosen.summary

    @property
    def fingerprint(self) -> str:
        """A digest of the robot and the scene."""
        digest = hashlib.sha256(self.compiled.table.tobytes())
        attached, allowed = self.scene.attached.values(), self.scene.allowed
        things = [
            *((obstacle, obstacle.pose) for obstacle in self.scene.obstacles.values()),
            *((item.obstacle, item.T_body_obstacle) for item in attached),
        ]
        content: list[Any] = [
            self.self_pairs,
            self.padding,
            [(i.body, i.touch_bodies) for i in attached],
            sorted((sorted(pair), rule) for pair, rule in allowed.pairs.items()),
            sorted(allowed.defaults.items()),
            self._active and sorted(self._active),
        ]
        content += [shape_fingerprint(p.shape) for thing, _ in things for p in thing.shapes]
        digest.update(repr(content).encode())
        arrays = [part.spheres for part in self._robot.parts]
        arrays += [pose @ p.pose for thing, pose in things for p in thing.shapes]
        digest.update(b"".join(array.tobytes() for array in arrays))
        return digest.hexdigest()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the user if links are always free, or almost never."""
        if not self._robot.parts:
            return (f"robot '{self.compiled.name}' has no collision shapes: nothing is checked",)
        found = []
        if self._robot.shapeless:
            names = ", ".join(f"'{name}'" for name in self._robot.shapeless)
            found.append(f"links without collision shapes pass through obstacles: {names}")
        if touching := self._robot.chosen.touching:
            found.append(f"checked, but {LeftOut.ALWAYS.value}: {named(touching)}")
        return tuple(found)

    def with_scene(self, scene: Scene) -> CollisionChecker:
        """Return a checker for another scene, which shares the robot's arrays."""
        twin = copy.copy(self)
        twin.scene = scene
        return twin

    def for_joints(self, joints: Iterable[str]) -> CollisionChecker:
        """Return a checker of the bodies that these joints move, and of what they carry.

        Collisions of other bodies with each other and with obstacles are ignored, as for a group
        in MoveIt. Raises ConfigurationError for a joint that the robot does not have, or that
        mimics another one.

        Example:
            >>> checker = CollisionChecker(load_robot("panda_hand"), load_scene("panda_pillars"))
            >>> q = [0.5, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785, 0.02]
            >>> checker.is_free(q), checker.for_joints(["panda_finger_joint1"]).is_free(q)
            (False, True)
        """
        joints = tuple(joints)
        check_independent(self.compiled, joints)
        slots = [self.compiled.joint_slots[name] for name in joints]
        positions = {k for at, n in slots for k in range(at, at + n)}
        twin = self.with_scene(self.scene)
        twin._active = frozenset(moved_rows(self.compiled, positions))
        bare = self._robot.loaded(active=twin._active)
        twin._state = State.of(bare, self._state.world)
        return twin

    def prepare(self) -> None:
        """Prepare for the scene now instead of at the first query.

        This includes the exact level, for which the robot's meshes are read. Raises
        DescriptionError if a mesh cannot be read, UnknownNameError if an obstacle is attached to
        a body that the robot does not have.
        """
        _ = self._following().exact

    # -- configurations --------------------------------------------------------------------------

    def check(self, configuration: Configuration) -> CollisionReport:
        """Return all contacts at a configuration, between the exact shapes.

        ``configuration`` is (nq,), rad and m, or positions by joint name, as in all methods.
        Raises ConfigurationError if it does not fit the robot, and the errors of ``prepare``.

        Example:
            >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
            >>> report = checker.check([0.5, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
            >>> report.free
            False
            >>> print(report.contacts[0].first, report.contacts[0].second)
            panda_link4 left_pillar
        """
        q = configuration_vector(self.compiled, configuration)
        found: dict[tuple[str, str], Contact] = {}
        for contact in self._following().exact.contacts(q):
            pair = (contact.first, contact.second)
            if pair not in found or contact.depth > found[pair].depth:
                found[pair] = contact
        return CollisionReport(not found, tuple(found.values()))

    def is_free(self, configuration: Configuration) -> bool:
        """Return whether there is no contact; the exact level checks only undecided cases."""
        q = configuration_vector(self.compiled, configuration)
        return self._following().is_free(q)

    def is_free_batch(self, configurations: ArrayLike, *, exact: bool = True) -> Mask:
        """Return ``is_free`` of every row of an (N, nq) array (rad, m), as (N,).

        Without ``exact``, undecided rows are reported as not free, in a fraction of the time.
        Raises CollisionError for another shape or numbers that are not finite, ConfigurationError
        for a zero quaternion.
        """
        rows = np.array(configurations, dtype=np.float64, order="C", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != self.compiled.position_count:
            raise CollisionError(
                f"positions must be (N, {self.compiled.position_count}), not {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise CollisionError("a batch's positions must be finite")
        for row in rows if self.compiled.quaternions else ():
            normalize(self.compiled, row)
        state = self._following()
        free = np.empty(len(rows), dtype=np.bool_)
        with state.work() as work:
            free_batch(state.model_of_all, rows, free, work)
        if exact:
            for k in np.flatnonzero(~free):
                free[k] = state.is_free(rows[k])
        return free

    def distance(self, configuration: Configuration) -> Distance:
        """Return the smallest distance (m, negative in contact) and its location.

        It is the distance between the shapes without padding.
        """
        q = configuration_vector(self.compiled, configuration)
        found = self._following().exact.distance(q)
        return replace(found, distance=found.distance + self.padding)

    def near(self, configuration: Configuration, own: float, scene: float) -> list[Distance]:
        """Return distances below ``own`` (m) within the robot and below ``scene`` to obstacles.

        The list has the smallest distance of every pair, without padding as in ``distance``.
        Attached obstacles are part of the robot.
        """
        q = configuration_vector(self.compiled, configuration)
        slack = self.padding
        near = self._following().exact.near(q, own - slack, scene - slack)
        return [replace(item, distance=item.distance + slack) for item in near]

    # -- motions ---------------------------------------------------------------------------------

    def motion_free(self, start: ArrayLike, end: ArrayLike) -> bool:
        """Return whether the whole straight motion (see topology.py) is collision-free."""
        return self.motion_contact(start, end) is None

    def motion_contact(self, start: ArrayLike, end: ArrayLike) -> Contact | None:
        """Return a contact along the straight motion, or a distance below 0.01 mm; None if free.

        ``start`` and ``end`` are configurations (nq,), rad and m. Raises ConfigurationError if
        one does not fit the robot.
        """
        a = configuration_vector(self.compiled, start)
        b = configuration_vector(self.compiled, end)
        return self._following().motion_contact(a, b)

    def conservative_model(self, configuration: Array, moving: Integers) -> ConservativeModel:
        """Return the conservative level's arrays for a robot with only some moving positions.

        ``moving`` are their indices; the others are fixed as in ``configuration`` (nq,).
        """
        return self._following().model(configuration, moving)

    def _following(self) -> State:
        """Return the state of the current scene."""
        state = self._state = follow(self.scene, self._state)
        return state
