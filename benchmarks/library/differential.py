"""Differential inverse kinematics beside pink and RoboPlan's OInK: the time of a step from Python.

The robots are RoboPlan's FR3 and two FR3 arms (PyPI: roboplan), with limits of positions,
velocities and accelerations; steps are 1 ms. One tip follows a circle of 0.1 m in 4 s, measured by
Pinocchio. Two arms are driven into each other: both tips go 0.35 m inwards and 0.1 m up. The
times are those of the processor. placo cannot be measured in the same process, because it needs
an older Pinocchio.
"""

import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, spread
from benchmarks.library import differential_peers
from benchmarks.library.differential_peers import Arms, Step
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import read_urdf, xacro_text
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    ComTask,
    DifferentialIK,
    FrameTask,
    PostureTask,
)
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.transforms import transform

READY = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
MINIMUM = 0.02  # m
SECONDS = 4.0


def load_arms(file: str, tips: tuple[str, ...]) -> tuple[Arms, RigidBodyTree]:
    """Return RoboPlan's arms, with locked fingers."""
    from roboplan import example_models

    models = Path(example_models.get_package_models_dir())
    folder, packages = models / "franka_robot_model", models.parents[1]
    text = xacro_text(folder / f"{file}.urdf", package_paths=[packages])
    tree = read_urdf(text, package_paths=[packages])
    names = tree.compiled().joint_names
    start = np.array([0.0 if "finger" in n else READY[int(n[-1]) - 1] for n in names])
    free = np.array(["finger" not in name for name in names])
    srdf, group = folder / f"{file}.srdf", f"{file}_arm"
    return Arms(text, srdf, packages, group, tips, start, free, 10.0, 1e-3), tree


def ours(arms: Arms, tree: RigidBodyTree, posture: bool, barrier: float) -> Step:
    """Return a step of this package."""
    tasks: list[Any] = [FrameTask(tip) for tip in arms.tips]
    others = [PostureTask(priority=2)] if posture else []
    names = np.array(tree.compiled().joint_names)
    barriers = []
    if barrier:
        checker = CollisionChecker(tree, srdf=arms.srdf)
        barriers.append(CollisionBarrier(checker, barrier))
    ik = DifferentialIK(
        tree,
        [*tasks, *others],
        start=arms.start,
        barriers=barriers,
        locked=names[~arms.free],
        acceleration_limits=dict.fromkeys(names, arms.acceleration),
    )

    def step(targets: Sequence[np.ndarray]) -> np.ndarray:
        for task, target in zip(tasks, targets, strict=True):
            task.set_target(target)
        return ik.step(arms.dt).configuration

    return step


def circle(T: np.ndarray, count: int) -> list[list[np.ndarray]]:
    """Return targets on a circle of 0.1 m that starts and ends at rest."""
    share = np.arange(count) / count
    angle = 2.0 * np.pi * (10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5)
    shifts = 0.1 * np.column_stack((np.zeros(count), np.sin(angle), np.cos(angle) - 1.0))
    return [[transform(shift) @ T] for shift in shifts]


def into_each_other(starts: Sequence[np.ndarray], count: int) -> list[list[np.ndarray]]:
    """Return targets 0.35 m inwards and 0.1 m up."""
    share = np.minimum(1.5 * np.arange(count) / count, 1.0)
    share = share**2 * (3.0 - 2.0 * share)
    inwards = -0.35, 0.35
    return [
        [transform((0, s * y, 0.1 * s)) @ T for y, T in zip(inwards, starts, strict=True)]
        for s in share
    ]


def timed(step: Step, targets: Sequence[Sequence[np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the processor time of each step (us), and all configurations."""
    seconds, path = [], []
    for of_step in targets:
        started = time.process_time()
        q = step(of_step)
        seconds.append(time.process_time() - started)
        path.append(np.array(q))
    return 1e6 * np.array(seconds), np.array(path)


def measure_arms(report: Report, options: Any) -> None:
    """Measure all libraries on one arm and on two."""
    count = options.steps
    single, tree = load_arms("fr3", ("fr3_hand",))
    goals = circle(body_transform(tree, single.start, "fr3_hand"), count)
    expected = np.array([T[:3, 3] for (T,) in goals])
    for table, posture, barrier in (
        ("one frame, all limits", False, 0.0),
        ("and posture", True, 0.0),
        ("and self-collision barrier", True, MINIMUM),
    ):
        for name, make in makers(single, tree):
            try:
                times, path = timed(make(posture, barrier), goals)
            except NotImplementedError:
                continue
            found = body_transform(tree, path, "fr3_hand")[:, :3, 3]
            error = float(np.linalg.norm(found - expected, axis=1).max())
            report.row(table, name, spread(times, (50, 99, 100), "us") | {"error mm": 1e3 * error})
    dual, tree = load_arms("dual_fr3", ("left_fr3_hand", "right_fr3_hand"))
    checker = CollisionChecker(tree, srdf=dual.srdf)
    starts = [body_transform(tree, dual.start, tip) for tip in dual.tips]
    for name, make in makers(dual, tree):
        try:
            times, path = timed(make(False, MINIMUM), into_each_other(starts, count))
        except NotImplementedError:
            continue
        kept = min(checker.distance(q).distance for q in path[:: max(1, count // 400)])
        risen = [
            1e3 * (body_transform(tree, path[-1], tip)[2, 3] - T[2, 3])
            for tip, T in zip(dual.tips, starts, strict=True)
        ]
        figures = spread(times, (50, 99, 100), "us")
        rise = f"{risen[0]:.1f} and {risen[1]:.1f}"
        report.row("two arms", name, figures | {"kept mm": 1e3 * kept, "risen mm": rise})


def makers(arms: Arms, tree: RigidBodyTree) -> list[tuple[str, Any]]:
    """Return (library, function of posture and barrier that returns a step)."""
    return [
        ("ours", lambda posture, barrier: ours(arms, tree, posture, barrier)),
        ("OInK", lambda posture, barrier: differential_peers.oink(arms, posture, barrier)),
        ("pink", lambda posture, barrier: differential_peers.pink(arms, posture, barrier)),
    ]


def measure_nao(report: Report, options: Any) -> None:
    """Measure NAO with a floating base: both feet stay, and a hand reaches over them."""
    nao = load_robot("nao")
    tree = RigidBodyTree("nao", "world")
    root = tree.add_body(RigidBody(nao.base_name, Joint("root", "floating")), "world")
    root.inertia = nao.base.inertia
    tree.add_subtree(nao, nao.base_name)
    hand = FrameTask("l_gripper", 1.0, 0.0)
    feet = [FrameTask(foot, priority=0) for foot in ("l_sole", "r_sole")]
    balance, posture = ComTask((1.0, 1.0, 0.0)), PostureTask(0.01)
    ik = DifferentialIK(tree, [*feet, balance, hand, posture])
    T = tree.get_transform(ik.configuration, "l_gripper")
    times = []
    for k in range(options.steps):
        share = 0.5 - 0.5 * np.cos(2.0 * np.pi * k / options.steps)
        started = time.process_time()
        hand.set_target(transform((0.06 * share, 0.02 * share, 0.05 * share)) @ T)
        ik.step(1e-3)
        times.append(1e6 * (time.process_time() - started))
    report.row("NAO, two feet, CoM, hand", "ours", spread(times, (50, 99, 100), "us"))


def run(options: Any, report: Report) -> None:
    """Measure everything."""
    warnings.simplefilter("ignore")
    try:
        measure_arms(report, options)
    except ImportError as error:
        print(f"{error.name} is not installed: pip install roboplan pin-pink")
    measure_nao(report, options)


if __name__ == "__main__":
    main(run, steps=int(1000 * SECONDS))
