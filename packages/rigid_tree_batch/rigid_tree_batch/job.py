"""Jobs: their settings as plain data, with the robot and scene loaded for them."""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision import CollisionChecker, list_scenes, load_scene
from rigid_tree_kinematics.description import list_robots, load_robot, read_description, write_urdf
from rigid_tree_kinematics.description.urdf import with_joint_frames
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import CompiledTree, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.configuration import random_configuration

Files = dict[str, bytes]  # contents by file name
Robot = str | os.PathLike[str] | RigidBodyTree

JOBS_CACHED = 4  # by a process
MOST_WHOLE = 10**12
DRAWS = 1000  # random configurations for a free one


class BatchError(RigidTreeError, ValueError):
    """A job or a map has invalid settings, or its folder belongs to another job."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A robot, and its checker for the scene; None if collisions are ignored."""

    tree: RigidBodyTree
    compiled: CompiledTree
    checker: CollisionChecker | None
    digest: str

    def free(self, configurations: Array, exact: bool = True) -> Mask:
        """Return which configurations (N, nq) are collision-free, (N,)."""
        if self.checker is None or not len(configurations):
            return np.ones(len(configurations), dtype=np.bool_)
        return self.checker.is_free_batch(configurations, exact=exact)

    def random(self, rng: np.random.Generator, count: int) -> Array:
        """Return ``count`` configurations within the limits, (count, nq)."""
        rows = [random_configuration(self.compiled, rng) for _ in range(count)]
        shape = count, self.compiled.position_count
        return np.asarray(rows, dtype=np.float64).reshape(shape)

    def random_free(self, rng: np.random.Generator, moving: Integers | None = None) -> Array:
        """Return a collision-free configuration (nq,); raises BatchError if none is found.

        Positions that are not ``moving`` (None: all are) stay at home.
        """
        for _ in range(DRAWS):
            q: Array = self.compiled.home.copy()
            chosen = slice(None) if moving is None else moving
            q[chosen] = self.random(rng, 1)[0, chosen]
            if self.free(q[None])[0]:
                return q
        raise BatchError(f"{DRAWS} random configurations of '{self.tree.name}' are in collision")


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """Settings of a job. Equal jobs have identical results.

    Args:
        robot: a name or path for ``load_robot``, or the text of a URDF or SDF.
        bodies: names, in the order of a tree whose URDF is ``robot``; URDF does not keep it.
        home: the home configuration of that tree, which URDF does not keep either.
        scene: a name or path for ``load_scene``; None: no obstacles.
        collisions: whether collisions with itself and with the scene are checked.
        seed: of all random numbers.
        digest: of the robot and the scene; a worker whose files differ raises an error.
    """

    robot: str
    bodies: tuple[str, ...] = ()
    home: tuple[float, ...] = ()
    scene: str | None = None
    collisions: bool = True
    seed: int = 0
    digest: str = ""

    def __post_init__(self) -> None:
        # NumPy's numbers are not JSON, and small ones overflow.
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                object.__setattr__(self, field.name, value.item())

    @abstractmethod
    def prepare(self) -> Work:
        """Return the prepared job; raises RigidTreeError for invalid settings."""

    def cell(self) -> Cell:
        """Return the robot and the scene; raises BatchError if they do not match the digest."""
        if self.scene is not None and not self.collisions:
            raise BatchError("a scene has no effect without collisions: leave out one of them")
        require_whole("seed", self.seed, 0, 2**63 - 1)
        settings = self.robot, self.bodies, self.home, self.scene, self.collisions
        cell = _cell(*settings)
        if self.digest not in ("", cell.digest):
            _cell.cache_clear()  # the files may have changed since they were read
            cell = _cell(*settings)
        if self.digest not in ("", cell.digest):
            raise BatchError(
                f"this worker's robot '{cell.tree.name}' or scene differs from the job's"
            )
        return cell

    def identified(self) -> Job:
        """Return the job with a digest of its robot and scene."""
        _cell.cache_clear()
        return replace(self, digest=self.cell().digest)


class Work(ABC):
    """A prepared job."""

    chunk_count: int
    description_file: str  # of the files of ``header``: identifies the job

    @abstractmethod
    def header(self) -> Files:
        """Return the files that are written before the first chunk."""

    @abstractmethod
    def last_file(self, chunk: int) -> str:
        """Return the name of the file of a chunk that is written last."""

    @abstractmethod
    def compute(self, chunk: int) -> Files:
        """Return the files of a chunk, in the order of writing."""


def run_chunk(job: Job, chunk: int) -> Files:
    """Return the files of a chunk; each process prepares a job only once."""
    return prepared(job).compute(chunk)


def prepared(job: Job) -> Work:
    """Return a prepared job; raises RigidTreeError for invalid settings."""
    with _LOCK:  # otherwise all threads would load the robot
        return _prepared(job)


def random_of(job: Job, chunk: int) -> np.random.Generator:
    """Return a chunk's random number generator."""
    return np.random.default_rng(np.random.SeedSequence(job.seed, spawn_key=(chunk,)))


def sources(robot: Robot, scene: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Return the settings of a job with its robot and scene."""
    found = {"scene": None if scene is None else _path(scene, list_scenes())}
    if not isinstance(robot, RigidBodyTree):
        return found | {"robot": _path(robot, list_robots())}
    tree = with_joint_frames(robot)
    home = tuple(tree.home_configuration().tolist())
    return found | {"robot": write_urdf(tree), "bodies": tree.body_names, "home": home}


def _path(name: str | os.PathLike[str], known: Collection[str]) -> str:
    """Return the absolute path of an existing file; other names are unchanged."""
    text = os.fspath(name)
    path = Path(text).expanduser()
    return str(path.resolve()) if text not in known and path.is_file() else text


def tip_of(tree: RigidBodyTree, body: str | None) -> str:
    """Return ``body``, or if it is None the only moving body without children."""
    if body is not None:
        tree.compiled().index_of(body)
        return body
    leaves = [item.name for item in tree.bodies if not item.children and _moves(item)]
    if len(leaves) != 1:
        raise BatchError(
            f"robot '{tree.name}' has {len(leaves)} leaf bodies; set body to one of "
            f"{', '.join(leaves)}"
        )
    return leaves[0]


def _moves(body: RigidBody) -> bool:
    """Return whether a joint moves a body relative to the base."""
    return body.parent is not None and (body.joint.type != "fixed" or _moves(body.parent))


def require(name: str, value: Any, known: Sequence[Any] | None = None) -> None:
    """Raise BatchError unless a setting is positive and finite, or one of the known values."""
    if known is not None:
        if value not in known:
            raise BatchError(f"{name} must be one of {', '.join(map(str, known))}, not {value!r}")
    elif not (isinstance(value, int | float | np.integer | np.floating) and 0 < value < np.inf):
        raise BatchError(f"{name} must be finite and above 0, not {value!r}")


def require_whole(name: str, value: Any, least: int = 1, most: int = MOST_WHOLE) -> None:
    """Raise BatchError unless a setting is a whole number in this range."""
    if not (isinstance(value, Integral) and least <= int(value) <= most):
        raise BatchError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


_LOCK = threading.RLock()


@lru_cache(maxsize=JOBS_CACHED)
def _prepared(job: Job) -> Work:
    return job.prepare()


def _restored(tree: RigidBodyTree, bodies: Sequence[str], home: Sequence[float]) -> RigidBodyTree:
    """Return a tree with its bodies in this order, parents before children, and this home."""
    restored = tree.copy()
    for joint in restored.joints:
        joint.mimic = None  # until all joints are there again
    for body in restored.base.children:
        restored.remove_body(body.name)
    for name in bodies:
        body = tree.get_body(name)
        assert body.parent is not None
        joint = body.joint.copy()
        joint.mimic = None
        restored.add_body(body.copy(joint=joint), body.parent.name)
    for joint in tree.joints:
        restored.get_joint(joint.name).mimic = joint.mimic
    for name, position in restored.configuration_by_name(home).items():
        restored.get_joint(name).home_position = position
    return restored


@lru_cache(maxsize=JOBS_CACHED)
def _cell(
    robot: str,
    bodies: tuple[str, ...],
    home: tuple[float, ...],
    scene: str | None,
    collisions: bool,
) -> Cell:
    tree = read_description(robot) if robot.lstrip().startswith("<") else load_robot(robot)
    if bodies:
        tree = _restored(tree, bodies, home)
    compiled = tree.compiled()
    digest = hashlib.sha256(compiled.table.tobytes())
    for part in (compiled.lower, compiled.upper, compiled.home, compiled.velocity_limit):
        digest.update(part.tobytes())
    checker = None
    if collisions:
        checker = CollisionChecker(tree, None if scene is None else load_scene(scene))
        checker.prepare()
        digest.update(checker.fingerprint.encode())
    return Cell(tree, compiled, checker, digest.hexdigest())
