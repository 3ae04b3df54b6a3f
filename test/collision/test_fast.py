"""The fast level: what it calls free is free by the exact one, and by dense samples."""

import sysconfig
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh

from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.collision.fast import FREE, free_batch, make_work, motion_verdict
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.errors import DescriptionWarning
from rigid_tree_kinematics.kinematics.topology import between_kernel, difference_kernel
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy

ROBOTS = Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
FILES = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "so_arm_description/urdf/so100.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
)


def robot_of(name):
    if name.endswith(".urdf"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DescriptionWarning)
            return read_urdf_file(ROBOTS / name)
    return load_robot(name)


def mesh_shape(mesh):
    return Triangles(np.array(mesh.vertices), np.array(mesh.faces))


def u_profile(size):
    corners = [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]
    return np.array(corners) * size / 3.0


def shape_of(kind, rng):
    size = rng.uniform(0.05, 0.3)
    if kind == 0:
        return Box(tuple(rng.uniform(0.02, 0.5, 3)))
    if kind == 1:
        return Sphere(size)
    if kind == 2:
        return Cylinder(rng.uniform(0.01, 0.2), rng.uniform(0.02, 0.6))
    if kind == 3:
        return Prism(u_profile(2 * size), -rng.uniform(0.01, 0.2), 0.05)
    if kind == 4:
        return mesh_shape(trimesh.creation.torus(size, 0.3 * size))
    if kind == 5:
        return mesh_shape(trimesh.creation.icosphere(subdivisions=1, radius=size))
    if kind == 6:
        return PointCloud(rng.normal(scale=size, size=(300, 3)), rng.uniform(0.001, 0.02))
    # A sheet without an inside.
    return Triangles(rng.uniform(-size, size, (12, 3)), np.arange(12).reshape(4, 3))


KINDS = 8


def scene_of(seed, count=8, reach=1.0):
    rng = np.random.default_rng(seed)
    scene = Scene()
    for number in range(count):
        shape = shape_of((seed + number) % KINDS, rng)
        T = transform_from_xyz_rpy(
            rng.uniform(-reach, reach, 3).tolist(), rng.uniform(-3, 3, 3).tolist()
        )
        scene.add(Obstacle.of(f"obstacle {number}", shape, T))
    return scene


@pytest.fixture(scope="module", params=[*FILES, "panda", "nao"])
def robot(request):
    return robot_of(request.param)


@pytest.fixture(scope="module")
def base_checker(robot):
    return CollisionChecker(robot)


def fast_free(checker, rows, moving=None):
    count = checker.compiled.position_count
    moving = np.arange(count) if moving is None else moving
    model = checker.fast_model(rows[0], moving)
    free = np.empty(len(rows), dtype=np.bool_)
    free_batch(model, rows, free, make_work(model))
    return free


@pytest.mark.parametrize("seed", range(3))
def test_what_the_fast_level_frees_is_free(base_checker, seed):
    checker = base_checker.with_scene(scene_of(seed))
    rng = np.random.default_rng(seed)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(400)])
    free = fast_free(checker, rows)
    truth = np.array([checker.check(q).free for q in rows])
    assert not (free & ~truth).any()
    if truth.sum() > 20:
        # It is of use: it frees most of what is free.
        assert free[truth].mean() > 0.5


def test_a_padding_is_kept_by_the_fast_level_too(robot):
    checker = CollisionChecker(robot, scene_of(5), padding=0.02)
    rng = np.random.default_rng(5)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(150)])
    for q in rows[fast_free(checker, rows)]:
        assert checker.distance(q).distance > 0.02


@pytest.mark.parametrize("seed", range(2))
def test_a_motion_that_the_fast_level_frees_is_free_all_along(base_checker, seed):
    checker = base_checker.with_scene(scene_of(10 + seed))
    compiled, kinds = checker.compiled, checker.kinds
    rng = np.random.default_rng(seed)
    rows = np.array([random_configuration(compiled, rng) for _ in range(300)])
    rows = rows[fast_free(checker, rows)]
    if len(rows) < 2:
        pytest.skip("no free configurations in this scene")
    model = checker.fast_model(rows[0], np.arange(compiled.position_count))
    work = make_work(model)
    difference, q = np.empty(len(kinds)), np.empty(len(kinds))
    freed = doubted = 0
    for _ in range(400):
        a, b = rows[rng.integers(len(rows), size=2)]
        difference_kernel(kinds, a, b, difference)
        difference *= rng.uniform(0.05, 1.0)
        if motion_verdict(model, kinds, a, difference, work) != FREE:
            doubted += 1
            continue
        freed += 1
        if freed <= 25:
            for t in np.linspace(0.0, 1.0, 40):
                between_kernel(kinds, a, difference, t, q)
                assert checker.check(q).free
    assert freed
    assert doubted or seed


def test_standing_joints_are_part_of_the_world(base_checker):
    """A model for some moving positions answers like the one for all."""
    checker = base_checker.with_scene(scene_of(20))
    compiled = checker.compiled
    rng = np.random.default_rng(6)
    moving = np.sort(rng.choice(compiled.position_count, compiled.position_count // 2, False))
    standing = random_configuration(compiled, rng)
    rows = np.tile(standing, (200, 1))
    for row in rows:
        row[moving] = random_configuration(compiled, rng)[moving]
    some, every = fast_free(checker, rows, moving), fast_free(checker, rows)
    # It leaves out pairs that stand still, so that it may free what the whole one does not.
    assert not (every & ~some).any()
    if checker.check(standing).free:
        for q in rows[some & ~every]:
            assert checker.check(q).free


def test_a_batch_is_what_single_questions_say(base_checker):
    checker = base_checker.with_scene(scene_of(30))
    rng = np.random.default_rng(7)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(60)])
    truth = [checker.check(q).free for q in rows]
    assert checker.is_free_batch(rows).tolist() == truth
    assert [checker.is_free(q) for q in rows] == truth


def test_what_is_wholly_inside_an_obstacle_is_not_freed(robot):
    scene = Scene([Obstacle.of("room", Box((20.0, 20.0, 20.0)))])
    checker = CollisionChecker(robot, scene)
    rng = np.random.default_rng(8)
    rows = np.array([random_configuration(checker.compiled, rng) for _ in range(20)])
    assert not fast_free(checker, rows).any()
    assert not checker.is_free_batch(rows).any()
