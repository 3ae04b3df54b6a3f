"""Maps of two or three joints never mark colliding bodies as free, at points or along motions."""

import numpy as np
import pytest

from harness.example_robots import robot_of
from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.conservative.map_walk import apart_on_map
from rigid_tree_kinematics.collision.exact import ExactLevel
from rigid_tree_kinematics.collision.shapes.fit_cache import cache_folder
from rigid_tree_kinematics.collision.world.arrays import EVERYWHERE, MAP
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model.configuration import random_configuration

FILES = ("ur_description/urdf/ur5_robot.urdf", "kinova_description/robots/kinova.urdf")


@pytest.fixture(scope="module", params=["panda", "nao", *FILES])
def checker(request):
    return CollisionChecker(robot_of(request.param))


def test_configurations_and_motions_that_a_map_proves_free_are_free(checker):
    maps = checker._robot.maps
    level = ExactLevel(checker.compiled, checker._robot.parts, list(maps.row_of), 0.0)
    kinds, rng = checker.compiled.position_kinds, np.random.default_rng(1)
    freed = 0
    for number in range(340):
        a, b = (random_configuration(checker.compiled, rng) for _ in range(2))
        moves = number < 40
        displacement = moves * difference(kinds, a, b)
        apart = np.array(
            [
                apart_on_map(maps.maps, maps.cells, row, a, displacement)
                for row in maps.row_of.values()
            ]
        )
        for t in np.linspace(0.0, 1.0, 30 if moves else 1):
            assert not level.touching_pairs(between(kinds, a, displacement, t), apart).any()
        freed += 0 if moves else apart.sum()
    assert freed > 100 * len(maps.row_of)  # of use


def random_map(rng):
    area = np.zeros(1, MAP)
    sides = rng.integers(2, 4)
    area["position"], area["cells"] = -1, 1
    area["position"][0, :sides] = rng.permutation(4)[:sides]
    area["cells"][0, :sides] = rng.integers(1, 9, sides)
    area["wraps"][0, :sides] = rng.integers(0, 2, sides)
    area["low"][0, :sides] = rng.uniform(-2, 0, sides)
    area["width"][0, :sides] = rng.uniform(0.2, 0.6, sides)
    share = rng.choice([0.5, 0.9, 0.99, 1.0, 1.0])
    area["first"] = EVERYWHERE if share == 1.0 and rng.random() < 0.5 else 3
    return area, (rng.random(area["cells"][0]) < share).astype(np.uint8)


def test_map_walk_visits_the_cells_of_points_along_the_motion():
    rng = np.random.default_rng(0)
    answers, corners = {True: 0, False: 0}, 0
    for _ in range(1000):
        area, cells = random_map(rng)
        # On the map mostly, sometimes beyond, sometimes without moving in some direction.
        a, displacement = rng.uniform(-1.5, 1.5, 4), rng.uniform(-1, 1, 4) * rng.integers(0, 2, 4)
        padded = np.concatenate([np.zeros(3, dtype=np.uint8), cells.ravel()])
        apart = apart_on_map(area, padded, 0, a, displacement)
        positions, low, width, counts, wraps = (
            area[name][0] for name in ("position", "low", "width", "cells", "wraps")
        )
        used = positions >= 0
        at = np.zeros((4001, 3), dtype=int)
        axes = positions[used]
        motion = a[axes] + np.linspace(0.0, 1.0, len(at))[:, np.newaxis] * displacement[axes]
        at[:, used] = np.floor((motion - low[used]) / width[used])
        at = np.where(wraps > 0, at % counts, at)
        beyond = ((at < 0) | (at >= counts)).any()
        free = not beyond and cells[tuple(at.T)].all()
        answers[apart] += 1
        assert free or not apart
        # A corner cut between two of the points is undecided, which the points do not show.
        corners += free and not apart
    assert corners <= 20
    assert min(answers.values()) > 50


def test_maps_are_kept_and_a_damaged_file_is_not_believed(tmp_path, monkeypatch):
    def maps():
        return CollisionChecker(load_robot("panda"), padding=0.001)._robot.maps

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = maps()
    (file,) = cache_folder().glob("*-maps-*.fit")
    whole = file.read_bytes()
    assert np.array_equal(maps().cells, first.cells)
    assert file.read_bytes() == whole
    damaged = bytearray(whole)
    damaged[-20:] = b"\xff" * 20
    for content in (bytes(damaged), whole[: len(whole) // 2], b"", whole + b"\0"):
        file.write_bytes(content)
        assert np.array_equal(maps().cells, first.cells)
        assert file.read_bytes() == whole


@pytest.mark.parametrize("name", list_robots())
def test_the_bundled_robots_ship_their_fits(name, tmp_path, monkeypatch):
    """If this fails: python scripts/fit_bundled_robots.py."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    CollisionChecker(load_robot(name))
    assert not cache_folder().exists()
