"""Motion datasets, and plans for many starts and goals."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rigid_tree_batch.formats import Rows
from rigid_tree_batch.job import (
    BatchError,
    Job,
    Robot,
    random_of,
    require_whole,
    sources,
)
from rigid_tree_batch.run import run
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics.arguments import core_count
from rigid_tree_kinematics.planning import MotionPlanner, PlanResult, PlanSettings

if TYPE_CHECKING:
    from distributed import Client

MOTIONS = 20  # of a chunk


@dataclass(frozen=True, kw_only=True)
class MotionDataJob(Job):
    """Settings of a motion dataset, in addition to those of every job.

    Args:
        count: motions.
        joints: moving joints; the others stay at the home configuration. None: all.
        maximum_nodes: of a search; a failed search gives a row without a path.
        spacing: rad or m, maximum distance of the points of a path; None: only its waypoints.
        velocity_scale, acceleration_scale: of the limits, 0.001 to 1.
    """

    count: int
    joints: tuple[str, ...] | None = None
    maximum_nodes: int = 20_000
    spacing: float | None = None
    velocity_scale: float = 1.0
    acceleration_scale: float = 1.0

    def prepare(self) -> MotionRows:
        """Return the prepared job."""
        return MotionRows(self)


def motion_data(
    robot: Robot,
    out: str | os.PathLike[str],
    count: int,
    *,
    workers: int | None = None,
    client: Client | None = None,
    progress: bool = True,
    **settings: Any,
) -> Path:
    """Write collision-free motions as a Parquet dataset; return its folder.

    Starts and goals are random and free. There is one row per motion: ``motion`` (its number),
    ``status`` ("solved" or why there is no path), ``start``, ``goal``, ``path`` (points),
    ``length`` (rad), ``duration`` (s), and the trajectory: ``times``, ``positions``,
    ``velocities`` and ``accelerations``. See ``reachability_map`` for the other arguments and
    errors; settings are of ``MotionDataJob``.

    Example:
        >>> folder = motion_data("panda", "motions", 5, progress=False)
        >>> from pyarrow import dataset
        >>> dataset.dataset(folder).to_table().num_rows
        5
    """
    if settings.get("joints") is not None:
        settings["joints"] = tuple(settings["joints"])
    job = MotionDataJob(count=count, **settings | sources(robot, settings.get("scene")))
    return run(job, out, workers=workers, client=client, progress=progress)


def plan_batch(
    planner: MotionPlanner,
    starts: Sequence[ArrayLike | Mapping[str, Any]] | Array,
    goals: Sequence[Any] | Array,
    settings: PlanSettings | None = None,
    *,
    threads: int | None = None,
) -> list[PlanResult]:
    """Return a plan for each start and goal, on all cores.

    Args:
        planner: of the robot; its scene must not change meanwhile.
        starts: configurations.
        goals: of ``MotionPlanner.plan``, one for each start.
        settings: of all plans; the seed increases by one for each plan.
        threads: number of threads; None: one per core.

    Raises BatchError if the numbers of starts and goals differ, or for invalid threads.

    Example:
        >>> from rigid_tree_kinematics.planning import MotionPlanner
        >>> panda = load_robot("panda")
        >>> home = panda.home_configuration()
        >>> plans = plan_batch(MotionPlanner(panda), [home] * 2, [home + 0.1, home + 0.2])
        >>> [plan.success for plan in plans]
        [True, True]
    """
    if len(starts) != len(goals):
        raise BatchError(f"{len(starts)} starts need as many goals, not {len(goals)}")
    if threads is not None:
        require_whole("threads", threads)
    settings = PlanSettings() if settings is None else settings
    every = [replace(settings, seed=(settings.seed + k) % 2**63) for k in range(len(starts))]
    count = threads or core_count()
    with ThreadPoolExecutor(count, thread_name_prefix="plans") as executor:
        return list(executor.map(planner.plan, starts, goals, every))


class MotionRows(Rows):
    """A prepared job. Raises RigidTreeError for invalid settings."""

    def __init__(self, job: MotionDataJob) -> None:
        super().__init__(job, job.count, MOTIONS)
        self._motions = job
        self._plan_settings = PlanSettings(
            maximum_nodes=job.maximum_nodes,
            maximum_attempts=job.maximum_nodes,
            resample_step=job.spacing,
            velocity_scale=job.velocity_scale,
            acceleration_scale=job.acceleration_scale,
        )
        self._cell = job.cell()
        if self._cell.checker is None:
            raise BatchError("motions must be collision-free: collision checks cannot be disabled")
        self._planner = MotionPlanner(
            self._cell.tree, self._cell.checker, moving_joints=job.joints
        )
        self._cell.random_free(random_of(job, 0), self._planner.space.moving)

    def schema(self) -> Any:
        """Return pyarrow's schema."""
        import pyarrow as pa

        vector = pa.list_(pa.float64(), self._cell.compiled.position_count)
        names = ("positions", "velocities", "accelerations")
        return pa.schema(
            [
                ("motion", pa.int64()),
                ("status", pa.string()),
                ("start", vector),
                ("goal", vector),
                ("path", pa.list_(vector)),
                ("length", pa.float64()),
                ("duration", pa.float64()),
                ("times", pa.list_(pa.float64())),
                *((name, pa.list_(vector)) for name in names),
            ]
        )

    def rows(self, chunk: int, numbers: range) -> list[tuple[Any, ...]]:
        """Return the motions with these numbers."""
        rng, moving = random_of(self._motions, chunk), self._planner.space.moving
        rows = []
        for number in numbers:
            start, goal = (self._cell.random_free(rng, moving) for _ in range(2))
            settings = replace(self._plan_settings, seed=int(rng.integers(2**62)))
            # Searches are limited by attempts and nodes, not by time: results are reproducible.
            result = self._planner.plan(start, goal, settings, deadline=Deadline(math.inf))
            rows.append((number, result.status.value, start, goal, *_columns(result)))
        return rows


def _columns(result: PlanResult) -> tuple[Any, ...]:
    """Return the columns of a plan from ``path`` on."""
    driven = result.trajectory
    if not result.success or driven is None:
        return [], math.nan, math.nan, [], [], [], []
    arrays = (driven.positions, driven.velocities, driven.accelerations)
    times = driven.times
    return list(result.path), result.length, float(times[-1]), times, *map(list, arrays)
