"""A robot and a scene at one moment, on both levels of checks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.checked_robot import NOTHING_ALLOWED, LoadedRobot
from rigid_tree_kinematics.collision.conservative import (
    FREE,
    find_undecided,
    is_clear,
    motion_verdict,
)
from rigid_tree_kinematics.collision.exact import Contact, ExactLevel
from rigid_tree_kinematics.collision.scene import (
    AllowedCollisions,
    AttachedObstacle,
    Obstacle,
    Scene,
)
from rigid_tree_kinematics.collision.shapes import PointCloud
from rigid_tree_kinematics.collision.world import (
    NO_OBSTACLES,
    ConservativeModel,
    World,
    make_work,
)
from rigid_tree_kinematics.collision.world import follow as follow_obstacles
from rigid_tree_kinematics.collision.world.arrays import Work
from rigid_tree_kinematics.kinematics.topology import difference_kernel

MOST_MODELS = 8  # cached, one for each set of moving positions


@dataclass(frozen=True, eq=False)
class State:
    """A robot and a scene at one moment. Immutable, except for caches."""

    scene: Scene | None
    version: int  # of the scene
    bare: LoadedRobot  # without attached obstacles
    robot: LoadedRobot
    world: World
    model_of_all: ConservativeModel  # all positions move
    # With fixed positions; the keys are the moving positions and the others' values.
    models: dict[tuple[bytes, bytes], ConservativeModel] = field(default_factory=dict)

    @classmethod
    def of(cls, bare: LoadedRobot, world: World = NO_OBSTACLES) -> State:
        """Return a state of a robot that carries nothing."""
        model = bare.conservative.model(bare.home, world=world)
        return cls(None, 0, bare, bare, world, model)

    @cached_property
    def exact(self) -> ExactLevel:
        """The exact level in this world."""
        return self.robot.exact.among(self.world)

    @cached_property
    def _idle(self) -> list[Work]:
        return []

    @contextmanager
    def work(self) -> Iterator[Work]:
        """Lend work arrays of the conservative level to one thread, without earlier results."""
        work = self._idle.pop() if self._idle else make_work(self.model_of_all)
        work.counts[arrays.LAST_UNDECIDED] = -1
        work.axes[:] = self.model_of_all.axes
        yield work
        self._idle.append(work)

    def is_free(self, q: Array) -> bool:
        """Return whether there is no contact; the exact level checks only undecided cases."""
        with self.work() as work:
            if is_clear(self.model_of_all, q, work):
                return True
            undecided = int(work.counts[arrays.LAST_UNDECIDED])
            contact = self._contact_of(undecided, q, work)
        return contact is None and next(self.exact.contacts(q), None) is None

    def motion_contact(self, a: Array, b: Array) -> Contact | None:
        """Return a contact along the straight motion from ``a`` to ``b``; None if it is free."""
        model, kinds = self.model_of_all, self.robot.robot.compiled.position_kinds
        motion = np.empty(len(a))
        difference_kernel(kinds, a, b, motion)
        with self.work() as work:
            if motion_verdict(model, kinds, a, motion, work) == FREE:
                return None
            undecided = find_undecided(model, kinds, a, motion, work)
            contact = self._contact_of(undecided, work.q, work)
        return contact or self.exact.motion_contact(a, b)

    def _contact_of(self, check: int, q: Array, work: Work) -> Contact | None:
        """Return a contact of what an undecided check is about; None if it is apart.

        Most undecided configurations are in collision, and one pair suffices to reject them.
        """
        order, model = self.robot.conservative.order, self.model_of_all
        if check < 0:
            return None
        if check < len(order):
            return self.exact.contact_with(q, order[check], int(work.counts[arrays.OBSTACLE_MET]))
        pair = model.pairs[check - len(order)]
        return self.exact.contact_between(q, order[pair["one"]], order[pair["two"]])

    def model(self, q: Array, moving: Integers) -> ConservativeModel:
        """Return the conservative level's arrays for a robot with only some moving positions.

        ``moving`` are their indices; the others are fixed as in ``q`` (nq,).
        """
        if len(moving) == len(q):
            return self.model_of_all
        fixed_positions = q.copy()
        fixed_positions[moving] = 0.0
        key = moving.tobytes(), fixed_positions.tobytes()
        model = self.models.get(key)
        if model is None:
            model = self.robot.conservative.model(q, moving, self.world)
            if len(self.models) >= MOST_MODELS:
                self.models.clear()
            self.models[key] = model
        return model


def follow(scene: Scene, previous: State) -> State:
    """Return the state of the same robot in a scene; the ``previous`` one if it has not changed.

    What did not change is shared. Calls from several threads are safe while the scene is the same.
    Raises DescriptionError if a mesh cannot be read, UnknownNameError if an obstacle is attached
    to a body that the robot does not have.
    """
    version = scene.version
    if previous.scene is scene and previous.version == version:
        return previous
    allowed, obstacles = scene.allowed, scene.obstacles
    released = _released(obstacles, allowed, previous.robot)
    for name in released:
        del obstacles[name]
    attached = (*scene.attached.values(), *released.values())
    robot, bare = previous.robot, previous.bare
    if not attached and allowed == NOTHING_ALLOWED:
        robot = bare
    elif (attached, allowed) != (robot.attached, robot.allowed):
        robot = bare.carrying(attached, allowed)
    world = follow_obstacles(obstacles, previous.world)
    if robot is previous.robot:
        model = previous.model_of_all._replace(world=world.arrays)
    else:
        model = robot.conservative.model(robot.home, world=world)
    return State(scene, version, bare, robot, world, model)


def _released(
    obstacles: dict[str, Obstacle], allowed: AllowedCollisions, before: LoadedRobot
) -> dict[str, AttachedObstacle]:
    """Return obstacles with allowed collisions as attached to the base instead of in the world.

    Attached obstacles are checked body by body; point clouds stay in the world.
    """
    if not allowed.allow_anything:
        return {}
    known = {item.obstacle: item for item in before.attached}
    return {
        name: known.get(obstacle, AttachedObstacle(obstacle, before.base, obstacle.pose))
        for name, obstacle in obstacles.items()
        if allowed.may_touch(name)
        and not any(isinstance(placed.shape, PointCloud) for placed in obstacle.shapes)
    }
