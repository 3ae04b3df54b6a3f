"""Straight-line motions with jerk limits, compared with ruckig.

Seven joints move in a straight line from rest to rest, within random velocity and acceleration
limits; the jerk limit is a multiple of the acceleration limit. "ms" is the processor time of a
call. Ours includes sampling the trajectory every 0.02 s; ruckig does not sample. "longer by" is
relative to the duration of ruckig's motion. Motions that ruckig does not keep on the straight
line are excluded.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import ruckig

from benchmarks.frame import Report, main, spread, timed
from rigid_tree_kinematics.planning.timing.timing import JerkLimit, fastest_motion, sampled

RATIOS = (50.0, 20.0, 5.0)  # jerk limit / acceleration limit, 1/s
JOINTS = 7
SPACING = 0.02

Array = np.ndarray


def random_motion(rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Return a motion's ends (2, joints), velocity limits and acceleration limits."""
    ends = rng.uniform(-3.0, 3.0, size=(2, JOINTS)) * 10.0 ** rng.uniform(-1.0, 0.0)
    return ends, rng.uniform(0.5, 3.0, JOINTS), rng.uniform(1.0, 10.0, JOINTS)


def ours(ends: Array, velocity: Array, acceleration: Array, ratio: float) -> float:
    """Return the duration of a motion with the planner's timing."""
    limits = np.stack((-velocity, velocity, -acceleration, acceleration))
    jerk = JerkLimit(ratio * acceleration)
    motion = fastest_motion(ends, np.zeros(2), limits, jerk)
    return float(sampled(motion, limits, SPACING, ends, jerk)[0][-1])


def by_ruckig(ends: Array, velocity: Array, acceleration: Array, ratio: float) -> float:
    """Return the duration of ruckig's motion; infinite if it leaves the straight line."""
    wanted, found = ruckig.InputParameter(JOINTS), ruckig.Trajectory(JOINTS)
    wanted.current_position, wanted.target_position = ends.tolist()
    wanted.max_velocity, wanted.max_acceleration = velocity.tolist(), acceleration.tolist()
    wanted.max_jerk = (ratio * acceleration).tolist()
    wanted.synchronization = ruckig.Synchronization.Phase
    ruckig.Ruckig(JOINTS).calculate(wanted, found)
    line = ends[1] - ends[0]
    for fraction in (0.2, 0.4, 0.7):
        moved = np.array(found.at_time(fraction * found.duration)[0]) - ends[0]
        if np.abs(moved - line * (moved @ line) / (line @ line)).max() > 1e-6:
            return np.inf
    return float(found.duration)


def run(options: Any, report: Report) -> None:
    """Measure all ratios."""
    peers: dict[str, Callable[..., float]] = {"ours": ours, "ruckig": by_ruckig}
    for ratio in RATIOS:
        rng = np.random.default_rng(0)
        rows: dict[str, list[tuple[float, float]]] = {name: [] for name in peers}
        for _ in range(options.motions):
            motion = random_motion(rng)
            fastest = by_ruckig(*motion, ratio)
            if fastest == np.inf:
                continue
            for name, call in peers.items():
                duration, seconds = timed(time.process_time, call, *motion, ratio)
                rows[name].append((seconds, duration / fastest))
        for name, found in rows.items():
            spent, shares = np.array(found).T
            figures = {
                "longer by: mean": f"{100.0 * (shares.mean() - 1.0):.2f} %",
                "max": f"{100.0 * (shares.max() - 1.0):.2f} %",
            }
            report.row(
                "jerk / acceleration",
                f"{ratio:g}: {name}",
                spread(1e3 * spent, (50, 100)) | figures,
            )


if __name__ == "__main__":
    main(run, motions=200)
