"""Correctness of motion checks: random motions, verified on the meshes.

``--resources`` is VAMP's folder ``resources`` with its MotionBenchMaker archives unpacked. Five
robots make ``--motions`` random motions each: four in the scenes of their own problems, xArm7 of
example-robot-data in the Panda's. Half of the starts are near a start or goal of a problem.

Pinocchio and coal check motions that the conservative level reports as free every 0.01 rad (m) of
the joint that moves most; none may be in collision. "at once" counts those that the first check,
in lanes, reports. Motions that it rejects must not be free by the other checks ("but free"); those
without a collision are counted as "no collision".
"""

import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frame import Report, main
from benchmarks.ik.problem import DATA
from benchmarks.planning.motion_bench_problems import Meshes, Problem, load_problems
from benchmarks.planning.pillars_scene import ARM_JOINTS
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.conservative import FREE, motion_verdict
from rigid_tree_kinematics.collision.lanes.never_free_kernels import is_never_free
from rigid_tree_kinematics.collision.world import make_work
from rigid_tree_kinematics.collision.world.arrays import CHECKED, no_lanes
from rigid_tree_kinematics.description import read_urdf_file

LONGEST = 1.5  # rad, m; longest motion
NEAR = 0.3  # fraction from a problem's start or goal toward a random configuration
SCENES = 6  # problems per family
XARM = DATA / "xarm_description"


class Attack:
    """Random motions of a robot, scene by scene."""

    def __init__(self, urdf: Path, srdf: Path, rng: np.random.Generator) -> None:
        self.meshes, self.found = Meshes(urdf, srdf), Counter[str]()
        self._checker = CollisionChecker(read_urdf_file(urdf), srdf=srdf)
        compiled, joints = self._checker.compiled, self.meshes.joints
        self._from_judge = [joints.index(name) for name in compiled.joint_names]
        self._to_judge = np.argsort(self._from_judge)
        self._low, self._high = np.clip([compiled.lower, compiled.upper], -np.pi, np.pi)
        self._rng = rng

    def run(self, problem: Problem, own: bool, motions: int) -> None:
        """Check motions in a problem's scene; ``own`` if its ends are for this robot."""
        checker, judge = self._checker.with_scene(problem.scene()), self.meshes.judge(problem)
        everything = np.arange(len(self._low))
        model = checker.conservative_model(checker.compiled.home, everything)
        without = model._replace(lanes=no_lanes(len(model.entities)))
        work, found = make_work(model), self.found
        ends = [q[self._from_judge] for q in (problem.start, problem.goal)] if own else []

        def touches(start: np.ndarray, motion: np.ndarray) -> bool:
            return judge.path_touches(np.array([start, start + motion])[:, self._to_judge])

        for number in range(motions):
            start = self._random()
            if ends and number % 2:
                end = ends[number // 2 % 2]
                start = end + NEAR * self._rng.random() * (start - end)
            motion = self._random() - start
            motion *= min(1.0, LONGEST * self._rng.random() / np.linalg.norm(motion))
            proven = motion_verdict(without, checker.kinds, start, motion, work) == FREE
            before = work.counts[CHECKED]
            free = motion_verdict(model, checker.kinds, start, motion, work) == FREE
            found["free in lanes"] += int(free and work.counts[CHECKED] == before + 1)
            if is_never_free(model, start, motion, work):
                found["rejected"] += 1
                found["rejected, but free"] += free or proven
                found["rejected, no collision"] += not touches(start, motion)
            elif free:
                found["free"] += 1
                found["free, in collision"] += touches(start, motion)
        found["checks"] += judge.checks

    def _random(self) -> np.ndarray:
        return np.asarray(self._rng.uniform(self._low, self._high))


def run(options: Any, report: Report) -> None:
    """Check all robots."""
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
            "at once": found["free in lanes"],
            "in collision": found["free, in collision"],
            "rejected": found["rejected"],
            "but free": found["rejected, but free"],
            "no collision": found["rejected, no collision"],
            "checks": found["checks"],
        }
        report.row("robot", robot, figures)


if __name__ == "__main__":
    main(run, resources=Path, motions=20_000, seed=0)
