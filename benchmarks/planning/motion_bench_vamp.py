"""VAMP's planners and path simplification (pip install vamp-planner)."""

import time
from typing import Any

import numpy as np

from benchmarks.frame import timed
from benchmarks.planning.motion_bench_problems import Plan, Primitive, Problem
from rigid_tree_kinematics.model.transforms import matrix_rpy


class Vamp:
    """Plans with VAMP's settings for a robot; raises ImportError if it is not installed.

    ``planner`` is VAMP's name of one of its planners, by default RRT-Connect. ``settings`` replace
    its defaults, such as ``max_samples``, for which it reserves memory.
    """

    def __init__(self, robot: str, seed: int, planner: str = "rrtc", **settings: int) -> None:
        import vamp

        self._vamp = vamp
        self.name = " ".join(["VAMP", *(f"{name}={v}" for name, v in settings.items())])
        configured = vamp.configure_robot_and_planner_with_kwargs(robot, planner, **settings)
        self._robot, self._planner, self._settings, self._simplification = configured
        self._sampler = self._robot.halton()
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Set the seed of the next plans."""
        self._skipped = 1000 * seed

    def limit(self, budget: int) -> None:
        """Set an anytime planner's limit of iterations and samples."""
        self._settings.optimize = True
        self._settings.max_iterations = self._settings.max_samples = budget

    def enter(self, problem: Problem) -> float:
        """Create a problem's environment; return the seconds."""
        begin = time.thread_time()
        environment = self._vamp.Environment()
        for primitive in problem.primitives:
            self._add(environment, primitive, problem.family)
        self._environment, self._problem = environment, problem
        return time.thread_time() - begin

    def plan(self) -> Plan:
        """Return the raw and the simplified path."""
        self._sampler.reset()
        self._sampler.skip(self._skipped)
        ends = self._problem.start, self._problem.goal
        request = self._environment, self._settings, self._sampler
        found, raw_seconds = timed(time.thread_time, self._planner, *ends, *request)
        if not found.solved:
            return Plan(message="not solved", raw_seconds=raw_seconds)
        request = self._environment, self._simplification, self._sampler
        short, seconds = timed(time.thread_time, self._robot.simplify, found.path, *request)
        raw, shortened = (path.numpy().astype(np.float64) for path in (found.path, short.path))
        inside = 1e-9 * found.nanoseconds
        return Plan(raw, shortened, "", False, raw_seconds, inside, raw_seconds + seconds)

    def _add(self, environment: Any, primitive: Primitive, family: str) -> None:
        vamp, sizes = self._vamp, primitive.sizes
        position = primitive.T_base_shape[:3, 3].tolist()
        turned = list(matrix_rpy(primitive.T_base_shape[:3, :3]))
        if primitive.kind == "sphere":
            environment.add_sphere(vamp.Sphere(position, sizes[0]))
        elif primitive.kind == "box":
            halves = [0.5 * size for size in sizes]
            environment.add_cuboid(vamp.Cuboid(position, turned, halves))
        elif (
            family == "box"
        ):  # like VAMP's problem_dict_to_vamp: capsules would prevent all grasps
            halves = [sizes[1], sizes[1], 0.5 * sizes[0]]
            environment.add_cuboid(vamp.Cuboid(position, turned, halves))
        else:
            environment.add_capsule(vamp.Cylinder(position, turned, sizes[1], sizes[0]))
