"""Processor time of checks and plans by number of shapes, points and joints.

The scenes have the bundled Panda with boxes, cylinders and spheres in random poses, or with point
clouds of pillars and walls. The arms have 2 to 26 joints. ``--figure`` plots the curves in a PNG
file; ``--largest`` limits the size of the scenes.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.frame import Report, main, timed
from benchmarks.planning.pillars_scene import BOXES, GOAL, START
from benchmarks.scaling.joints import JOINTS, joints_row
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, PointCloud, Scene
from rigid_tree_kinematics.collision.conservative.kernels import free_batch, motion_verdict
from rigid_tree_kinematics.collision.shapes.voxels import voxel_cloud
from rigid_tree_kinematics.collision.world.arrays import make_work
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform, transform_from_xyz_rpy
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

SHAPES = (3, 10, 20, 100, 1000, 10_000)
POINTS = (1000, 10_000, 100_000, 300_000)
RUNS = 21
CONFIGURATIONS = 2000
MOTION = 1.5  # rad, the planner's longest edge
# Axis-aligned boxes in the base frame: size and center, m.
SEEN = (*BOXES.values(), ((0.02, 3.0, 2.0), (1.4, 0.0, 0.8)), ((0.02, 3.0, 2.0), (-1.2, 0.0, 0.8)))
POINT_RADIUS, VOXEL = 0.01, 0.02  # m

# Panels of the figure: table, label of the x axis, and names of the columns.
PANELS: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "shapes",
        "shapes in the scene",
        {"ready ms": "scene ready", "moved ms": "one shape moved", "exact ms": "exact check"},
    ),
    (
        "points",
        "points in the cloud",
        {
            "all: ready ms": "cloud ready",
            "reducing ms": "reduced to voxels",
            "all: plan ms": "plan",
            "voxels: plan ms": "plan, voxels",
        },
    ),
    (
        "joints",
        "joints of the arm",
        {"median ms": "first path, median", "95 % ms": "first path, 95 %"},
    ),
)


def milliseconds(action: Callable[[int], object], runs: int = RUNS) -> float:
    """Return the median processor time of an action (called with the run's number), ms."""
    times = (timed(time.process_time, action, run)[1] for run in range(runs))
    return 1000.0 * statistics.median(times)


def pose(rng: np.random.Generator, reach: float) -> Array:
    """Return a random pose (4x4)."""
    place = rng.uniform(-reach, reach, 3).tolist()
    return transform_from_xyz_rpy(place, rng.uniform(-3.0, 3.0, 3).tolist())


def random_scene(count: int, seed: int) -> Scene:
    """Return boxes, cylinders and spheres; with more shapes, they fill a larger space."""
    rng = np.random.default_rng(seed)
    reach = 2.0 * max(1.0, (count / 100.0) ** (1 / 3))
    scene = Scene()
    for number in range(count):
        a, b, c = rng.uniform(0.02, 0.2, 3)
        shape = (Box((a, b, c)), Cylinder(0.5 * a, b), Sphere(0.5 * a))[number % 3]
        scene.add(Obstacle.of(f"obstacle {number}", shape, pose(rng, reach)))
    return scene


def seen_points(count: int) -> Array:
    """Return points (count, 3) on the surfaces of the boxes."""
    rng = np.random.default_rng(0)
    found = []
    for size, center in SEEN:
        x, y, z = size
        areas = np.array([y * z, x * z, x * y])
        number = count // len(SEEN)
        points = rng.uniform(-0.5, 0.5, (number, 3))
        side = rng.choice(3, number, p=areas / areas.sum())
        points[np.arange(number), side] = rng.choice([-0.5, 0.5], number)
        found.append(points * size + center)
    return np.vstack(found)


def check_times(checker: CollisionChecker) -> dict[str, float]:
    """Return the times of configuration and motion checks at the conservative level, us."""
    rng = np.random.default_rng(1)
    count = checker.compiled.position_count
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(CONFIGURATIONS)])
    model = checker.conservative_model(rows[0], np.arange(count))
    work = make_work(model, closely=False)
    free = np.empty(len(rows), dtype=np.bool_)
    each = milliseconds(lambda _: free_batch(model, rows, free, work), 5) / len(rows)
    starts = rows[free][:500]
    steps = rng.normal(size=starts.shape)
    steps *= MOTION / np.linalg.norm(steps, axis=1)[:, np.newaxis]
    ends = np.clip(starts + steps, checker.compiled.lower, checker.compiled.upper)
    kinds = checker.kinds
    motions = [(a, difference(kinds, a, b)) for a, b in zip(starts, ends, strict=True)]

    def judge(_: int) -> None:
        for a, step in motions:
            motion_verdict(model, kinds, a, step, work)

    motion = milliseconds(judge, 5) / max(1, len(motions))
    return {"configuration us": 1000.0 * each, "motion us": 1000.0 * motion}


def shapes_row(base: CollisionChecker, count: int) -> dict[str, float]:
    """Return the cost of a scene with ``count`` shapes."""
    scenes = [random_scene(count, seed) for seed in range(RUNS if count <= 100 else 3)]
    ready = milliseconds(lambda run: base.with_scene(scenes[run]).prepare(), len(scenes))
    scene = scenes[0]
    checker = base.with_scene(scene)
    checker.prepare()
    rng = np.random.default_rng(2)

    def move(run: int) -> None:
        scene.move(f"obstacle {run % count}", pose(rng, 2.0))
        checker.prepare()

    def add(run: int) -> None:
        scene.add(Obstacle.of(f"new {run}", Box((0.05, 0.05, 0.05)), pose(rng, 2.0)))
        checker.prepare()

    def remove(run: int) -> None:
        scene.remove(f"new {run}")
        checker.prepare()

    q = base.compiled.home
    return {
        "ready ms": ready,
        "moved ms": milliseconds(move),
        "added ms": milliseconds(add),
        "removed ms": milliseconds(remove),
        "exact ms": milliseconds(lambda _: checker.check(q)),
        **check_times(checker),
    }


def points_row(base: CollisionChecker, count: int) -> dict[str, float]:
    """Return the cost of a cloud of ``count`` points, alone and with 1,000 other shapes."""
    points = seen_points(count)
    row: dict[str, float] = {}
    row["reducing ms"] = milliseconds(lambda _: voxel_cloud(points, VOXEL, 0.005), 5)
    cloud = Scene([Obstacle.of("cloud", PointCloud(points, POINT_RADIUS))])
    for name, made in (("all", cloud), ("voxels", Scene())):
        if name == "voxels":
            made.add(Obstacle.of("cloud", voxel_cloud(points, VOXEL, 0.005)))
        checker = base.with_scene(made)
        row[f"{name}: ready ms"] = 1e3 * timed(time.process_time, checker.prepare)[1]
        planner = MotionPlanner(load_robot("panda"), checker)

        def plan(run: int, planner: MotionPlanner = planner) -> None:
            result = planner.plan(START, GOAL, PlanSettings(seed=run), timing=False)
            assert result.path is not None, result.message

        plan(0)
        row[f"{name}: plan ms"] = milliseconds(plan)
        row[f"{name}: configuration us"] = check_times(checker)["configuration us"]
    scene = random_scene(1000, 0)
    among = base.with_scene(scene)

    def replace(_: int) -> None:
        scene.add(
            Obstacle.of("seen", voxel_cloud(points + np.array([0.0, 0.0, 9.0]), VOXEL, 0.005))
        )
        among.prepare()

    row["replaced among 1,000 shapes ms"] = milliseconds(replace, 5)
    return row


def run(options: Any, report: Report) -> None:
    """Measure all sizes and plot the curves."""
    base = CollisionChecker(load_robot("panda"))
    base.with_scene(Scene([Obstacle.of("box", Box((1, 1, 1)), transform((9, 9, 9)))])).prepare()
    for name, sizes, row_of in (
        ("shapes", SHAPES, partial(shapes_row, base)),
        ("points", POINTS, partial(points_row, base)),
        ("joints", JOINTS, joints_row),
    ):
        for size in sizes:
            if size <= options.largest:
                report.row(name, size, row_of(size))
    if options.figure:
        draw(report.tables, options.figure)


def draw(tables: dict[str, Any], file: str) -> None:
    """Plot the tables in a PNG file."""
    figure = Figure(figsize=(11.0, 3.4), layout="constrained")
    for axes, (table, along, columns) in zip(figure.subplots(1, 3), PANELS, strict=True):
        rows = tables.get(table, {})
        sizes = [int(size) for size in rows]
        for column, name in columns.items():
            curve = [row[column] for row in rows.values()]
            axes.plot(sizes, curve, marker="o", label=name)
        axes.set(xlabel=along, ylabel="processor time (ms)")
        if table != "joints":
            axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main(run, figure="", largest=max(POINTS))
