"""OMPL's RRT-Connect; Pinocchio and coal check convex hulls from Python."""

import time
from typing import Any

import numpy as np

from benchmarks.frame import timed
from benchmarks.planning.pillars_scene import GOAL, START, Judge, pillars_judge

RESOLUTION = 0.005  # spacing of the checks of a motion, as a fraction of the space's extent
TIME_LIMIT = 10.0  # s


class Ompl:
    """Plans within the limits of seven joints; raises ImportError if OMPL is not installed.

    ``judge`` checks configurations; ``ends`` are start and goal. OMPL has one seed per process, so
    equal plans need the same order of calls.
    """

    def __init__(
        self,
        seed: int,
        judge: Judge | None = None,
        ends: tuple[np.ndarray, np.ndarray] = (START, GOAL),
    ) -> None:
        from ompl import base, geometric, util

        util.setLogLevel(util.LogLevel.LOG_ERROR)
        util.RNG.setSeed(seed)
        self._base, self._geometric = base, geometric
        self._judge = judge or pillars_judge(convex=True)
        self._ends = ends
        self._q = np.empty(len(START))

    def plan(self) -> tuple[np.ndarray | None, float, np.ndarray | None, float]:
        """Return raw path, its seconds, shortened path, seconds of search and shortening."""
        setup = self.setup()
        _, raw_seconds = timed(time.perf_counter, setup.solve, TIME_LIMIT)
        if not setup.haveExactSolutionPath():
            return None, raw_seconds, None, raw_seconds
        raw = self.points(setup)
        _, seconds = timed(time.perf_counter, setup.simplifySolution)
        return raw, raw_seconds, self.points(setup), raw_seconds + seconds

    def setup(self, planner: str = "RRTConnect") -> Any:
        """Return the OMPL setup for a planner."""
        base = self._base
        space = base.RealVectorStateSpace(len(START))
        bounds = base.RealVectorBounds(len(START))
        model = self._judge.model
        limits = zip(model.lowerPositionLimit, model.upperPositionLimit, strict=True)
        for joint, (low, high) in enumerate(limits):
            bounds.setLow(joint, float(low))
            bounds.setHigh(joint, float(high))
        space.setBounds(bounds)
        setup = self._geometric.SimpleSetup(space)
        setup.setStateValidityChecker(self._is_free)
        information = setup.getSpaceInformation()
        information.setStateValidityCheckingResolution(RESOLUTION)
        setup.setStartAndGoalStates(*(self._state(space, q) for q in self._ends))
        setup.setPlanner(getattr(self._geometric, planner)(information))
        setup.setup()
        return setup

    def _state(self, space: Any, q: np.ndarray) -> Any:
        state = space.allocState()
        for joint, value in enumerate(q):
            state[joint] = float(value)
        return state

    def _is_free(self, state: Any) -> bool:
        for joint in range(len(self._q)):
            self._q[joint] = state[joint]
        return not self._judge.touches(self._q)

    def points(self, setup: Any) -> np.ndarray:
        """Return the waypoints of a setup's solution."""
        states = setup.getSolutionPath().getStates()
        return np.array([[state[joint] for joint in range(len(START))] for state in states])
