"""Reachability maps: the orientations that a body can reach in each voxel around a robot.

F. Zacharias, C. Borst, G. Hirzinger, "Capturing robot workspace structure: representing robot
capabilities", IROS 2007: orientations are points spread over a sphere, and rolls about them.
"""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_batch import formats
from rigid_tree_batch.job import (
    BatchError,
    Cell,
    Files,
    Job,
    Robot,
    Work,
    random_of,
    require,
    require_whole,
    sources,
    tip_of,
)
from rigid_tree_batch.reach_map import AXES, ReachMap, orientations
from rigid_tree_batch.run import described, run
from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.errors import DescriptionWarning
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import body_transform, geometric_jacobian

if TYPE_CHECKING:
    from distributed import Client

Box = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]

BRICK = 8  # voxels of a chunk along each axis
MOST_VOXELS = 10**9
BLOCK = 2048  # poses solved at a time: bounds the memory; more would be split among threads
# Random starts for the position of a voxel without orientation; it has a continuum of solutions,
# which a few starts find.
POSITION_RESTARTS = 10
SMALL = 1e-6  # rates (rad, lengths of the chain) of a body that a joint does not move
STARTS = 64  # different random starts of a block


@dataclass(frozen=True, kw_only=True)
class ReachabilityJob(Job):
    """Settings of a reachability map, in addition to those of every job.

    Args:
        body: the body at the poses; None: the only body without children.
        base: body in whose frame the map is; None: the tree's base.
        axis: "x", "y" or "z": axis of the body that points along the directions.
        directions: number of points on the sphere.
        rolls: number of rotations about each direction; 0: any rotation.
        resolution: m, edge of a voxel.
        box: limits (low, high) of x, y and z, m; None: the reach of the stretched arm.
        restarts: random starts before a pose is considered unreachable.
        attempts: further solutions that are tried if one is in collision.
    """

    body: str | None = None
    base: str | None = None
    axis: str = "z"
    directions: int = 50
    rolls: int = 0
    resolution: float = 0.05
    box: Box | None = None
    restarts: int = 10
    attempts: int = 5

    def prepare(self) -> Reachability:
        """Return the prepared job."""
        return Reachability(self)


def reachability_map(
    robot: Robot,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    client: Client | None = None,
    progress: bool = True,
    **settings: Any,
) -> ReachMap:
    """Compute a reachability map, or the missing chunks of one in a folder.

    Args:
        robot: a name or path for ``load_robot``, or a tree.
        out: folder for the map, in Zarr format.
        workers: number of threads; None: one per core.
        client: of a Dask cluster, which computes instead of this process.
        progress: whether to show a progress bar.
        settings: of ``ReachabilityJob``.

    Raises RigidTreeError before the first chunk for invalid settings, and BatchError if the folder
    belongs to another map.

    Example:
        >>> coarse = {"resolution": 0.4, "directions": 6, "progress": False}
        >>> reach_map = reachability_map("panda", "panda.zarr", **coarse)
        >>> points, index = reach_map.centers()
        >>> points.shape == (len(index), 3)
        True
    """
    if settings.get("box") is not None:
        settings["box"] = tuple(tuple(limits) for limits in settings["box"])
    job = ReachabilityJob(**settings | sources(robot, settings.get("scene")))
    folder = run(job, out, workers=workers, client=client, progress=progress)
    found = ReachMap.open(folder)
    if found.remark:
        warnings.warn(DescriptionWarning(found.remark), stacklevel=2)
    return found


class Reachability(Work):
    """A prepared map: the grid, and the solvers. Raises RigidTreeError for invalid settings.

    If the arm cannot choose the orientation at a position, the map is position-only.
    """

    description_file = ".zattrs"

    def __init__(self, job: ReachabilityJob) -> None:
        _check(job)
        self.job = job
        self.cell: Cell = job.cell()
        self.body = tip_of(self.cell.tree, job.body)
        turns = tuple(0.0 if name == job.axis and not job.rolls else 1.0 for name in AXES)
        self._tolerance = 1e-6
        self._position = self._solver((0.0, 0.0, 0.0), POSITION_RESTARTS, 0)
        self.base = self._position.base
        self.remark = self._remark()
        self.rotations = orientations(job.directions, max(1, job.rolls), job.axis)
        if self.remark:
            turns, self.rotations = (0.0, 0.0, 0.0), np.eye(3)[None]
            if not self._moves_everywhere:  # the arm's plane is between the voxels' centers
                self._tolerance = 0.5 * job.resolution
                self._position = self._solver(turns, POSITION_RESTARTS, 0)
        self._solvers = [self._solver(turns, job.restarts, k) for k in range(1 + job.attempts)]
        self.axes = self._axes()
        sizes = [len(axis) for axis in self.axes]
        if math.prod(sizes) > MOST_VOXELS:
            raise BatchError(
                f"{math.prod(sizes):,} voxels exceed the maximum: choose a larger resolution"
            )
        self.bricks = list(product(*(range(-(-size // BRICK)) for size in sizes)))
        self.chunk_count = len(self.bricks)

    def header(self) -> Files:
        """Return the description of the map, and its arrays without their chunks."""
        shape = tuple(len(axis) for axis in self.axes)
        count = len(self.rotations)
        brick = (BRICK, BRICK, BRICK)
        attributes = {"job": described(self.job), "body": self.body, "base": self.base}
        attributes |= {"robot": self.cell.tree.name, "remark": self.remark}
        files = formats.group(attributes)
        for name, axis in zip(AXES, self.axes, strict=True):
            files |= formats.whole(name, axis, (name,))
        files |= formats.whole("rotations", self.rotations, ("orientation", "row", "column"))
        for name in ("index", "manipulability"):
            files |= formats.array(name, shape, brick, "f4", AXES)
        axes = (*AXES, "orientation")
        return files | formats.array("reached", (*shape, count), (*brick, count), "b1", axes)

    def last_file(self, chunk: int) -> str:
        """Return the file of a brick that is written last."""
        return formats.chunk_name("reached", (*self.bricks[chunk], 0))

    @property
    def _directions(self) -> int:
        return 1 if self.remark else self.job.directions

    def compute(self, chunk: int) -> Files:
        """Return the files of a brick."""
        brick = self.bricks[chunk]
        shape = (BRICK, BRICK, BRICK)
        count = len(self.rotations)
        reached = np.zeros((BRICK**3, count), dtype=np.bool_)
        best = np.zeros(BRICK**3, dtype=np.float32)
        voxels, centers = self._voxels(brick)
        rng = random_of(self.job, chunk)
        seeds = self._seeds(centers)
        at_once = max(1, BLOCK // count)
        kept = np.flatnonzero(np.isfinite(seeds[:, 0]))
        for start in range(0, len(kept), at_once):
            rows = kept[start : start + at_once]
            poses = self.poses(centers[rows])
            found, q = self.solve(poses, np.repeat(seeds[rows], count, axis=0), rng)
            values = np.zeros(len(found))
            values[found] = self.manipulability(q[found])
            reached[voxels[rows]] = found.reshape(-1, count)
            best[voxels[rows]] = values.reshape(-1, count).max(axis=1)
        by_direction = reached.reshape(BRICK**3, self._directions, -1).any(axis=2)
        index = (100.0 * by_direction.mean(axis=1)).astype(np.float32)
        return {
            formats.chunk_name("index", brick): formats.chunk(index.reshape(shape)),
            formats.chunk_name("manipulability", brick): formats.chunk(best.reshape(shape)),
            self.last_file(chunk): formats.chunk(reached.reshape(*shape, count)),
        }

    def poses(self, centers: Array) -> Array:
        """Return the poses (n * orientations, 4, 4) of voxels with centers (n, 3)."""
        T = np.zeros((len(centers), len(self.rotations), 4, 4))
        T[:, :, :3, :3] = self.rotations
        T[:, :, :3, 3] = centers[:, None]
        T[:, :, 3, 3] = 1.0
        return T.reshape(-1, 4, 4)

    def solve(self, poses: Array, seeds: Array, rng: np.random.Generator) -> tuple[Mask, Array]:
        """Return which poses (n, 4, 4) have a free solution, (n,), and the solutions (n, nq)."""
        cell, involved = self.cell, list(self._position.involved)
        batch = self._solvers[0].solve_batch(poses, seeds, threads=1)
        q, found = batch.configurations, batch.success.copy()
        reached = np.flatnonzero(found)
        found[reached] = cell.free(q[reached], exact=False)
        colliding = reached[~found[reached]]
        for solver in self._solvers[1:]:
            if not len(colliding):
                break
            starts = seeds[colliding].copy()
            draws = cell.random(rng, min(STARTS, len(colliding)))
            starts[:, involved] = np.resize(draws, starts.shape)[:, involved]
            batch = solver.solve_batch(poses[colliding], starts, threads=1)
            free = batch.success & cell.free(batch.configurations, exact=False)
            q[colliding[free]] = batch.configurations[free]
            found[colliding[free]] = True
            colliding = colliding[~free]
        # Exact checks take much longer, and nearly always confirm the collision.
        found[colliding] = cell.free(q[colliding])
        return found, q

    def manipulability(self, configurations: Array) -> Array:
        """Return Yoshikawa's manipulability at configurations (n, nq).

        The Jacobian is in m and rad.
        """
        J = self._jacobian(configurations)
        squares = np.linalg.eigvalsh(J @ J.transpose(0, 2, 1))
        count = min(6, len(self._position.involved))
        return np.asarray(np.sqrt(np.clip(squares[:, 6 - count :], 0.0, None).prod(axis=1)))

    def _jacobian(self, configurations: Array) -> Array:
        """Return Jacobians (n, 6, joints) from the base to the body at configurations (n, nq)."""
        tree = self.cell.compiled
        J = geometric_jacobian(tree, configurations, self.body)
        of_base = geometric_jacobian(tree, configurations, self.base)
        lever = (
            body_transform(tree, configurations, self.body)
            - body_transform(tree, configurations, self.base)
        )[:, :3, 3]
        of_base[:, :3] += np.cross(of_base[:, 3:], lever[:, :, None], axis=1)
        return np.asarray(J - of_base)

    def _remark(self) -> str:
        """Return why a map of orientations makes no sense, or an empty string."""
        q = self.cell.compiled.home.copy()[None]
        involved = list(self._position.involved)
        q[:, involved] = self.cell.random(random_of(self.job, 0), 1)[:, involved]
        J = self._jacobian(q)[0]
        J[:3] /= self._position.chain.length
        _, sizes, V = np.linalg.svd(J[:3])
        rank = int((sizes > SMALL).sum())
        self._moves_everywhere = rank == len(AXES)
        # What turns the body where it is: all rotations, or those that move the axis.
        R = body_transform(self.cell.compiled, q, self.body)[0, :3, :3]
        turns = J[3:] @ V[rank:].T
        if not self.job.rolls:
            turns = np.cross(turns.T, R[:, AXES.index(self.job.axis)]).T
        needed = 3 if self.job.rolls else 2
        if int(np.linalg.matrix_rank(turns, SMALL)) >= needed:
            return ""
        joints = len(self._position.joint_names)
        return (
            f"'{self.body}' of '{self.cell.tree.name}': {joints} joints cannot choose the "
            f"orientation at a position; this is a position-only map"
        )

    def _seeds(self, centers: Array) -> Array:
        """Return configurations (n, nq) with the body at positions (n, 3), or NaN."""
        T = np.tile(np.eye(4), (len(centers), 1, 1))
        T[:, :3, 3] = centers
        batch = self._position.solve_batch(T, threads=1)
        return np.where(batch.success[:, None], batch.configurations, np.nan)

    def _voxels(self, brick: tuple[int, ...]) -> tuple[Array, Array]:
        """Return the indices (n,) in a brick and the centers (n, 3) of its voxels within reach."""
        slices = [
            axis[place * BRICK : (place + 1) * BRICK]
            for axis, place in zip(self.axes, brick, strict=True)
        ]
        numbers = np.meshgrid(*(np.arange(len(part)) for part in slices), indexing="ij")
        places = np.meshgrid(*slices, indexing="ij")
        centers = np.stack([place.ravel() for place in places], axis=1)
        i, j, k = (number.ravel() for number in numbers)
        voxels = (i * BRICK + j) * BRICK + k
        chain = self._position.chain
        near = np.linalg.norm(centers - chain.center, axis=1) <= chain.reach + self._tolerance
        return voxels[near], centers[near]

    def _solver(self, turns: tuple[float, ...], restarts: int, seed: int) -> InverseKinematics:
        """Return a solver limited by restarts, not by time; ``turns`` are orientation weights."""
        return InverseKinematics(
            self.cell.compiled,
            self.body,
            self.job.base,
            weights=(*turns, 1.0, 1.0, 1.0),
            max_restarts=restarts,
            position_tolerance=self._tolerance,
            random_seed=seed,
            timeout=math.inf,
        )

    def _axes(self) -> tuple[Array, Array, Array]:
        """Return the coordinates of voxel centers along x, y and z."""
        step, chain = self.job.resolution, self._position.chain
        box = self.job.box
        if box is None:
            if not math.isfinite(chain.reach):
                raise BatchError(f"'{self.body}' can move without limits: set box")
            cx, cy, cz = ((c - chain.reach, c + chain.reach) for c in chain.center)
            box = cx, cy, cz
        if max((high - low) / step for low, high in box) > MOST_VOXELS:
            raise BatchError("the box has too many voxels: choose a larger resolution")
        x, y, z = (
            np.arange(
                math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1, dtype=float
            )
            for low, high in box
        )
        if not (len(x) and len(y) and len(z)):
            raise BatchError(f"no voxel center is in the box {box}")
        return step * x, step * y, step * z


def _check(job: ReachabilityJob) -> None:
    require("axis", job.axis, AXES)
    require("resolution", job.resolution)
    require_whole("directions", job.directions, 1, BLOCK)
    for name in ("rolls", "restarts", "attempts"):
        require_whole(name, getattr(job, name), 0, BLOCK)
    if job.directions * max(1, job.rolls) > BLOCK:
        raise BatchError(f"at most {BLOCK} orientations, not {job.directions} x {job.rolls}")
    box = np.array(job.box if job.box is not None else np.tile((0.0, 1.0), (3, 1)), dtype=float)
    if box.shape != (3, 2) or not np.isfinite(box).all() or (box[:, 0] > box[:, 1]).any():
        raise BatchError(f"box is ((low, high), (low, high), (low, high)) in m, not {job.box}")
