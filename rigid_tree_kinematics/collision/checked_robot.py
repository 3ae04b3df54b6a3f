"""A robot's bodies and checked pairs on both levels, with its attached obstacles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative import ConservativeLevel, pair_maps, pairs_apart
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.pairs import Pair, choose_pairs
from rigid_tree_kinematics.collision.robot import Part, make_part, rigid_groups
from rigid_tree_kinematics.collision.scene import AllowedCollisions, AttachedObstacle, PlacedShape
from rigid_tree_kinematics.description.srdf import read_collision_rules
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model import RigidBodyTree

NOTHING_ALLOWED = AllowedCollisions()
MOST_BODIES = 140  # with shapes: their 10,000 pairs take 20 s to prepare


@dataclass(frozen=True, eq=False)
class LoadedRobot:
    """The robot's arrays of both levels, with its attached obstacles."""

    robot: CheckedRobot
    active: Collection[int] | None
    attached: tuple[AttachedObstacle, ...]
    allowed: AllowedCollisions
    conservative: ConservativeLevel
    make_exact: Callable[[], ExactLevel]

    @property
    def home(self) -> Array:
        """The robot's home configuration."""
        return self.robot.compiled.home

    @property
    def base(self) -> str:
        """The name of the robot's base."""
        return self.robot.compiled.body_names[0]

    def carrying(
        self, attached: tuple[AttachedObstacle, ...], allowed: AllowedCollisions
    ) -> LoadedRobot:
        """Return the robot with other attached obstacles and allowed collisions."""
        return self.robot.loaded(attached, allowed, self.active)

    @cached_property
    def exact(self) -> ExactLevel:
        """The exact level, created on first use because it reads all meshes."""
        return self.make_exact()


class CheckedRobot:
    """The bodies of a robot and the checked pairs of ``parts``; ``apart`` ones never collide.

    ``shapeless`` bodies are drawn, but have no collision shapes.
    """

    def __init__(
        self,
        robot: RigidBodyTree,
        padding: float,
        *,
        disabled_pairs: Iterable[Pair],
        checked_pairs: Iterable[Pair],
        srdf: str | Path | None,
    ) -> None:
        self.compiled = robot.compiled()
        self.padding = padding
        self.parts = self._body_parts(robot)
        bodies = (robot.base, *robot.bodies)
        self.shapeless = [b.name for b in bodies if b.visuals and not b.collisions]
        rules = None if srdf is None else read_collision_rules(srdf)
        excluded = {frozenset((b.name, other)) for b in bodies for other in b.excluded_contacts}
        self.chosen = choose_pairs(
            self.compiled, self.parts, padding, rules, excluded, disabled_pairs, checked_pairs
        )
        self.pairs = self.chosen.checked
        level = ConservativeLevel(self.compiled, self.parts, self.pairs, padding)
        self.apart = pairs_apart(self.compiled, level.model(self.compiled.home), self.pairs)
        near = [pair for pair in self.pairs if pair not in self.apart]
        level = ConservativeLevel(self.compiled, self.parts, near, padding)
        self.maps = pair_maps(self.compiled, level.model(self.compiled.home), near)
        self._group = rigid_groups(self.compiled)
        self._attached_parts: WeakKeyDictionary[AttachedObstacle, Part] = WeakKeyDictionary()

    def loaded(
        self,
        attached: tuple[AttachedObstacle, ...] = (),
        allowed: AllowedCollisions = NOTHING_ALLOWED,
        active: Collection[int] | None = None,
    ) -> LoadedRobot:
        """Return both levels of the robot with its attached obstacles.

        Collisions in which no ``active`` body takes part are ignored; None: all bodies are.
        """
        parts = [*self.parts, *(self._attached_part(item) for item in attached)]
        pairs = self._own_pairs(allowed) + self._attached_pairs(parts, attached, allowed)
        if active is not None:
            pairs = [pair for pair in pairs if any(parts[k].row in active for k in pair)]
        near = [pair for pair in pairs if pair not in self.apart]
        robot, padding = self.compiled, self.padding
        return LoadedRobot(
            self,
            active,
            attached,
            allowed,
            ConservativeLevel(robot, parts, near, padding, self.maps, active),
            partial(ExactLevel, robot, parts, pairs, padding, self.apart, active),
        )

    def _body_parts(self, robot: RigidBodyTree) -> Sequence[Part]:
        shaped = [body for body in (robot.base, *robot.bodies) if body.collisions]
        if len(shaped) > MOST_BODIES:
            raise CollisionError(
                f"robot '{robot.name}' has {len(shaped)} bodies with collision shapes; at most "
                f"{MOST_BODIES} can be checked against each other"
            )
        parts = []
        for body in shaped:
            shapes = [PlacedShape(c.geometry, c.origin) for c in body.collisions]
            row = self.compiled.index_of(body.name)
            parts.append(make_part(self.compiled, body.name, row, shapes))
        return parts

    def _own_pairs(self, allowed: AllowedCollisions) -> list[tuple[int, int]]:
        """Return the pairs of bodies that are checked under the scene's rules."""
        if allowed == NOTHING_ALLOWED:
            return list(self.pairs)
        parts, group, checked = self.parts, self._group, set(self.pairs)

        def is_checked(a: int, b: int) -> bool:
            may_touch = allowed.decide(parts[a].name, parts[b].name)
            return (a, b) in checked if may_touch is None else not may_touch

        return [
            (a, b)
            for a, b in combinations(range(len(parts)), 2)
            if group[parts[a].row] != group[parts[b].row] and is_checked(a, b)
        ]

    def _attached_pairs(
        self,
        parts: Sequence[Part],
        attached: Sequence[AttachedObstacle],
        allowed: AllowedCollisions,
    ) -> list[tuple[int, int]]:
        """Return the checked pairs of attached obstacles with bodies and each other.

        Rigidly connected pairs are checked only if they are in contact.
        """
        group = [self._group[part.row] for part in parts]
        items: list[AttachedObstacle | None] = [*[None] * len(self.parts), *attached]

        def may_touch(k: int, own: int, item: AttachedObstacle) -> bool:
            one, two, holder = parts[k].name, parts[own].name, items[k]
            if group[k] == group[own] == 0 or one in item.touch_bodies:
                return True
            if holder is not None and (holder.body == item.body or two in holder.touch_bodies):
                return True
            return bool(allowed.decide(one, two))

        pairs = [
            (k, own)
            for own, item in enumerate(items)
            if item is not None
            for k in range(own)
            if not may_touch(k, own, item)
        ]
        fixed = [(a, b) for a, b in pairs if group[a] == group[b]]
        if not fixed:
            return pairs
        level = ExactLevel(self.compiled, parts, fixed, self.padding)
        touching = level.touching_pairs(self.compiled.home, np.ones(len(fixed), dtype=np.bool_))
        apart = {pair for pair, touches in zip(fixed, touching, strict=True) if not touches}
        return [pair for pair in pairs if pair not in apart]

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
