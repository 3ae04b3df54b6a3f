"""IK data: random reachable poses with all their solutions."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_batch.formats import Rows
from rigid_tree_batch.job import Job, Robot, random_of, require_whole, sources, tip_of
from rigid_tree_batch.run import run
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.transforms import inverse, matrix_quaternion

if TYPE_CHECKING:
    from distributed import Client

POSES = 200  # of a chunk
RESTARTS = 100  # random starts for a pose that has a solution


@dataclass(frozen=True, kw_only=True)
class IKDataJob(Job):
    """Settings of an IK dataset, in addition to those of every job.

    Args:
        count: poses.
        body: the body at the poses; None: the only body without children.
        base: body in whose frame poses are; None: the tree's base.
        most: maximum number of sampled solutions of a pose (see ``solve_all``).
    """

    count: int
    body: str | None = None
    base: str | None = None
    most: int = 16

    def prepare(self) -> IKRows:
        """Return the prepared job."""
        return IKRows(self)


def ik_data(
    robot: Robot,
    out: str | os.PathLike[str],
    count: int,
    *,
    workers: int | None = None,
    client: Client | None = None,
    progress: bool = True,
    **settings: Any,
) -> Path:
    """Write poses and all their solutions as a Parquet dataset; return its folder.

    Poses are those of random collision-free configurations. One row per solution: ``pose`` (its
    number), ``branch`` (the index of the solution, nearest to the home configuration first),
    ``branches`` (the number of solutions), ``position`` (m), ``quaternion`` (x, y, z, w) and
    ``configuration`` (rad, m; in the order of the tree's joints). Solutions in collision are left
    out. See ``reachability_map`` for the other arguments and errors; settings are of
    ``IKDataJob``.

    Example:
        >>> folder = ik_data("ur5", "poses", 20, progress=False)
        >>> from pyarrow import dataset
        >>> rows = dataset.dataset(folder).to_table()
        >>> len(set(rows.column("pose").to_pylist()))
        20
    """
    job = IKDataJob(count=count, **settings | sources(robot, settings.get("scene")))
    return run(job, out, workers=workers, client=client, progress=progress)


class IKRows(Rows):
    """A prepared job. Raises RigidTreeError for invalid settings."""

    def __init__(self, job: IKDataJob) -> None:
        super().__init__(job, job.count, POSES)
        require_whole("most", job.most, 1, 1000)
        self._settings = job
        self._cell = job.cell()
        self._body = tip_of(self._cell.tree, job.body)
        self._solver = InverseKinematics(
            self._cell.compiled, self._body, job.base, max_restarts=RESTARTS, timeout=math.inf
        )
        self._cell.random_free(random_of(job, 0))

    def schema(self) -> Any:
        """Return pyarrow's schema."""
        import pyarrow as pa

        sizes = {"position": 3, "quaternion": 4}
        sizes["configuration"] = self._cell.compiled.position_count
        return pa.schema(
            [
                ("pose", pa.int64()),
                ("branch", pa.int32()),
                ("branches", pa.int32()),
                *((name, pa.list_(pa.float64(), size)) for name, size in sizes.items()),
            ]
        )

    def rows(self, chunk: int, numbers: range) -> list[tuple[Any, ...]]:
        """Return the solutions of the poses with these numbers."""
        cell, rng = self._cell, random_of(self._settings, chunk)
        rows: list[tuple[Any, ...]] = []
        for number in numbers:
            q = cell.random_free(rng)
            T_world_base = body_transform(cell.compiled, q, self._solver.base)
            T = inverse(T_world_base) @ body_transform(cell.compiled, q, self._body)
            # Joints that do not move the body keep their positions.
            seed = q.copy()
            involved = list(self._solver.involved)
            seed[involved] = cell.compiled.home[involved]
            found = self._solver.solve_all(T, seed, most=self._settings.most, timeout=math.inf)
            solutions = np.array([result.configuration for result in found]).reshape(-1, len(q))
            solutions = solutions[cell.free(solutions)]
            if not len(solutions):
                solutions = q[None]  # the configuration of the pose
            quaternion = matrix_quaternion(T[:3, :3])
            rows += [
                (number, branch, len(solutions), T[:3, 3], quaternion, solution)
                for branch, solution in enumerate(solutions)
            ]
        return rows
