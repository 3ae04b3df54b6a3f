"""Attack on the levels that decide about motions: random motions, judged on the real meshes.

``--resources`` is VAMP's folder ``resources``, whose archives of MotionBenchMaker's problems are
unpacked. Five robots make ``--motions`` random motions each: four in the scenes of their own
problems, xArm7 of example-robot-data in the Panda's. Half of the starts are near a start or goal
of a problem.

What the conservative level calls free, Pinocchio and coal check every 0.01 rad (m) of the joint
that moves most: nothing may be in collision. What the inner level calls never free must not be
free by the conservative level, whose answer it foresees. Both err on the safe side, so that some
of these motions have no collision: they are counted, too.
"""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frame import Report, main
from benchmarks.library.ik_problem import DATA
from benchmarks.planning.motion_bench_problems import Meshes, Problem, load_problems
from benchmarks.planning.pillars_scene import ARM_JOINTS, Judge
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.conservative import FREE, motion_verdict
from rigid_tree_kinematics.collision.inner.kernels import is_never_free
from rigid_tree_kinematics.collision.world import make_work
from rigid_tree_kinematics.description import read_urdf_file

STEP = 0.01  # rad, m
LONGEST = 1.5  # rad, m: a motion
NEAR = 0.3  # of the way from a problem's start or goal to a random configuration
SCENES = 6  # of each family
XARM = DATA / "xarm_description"


class Attack:
    """Random motions of a robot in one scene after the other."""

    def __init__(self, urdf: Path, srdf: Path, rng: np.random.Generator) -> None:
        self.meshes, self.found = Meshes(urdf, srdf), Counter[str]()
        self._checker = CollisionChecker(read_urdf_file(urdf), srdf=srdf)
        compiled, joints = self._checker.compiled, self.meshes.joints
        self._from_judge = [joints.index(name) for name in compiled.joint_names]
        self._to_judge = np.argsort(self._from_judge)
        self._low, self._high = np.clip([compiled.lower, compiled.upper], -np.pi, np.pi)
        self._rng = rng

    def run(self, problem: Problem, own: bool, motions: int) -> None:
        """Check motions in a problem's scene; ``own``: its ends are this robot's."""
        checker, judge = self._checker.with_scene(problem.scene()), self.meshes.judge(problem)
        everything = np.arange(len(self._low))
        model = checker.conservative_model(checker.compiled.home, everything)
        work, found = make_work(model), self.found
        ends = [q[self._from_judge] for q in (problem.start, problem.goal)] if own else []
        for number in range(motions):
            start = self._random()
            if ends and number % 2:
                end = ends[number // 2 % 2]
                start = end + NEAR * self._rng.random() * (start - end)
            way = self._random() - start
            way *= min(1.0, LONGEST * self._rng.random() / np.linalg.norm(way))
            free = motion_verdict(model, checker.kinds, start, way, work) == FREE
            if is_never_free(model, start, way, work):
                found["never free"] += 1
                found["never, but free"] += free
                found["never, no collision"] += not self._touches(judge, start, way)
            elif free:
                found["free"] += 1
                found["free, in collision"] += self._touches(judge, start, way)

    def _random(self) -> np.ndarray:
        return np.asarray(self._rng.uniform(self._low, self._high))

    def _touches(self, judge: Judge, start: np.ndarray, way: np.ndarray) -> bool:
        """Check a motion every STEP until a collision."""
        parts = int(np.ceil(np.abs(way).max() / STEP))
        for k in range(parts + 1):
            self.found["judged"] += 1
            if judge.touches((start + way * k / parts)[self._to_judge]):
                return True
        return False


def run(options: Any, report: Report) -> None:
    """Attack all robots."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(options.seed)
    for robot in ("panda", "ur5", "fetch", "baxter", "xarm7"):
        stranger = robot == "xarm7"
        folder = options.resources / ("panda" if stranger else robot)
        files = [folder / f"{robot}.{kind}" for kind in ("urdf", "srdf")]
        if stranger:
            files = [XARM / kind / f"{robot}.{kind}" for kind in ("urdf", "srdf")]
        attack = Attack(files[0], files[1], rng)
        joints = ARM_JOINTS if stranger else attack.meshes.joints
        problems = load_problems(folder / "problems", "odd", SCENES, joints)
        for problem in problems:
            attack.run(problem, not stranger, options.motions // len(problems))
        found = attack.found
        figures = {
            "motions": options.motions // len(problems) * len(problems),
            "free": found["free"],
            "in collision": found["free, in collision"],
            "never free": found["never free"],
            "but free": found["never, but free"],
            "without collision": found["never, no collision"],
            "configurations judged": found["judged"],
        }
        report.row("robot", robot, figures)


if __name__ == "__main__":
    main(run, resources=Path, motions=20_000, seed=0)
