"""CollisionChecker: a robot against itself and against a scene."""

from __future__ import annotations

import copy
import hashlib
import itertools
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative import (
    FREE,
    ConservativeLevel,
    free_batch,
    is_clear,
    motion_verdict,
    pair_maps,
    pairs_apart,
)
from rigid_tree_kinematics.collision.exact import Contact, Distance, ExactLevel
from rigid_tree_kinematics.collision.pairs import LeftOut, Pair, choose_pairs, named
from rigid_tree_kinematics.collision.robot import BodySolids, Part, make_part, rigid_groups
from rigid_tree_kinematics.collision.scene import (
    AllowedCollisions,
    AttachedObstacle,
    Obstacle,
    PlacedShape,
    Scene,
)
from rigid_tree_kinematics.collision.shapes import PointCloud, shape_fingerprint
from rigid_tree_kinematics.collision.srdf import read_collision_rules
from rigid_tree_kinematics.collision.world import ConservativeModel, World, make_work
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.kinematics.topology import difference_kernel
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector

Configuration = ArrayLike | Mapping[str, Any]


MOST_BODIES = 140  # with shapes, of a robot: 10,000 pairs, which take 20 s to prepare


@dataclass(frozen=True)
class CollisionReport:
    """Whether a configuration is free, and if not, all that touches."""

    free: bool
    contacts: tuple[Contact, ...]

    @property
    def message(self) -> str:
        """One sentence that names what touches."""
        if self.free:
            return "nothing touches"
        pairs = [f"'{contact.first}' touches '{contact.second}'" for contact in self.contacts]
        more = f" and {len(pairs) - 4} more pairs" if len(pairs) > 4 else ""
        return ", ".join(pairs[:4]) + more


class CollisionChecker:
    """Tells what touches, how far the rest is, and whether motions are free.

    The robot's collision shapes are checked against each other and against the scene, whose
    changes it follows. Pairs of bodies are left out (``left_out_pairs`` says which and why) that
    are fixed to each other, and those that the SRDF disables. Without an SRDF, these are the
    bodies that a joint connects, and those that touch in nearly all of many random
    configurations. Calls from several threads are safe as long as nobody changes the scene
    meanwhile.

    Args:
        robot: the tree; later changes of it are not seen.
        scene: obstacles; an empty one if None.
        padding: a distance (m) below which two things count as touching.
        disabled_pairs: bodies, two by two, that may touch.
        checked_pairs: bodies, two by two, that are checked although they would be left out.
        srdf: path or text of an SRDF, which decides which pairs are checked: those that it does
            not disable. Links that the robot does not have are skipped.

    Raises:
        DescriptionError: a mesh or the SRDF cannot be read.
        CollisionError, UnknownNameError: the padding or a pair makes no sense.
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
        self.compiled = robot.compiled()
        self.padding = float(padding)
        self.scene = Scene() if scene is None else scene
        self.kinds = self.compiled.position_kinds
        self._lock = threading.Lock()
        self._robot_parts = self._body_parts(robot)
        self._chosen = choose_pairs(
            self.compiled,
            self._robot_parts,
            self.padding,
            srdf=None if srdf is None else read_collision_rules(srdf),
            disabled=disabled_pairs,
            checked=checked_pairs,
        )
        self._robot_pairs = self._chosen.checked
        level = ConservativeLevel(
            self.compiled, self._robot_parts, self._robot_pairs, self.padding
        )
        self._apart = pairs_apart(self.compiled, level, self._robot_pairs)
        near = [pair for pair in self._robot_pairs if pair not in self._apart]
        level = ConservativeLevel(self.compiled, self._robot_parts, near, self.padding)
        everything = np.arange(self.compiled.position_count)
        model = level.model(self.compiled.home, everything, World())
        self._maps = pair_maps(self.compiled, model, near)
        self._attached_parts: WeakKeyDictionary[AttachedObstacle, Part] = WeakKeyDictionary()
        self._released: dict[str, AttachedObstacle] = {}
        self._bare = self._robot_with((), AllowedCollisions())
        self._carrying = self._bare
        self._world = World()
        self._levels: _Levels | None = None

    @property
    def self_pairs(self) -> tuple[Pair, ...]:
        """The pairs of bodies that are checked against each other."""
        names = [part.name for part in self._robot_parts]
        return tuple((names[a], names[b]) for a, b in self._robot_pairs)

    @cached_property
    def body_solids(self) -> BodySolids:
        """The robot's shapes, for questions about lines of sight."""
        return BodySolids(self._robot_parts)

    @property
    def left_out_pairs(self) -> dict[Pair, LeftOut]:
        """The pairs of bodies with collision shapes that are not checked, and why (a copy)."""
        return dict(self._chosen.left_out)

    @property
    def pairs_summary(self) -> str:
        """How many pairs are checked, and which are left out for which reason, in a sentence."""
        return self._chosen.summary

    @property
    def fingerprint(self) -> str:
        """What identifies the answers: equal robots in equal scenes have equal ones."""
        content = hashlib.sha256(self.compiled.table.tobytes())
        held, allowed = self.scene.attached.values(), self.scene.allowed
        things = [
            *((obstacle, obstacle.pose) for obstacle in self.scene.obstacles.values()),
            *((item.obstacle, item.T_body_obstacle) for item in held),
        ]
        words: list[Any] = [
            self.self_pairs,
            self.padding,
            [(i.body, i.touch_bodies) for i in held],
        ]
        words.append(sorted((sorted(pair), said) for pair, said in allowed.pairs.items()))
        words.append(sorted(allowed.defaults.items()))
        words += [shape_fingerprint(p.shape) for thing, _ in things for p in thing.shapes]
        content.update(repr(words).encode())
        arrays = [part.spheres for part in self._robot_parts]
        arrays += [pose @ p.pose for thing, pose in things for p in thing.shapes]
        content.update(b"".join(array.tobytes() for array in arrays))
        return content.hexdigest()

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know about a robot that is always free, or hardly ever."""
        if not self._robot_parts:
            return (f"robot '{self.compiled.name}' has no collision shapes: nothing is checked",)
        touching = self._chosen.touching
        if not touching:
            return ()
        return (f"checked, but {LeftOut.ALWAYS.value}: {named(touching)}",)

    def with_scene(self, scene: Scene) -> CollisionChecker:
        """Return a checker of the same robot for another scene; the robot's part is shared."""
        twin = copy.copy(self)
        twin.scene = scene
        twin._lock = threading.Lock()
        twin._levels = None  # but from the same world: only what differs is made
        return twin

    def prepare(self) -> None:
        """Lay the scene out now, not at the first question.

        Raises DescriptionError if a mesh cannot be read, UnknownNameError for a body that an
        obstacle is attached to, or may touch, and the robot does not have.
        """
        self._now()

    # -- questions about configurations ----------------------------------------------------------

    def check(self, configuration: Configuration) -> CollisionReport:
        """Return what touches at a configuration, by the exact shapes.

        ``configuration`` is (nq,), rad and m, or positions by joint name, as everywhere here.
        Raises ConfigurationError if it is none of the robot, and what ``prepare`` does.
        """
        q = configuration_vector(self.compiled, configuration)
        contacts = tuple(self._now().exact.contacts(q))
        found: dict[tuple[str, str], Contact] = {}
        for contact in contacts:
            pair = (contact.first, contact.second)
            if pair not in found or contact.depth > found[pair].depth:
                found[pair] = contact
        return CollisionReport(not found, tuple(found.values()))

    def is_free(self, configuration: Configuration) -> bool:
        """Return whether nothing touches; the exact level is asked only if in doubt."""
        q = configuration_vector(self.compiled, configuration)
        levels = self._now()
        model = levels.model_of_all
        if is_clear(model, q, make_work(model)):
            return True
        return next(levels.exact.contacts(q), None) is None

    def is_free_batch(self, configurations: ArrayLike) -> NDArray[np.bool_]:
        """Return ``is_free`` of every row of an (N, nq) array (rad, m), as (N,).

        Raises CollisionError for another shape, or numbers that are not finite.
        """
        rows = np.array(configurations, dtype=np.float64, order="C", ndmin=2)
        if rows.ndim != 2 or rows.shape[1] != self.compiled.position_count:
            raise CollisionError(
                f"a batch has shape (N, {self.compiled.position_count}), not {rows.shape}"
            )
        if not np.isfinite(rows).all():
            raise CollisionError("a batch's positions must be finite")
        levels = self._now()
        free = np.empty(len(rows), dtype=np.bool_)
        free_batch(levels.model_of_all, rows, free, make_work(levels.model_of_all))
        for k in np.flatnonzero(~free):
            free[k] = next(levels.exact.contacts(rows[k]), None) is None
        return free

    def distance(self, configuration: Configuration) -> Distance:
        """Return the smallest distance and where it is; negative if things touch (m).

        It counts from the real shapes: the padding is not taken off.
        """
        q = configuration_vector(self.compiled, configuration)
        found = self._now().exact.distance(q)
        return replace(found, distance=found.distance + self.padding)

    def near(self, configuration: Configuration, own: float, scene: float) -> list[Distance]:
        """Return all distances below ``own`` (m) within the robot, and below ``scene`` around it.

        One of every two things, from their real shapes as in ``distance``. What is attached to
        the robot belongs to it.
        """
        q = configuration_vector(self.compiled, configuration)
        slack = self.padding
        near = self._now().exact.near(q, own - slack, scene - slack)
        return [replace(item, distance=item.distance + slack) for item in near]

    # -- questions about motions -----------------------------------------------------------------

    def motion_free(self, start: ArrayLike, end: ArrayLike) -> bool:
        """Return whether the straight way (see topology.py) is free along its whole length."""
        return self.motion_contact(start, end) is None

    def motion_contact(self, start: ArrayLike, end: ArrayLike) -> Contact | None:
        """Return something that the straight way touches, or comes within 0.01 mm of; or None.

        ``start`` and ``end`` are configurations (nq,), rad and m. Raises ConfigurationError if
        one is none of the robot.
        """
        a = configuration_vector(self.compiled, start)
        b = configuration_vector(self.compiled, end)
        levels = self._now()
        difference = np.empty(len(a))
        difference_kernel(self.kinds, a, b, difference)
        model = levels.model_of_all
        verdict = motion_verdict(model, self.kinds, a, difference, make_work(model))
        if verdict == FREE:
            return None
        return levels.exact.motion_contact(a, b)

    def conservative_model(
        self, configuration: Array, moving: NDArray[np.int64]
    ) -> ConservativeModel:
        """Return the conservative level's arrays for a robot of which only some positions move.

        ``moving`` holds their indices; the others stand as in ``configuration`` (nq,).
        """
        levels = self._now()
        if len(moving) == self.compiled.position_count:
            return levels.model_of_all
        return levels.robot.conservative.model(configuration, moving, levels.world)

    # -- parts and pairs -------------------------------------------------------------------------

    def _body_parts(self, robot: RigidBodyTree) -> list[Part]:
        parts = []
        shaped = sum(bool(body.collisions) for body in (robot.base, *robot.bodies))
        if shaped > MOST_BODIES:
            raise CollisionError(
                f"robot '{robot.name}' has {shaped} bodies with collision shapes; at most "
                f"{MOST_BODIES} can be checked against each other"
            )
        for body in (robot.base, *robot.bodies):
            if body.collisions:
                shapes = [PlacedShape(c.geometry, c.origin) for c in body.collisions]
                row = self.compiled.index_of(body.name)
                parts.append(make_part(self.compiled, body.name, row, shapes))
        return parts

    # -- following the scene ---------------------------------------------------------------------

    def _now(self) -> _Levels:
        """Return both levels for the scene as it is."""
        levels = self._levels
        if levels is None or levels.version != (id(self.scene), self.scene.version):
            with self._lock:
                levels = self._make_levels()
                self._levels = levels
        return levels

    def _make_levels(self) -> _Levels:
        version = id(self.scene), self.scene.version
        allowed, standing = self.scene.allowed, self.scene.obstacles
        released = self._release(standing, allowed)
        attached = (*self.scene.attached.values(), *released)
        plain = not attached and allowed == AllowedCollisions()
        if not plain and (attached, allowed) != (self._carrying.attached, self._carrying.allowed):
            self._carrying = self._robot_with(attached, allowed)
        elif plain:
            self._carrying = self._bare  # what was carried before may be large
        robot = self._carrying
        before = self._levels
        self._world = self._world.updated(standing)
        if before is not None and before.robot is robot and before.world is self._world:
            return replace(before, version=version)
        everything = np.arange(self.compiled.position_count)
        model = robot.conservative.model(self.compiled.home, everything, self._world)
        return _Levels(version, robot, self._world, robot.exact.among(self._world), model)

    def _release(
        self, standing: dict[str, Obstacle], allowed: AllowedCollisions
    ) -> list[AttachedObstacle]:
        """Take obstacles that something may touch out of ``standing``; return them as held.

        The world is one to the robot; what is held by the base, which stands as still, is checked
        body by body. Clouds of points stay in the world.
        """
        before, self._released = self._released, {}
        if not allowed.allow_anything:
            return []
        base = self.compiled.body_names[0]
        for name, obstacle in list(standing.items()):
            cloud = any(isinstance(placed.shape, PointCloud) for placed in obstacle.shapes)
            if cloud or not allowed.may_touch(name):
                continue
            del standing[name]
            known = before.get(name)
            if known is None or known.obstacle is not obstacle:
                known = AttachedObstacle(obstacle, base, obstacle.pose)
            self._released[name] = known
        return list(self._released.values())

    def _robot_with(
        self, attached: tuple[AttachedObstacle, ...], allowed: AllowedCollisions
    ) -> _Robot:
        """Return the robot's side of both levels, with the obstacles that it carries."""
        held = [self._attached_part(item) for item in attached]
        parts = [*self._robot_parts, *held]
        pairs = self._own_pairs(allowed)
        group = rigid_groups(self.compiled)
        for number, (item, part) in enumerate(zip(attached, held, strict=True)):
            may_touch = {self.compiled.index_of(name) for name in (item.body, *item.touch_bodies)}
            own = len(self._robot_parts) + number
            for k, other in enumerate(parts[:own]):
                if other.row in may_touch or group[other.row] == group[part.row]:
                    continue
                if not allowed.decide(other.name, part.name):
                    pairs.append((k, own))
        near = [pair for pair in pairs if pair not in self._apart]
        return _Robot(
            attached,
            allowed,
            ConservativeLevel(self.compiled, parts, near, self.padding, self._maps),
            ExactLevel(self.compiled, parts, pairs, self.padding, self._apart),
        )

    def _own_pairs(self, allowed: AllowedCollisions) -> list[tuple[int, int]]:
        """Return the pairs of bodies that are checked when some are said to touch, or not to."""
        pairs = list(self._robot_pairs)
        if allowed == AllowedCollisions():
            return pairs
        group = rigid_groups(self.compiled)
        parts = self._robot_parts
        chosen = set(pairs)
        return [
            (a, b)
            for a, b in itertools.combinations(range(len(parts)), 2)
            if group[parts[a].row] != group[parts[b].row]
            and not _may_touch(allowed.decide(parts[a].name, parts[b].name), (a, b) in chosen)
        ]

    def _attached_part(self, item: AttachedObstacle) -> Part:
        part = self._attached_parts.get(item)
        if part is None:
            row = self.compiled.index_of(item.body)
            shapes = [
                PlacedShape(placed.shape, item.T_body_obstacle @ placed.pose)
                for placed in item.obstacle.shapes
            ]
            part = make_part(self.compiled, item.obstacle.name, row, shapes)
            self._attached_parts[item] = part
        return part


def _may_touch(said: bool | None, checked: bool) -> bool:
    return not checked if said is None else said


@dataclass(frozen=True, eq=False)
class _Robot:
    """The robot's side of both levels, with what it carries."""

    attached: tuple[AttachedObstacle, ...]
    allowed: AllowedCollisions
    conservative: ConservativeLevel
    exact: ExactLevel


@dataclass(frozen=True, eq=False)
class _Levels:
    """Both levels for one version of the scene."""

    version: tuple[int, int]
    robot: _Robot
    world: World
    exact: ExactLevel
    model_of_all: ConservativeModel  # every position moves
