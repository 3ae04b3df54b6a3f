"""Planning with the tool kept upright: the bundled Panda between two pillars.

Plans go from one side of the pillars to the other, and between random configurations, with the
tool within 0.1 rad of upright. The processor time is that of the whole call, with shortening and
timing. Quintics join the points of the timed path, as in a driver. Pinocchio computes the tilt
every 0.01 rad of the joint that moves most; the exact level checks for collisions every 0.05 rad.
"""

import time
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.interpolate import BPoly

from benchmarks.frame import Report, main, spread, timed
from benchmarks.planning.pillars_scene import GOAL, START
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.ik import ConstraintSet, DirectionBounds
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, Trajectory

TIP = "panda_link8"
TOLERANCE = 0.1  # rad
UPRIGHT = DirectionBounds(TIP, (0.0, 0.0, -1.0), TOLERANCE)
RANDOM_PAIRS = 5
LOOK, EXACT_LOOK = 0.01, 0.05  # rad


class Tilt:
    """The tool's tilt from upright, computed by Pinocchio."""

    def __init__(self, urdf: str) -> None:
        self._model = pin.buildModelFromXML(urdf)
        self._data = self._model.createData()
        self._frame = self._model.getFrameId(TIP, pin.FrameType.BODY)

    def of(self, q: np.ndarray) -> float:
        """Return the tilt at a configuration (7,), rad."""
        pin.framesForwardKinematics(self._model, self._data, q)
        down = -self._data.oMf[self._frame].rotation[2, 2]
        return float(np.arccos(np.clip(down, -1.0, 1.0)))


def places(trajectory: Trajectory, step: float) -> np.ndarray:
    """Return configurations along a trajectory's quintics, at most a step apart."""
    rows = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    curve = BPoly.from_derivatives(trajectory.times, np.stack(rows, axis=1))
    moved = np.abs(np.diff(trajectory.positions, axis=0)).max(axis=1)
    counts = np.maximum(1, np.ceil(moved / step)).astype(int)
    spans = zip(trajectory.times[:-1], trajectory.times[1:], counts, strict=True)
    return np.asarray(curve(np.concatenate([np.linspace(a, b, n + 1) for a, b, n in spans])))


def random_pairs(planner: MotionPlanner) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return collision-free configurations with the tool upright."""
    held = ConstraintSet(planner.compiled, [UPRIGHT])
    rng = np.random.default_rng(0)
    found: list[np.ndarray] = []
    while len(found) < 2 * RANDOM_PAIRS:
        q = held.projected(rng.uniform(planner.compiled.lower, planner.compiled.upper))
        if q is not None and planner.checker.is_free(q):
            found.append(q)
    return list(zip(found[::2], found[1::2], strict=True))


def measure(
    planner: MotionPlanner, tilt: Tilt, start: np.ndarray, goal: np.ndarray, seeds: int
) -> dict[str, Any]:
    """Return the row of one pair."""
    times, durations, tilts, touching = [], [], [], 0
    for seed in range(seeds):
        request = start, goal, PlanSettings(seed=seed)
        result, seconds = timed(time.process_time, planner.plan, *request, constraints=[UPRIGHT])
        times.append(1e3 * seconds)
        if result.trajectory is None:
            continue
        durations.append(float(result.trajectory.times[-1]))
        tilts.append(max(tilt.of(q) for q in places(result.trajectory, LOOK)))
        free = planner.checker.is_free_batch(places(result.trajectory, EXACT_LOOK))
        touching += int(not free.all())
    return {
        "solved": f"{len(tilts)} of {seeds}",
        **spread(times, (50, 95, 100)),
        **spread(durations, (50,), "duration s"),
        "largest tilt rad": max(tilts, default=np.nan),
        "in collision": touching,
    }


def run(options: Any, report: Report) -> None:
    """Measure all pairs."""
    robot = load_robot("panda")
    planner = MotionPlanner(robot, CollisionChecker(robot, load_scene("panda_pillars")))
    tilt = Tilt(write_urdf(robot))
    planner.plan(START, GOAL, constraints=[UPRIGHT])
    for number, (start, goal) in enumerate([(START, GOAL), *random_pairs(planner)]):
        name = f"random pair {number}" if number else "side to side"
        report.row("motion", name, measure(planner, tilt, start, goal, options.seeds))


if __name__ == "__main__":
    main(run, seeds=50)
