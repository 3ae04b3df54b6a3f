"""Maps of two or three joints never mark colliding bodies as free, at points or along motions."""

import numpy as np
import pytest

from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.conservative.map_walk import apart_on_map
from rigid_tree_kinematics.collision.exact.exact import ExactLevel
from rigid_tree_kinematics.collision.shapes.fit_cache import cache_folder
from rigid_tree_kinematics.collision.world.arrays import (
    EVERYWHERE,
    MAP_CELLS,
    MAP_COLUMNS,
    MAP_FIRST,
    MAP_LOW,
    MAP_POSITION,
    MAP_WIDTH,
    MAP_WRAPS,
)
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model.configuration import random_configuration

FILES = ("ur_description/urdf/ur5_robot.urdf", "kinova_description/robots/kinova.urdf")


def checker_of(name):
    return CollisionChecker(read(ROBOTS / name) if name.endswith(".urdf") else load_robot(name))


@pytest.fixture(scope="module", params=["panda", "nao", *FILES])
def checker(request):
    return checker_of(request.param)


def mapped(checker, a, way):
    """Return the pairs of parts that the maps prove apart along a way, and their level."""
    maps = checker._robot.maps
    return [
        pair
        for pair, row in maps.row_of.items()
        if apart_on_map(maps.maps, maps.cells, row, a, way)
    ]


def exact(checker):
    pairs = list(checker._robot.maps.row_of)
    return pairs, ExactLevel(checker.compiled, checker._robot.parts, pairs, 0.0)


def test_what_a_map_calls_apart_is_apart(checker):
    pairs, level = exact(checker)
    rng = np.random.default_rng(1)
    nowhere = np.zeros(checker.compiled.position_count)
    freed = 0
    for _ in range(300):
        q = random_configuration(checker.compiled, rng)
        apart = mapped(checker, q, nowhere)
        asked = np.array([pair in apart for pair in pairs])
        assert not level.touching_pairs(q, asked).any()
        freed += asked.sum()
    assert freed > 100 * len(pairs)  # of use


def test_motions_that_a_map_proves_free_are_free(checker):
    pairs, level = exact(checker)
    rng = np.random.default_rng(2)
    kinds = checker.compiled.position_kinds
    for _ in range(40):
        a, b = (random_configuration(checker.compiled, rng) for _ in range(2))
        way = difference(kinds, a, b)
        asked = np.array([pair in mapped(checker, a, way) for pair in pairs])
        for t in np.linspace(0.0, 1.0, 30):
            assert not level.touching_pairs(between(kinds, a, way, t), asked).any()


def random_map(rng):
    row = np.zeros(MAP_COLUMNS)
    sides = rng.integers(2, 4)
    row[MAP_POSITION : MAP_POSITION + 3] = -1
    row[MAP_POSITION : MAP_POSITION + sides] = rng.permutation(4)[:sides]
    row[MAP_CELLS : MAP_CELLS + 3] = 1
    row[MAP_CELLS : MAP_CELLS + sides] = rng.integers(1, 9, sides)
    row[MAP_WRAPS : MAP_WRAPS + sides] = rng.integers(0, 2, sides)
    row[MAP_LOW : MAP_LOW + sides] = rng.uniform(-2, 0, sides)
    row[MAP_WIDTH : MAP_WIDTH + sides] = rng.uniform(0.2, 0.6, sides)
    shape = tuple(int(count) for count in row[MAP_CELLS : MAP_CELLS + 3])
    cells = (rng.random(shape) < rng.choice([0.5, 0.9, 0.99, 1.0])).astype(np.uint8)
    row[MAP_FIRST] = 3
    return row, cells


@pytest.mark.parametrize("seed", range(5))
def test_map_walk_visits_the_cells_of_points_along_the_motion(seed):
    rng = np.random.default_rng(seed)
    answers = {True: 0, False: 0}
    for _ in range(200):
        row, cells = random_map(rng)
        # On the map mostly, sometimes beyond, sometimes without moving in some direction.
        a, way = rng.uniform(-1.5, 1.5, 4), rng.uniform(-1, 1, 4) * rng.integers(0, 2, 4)
        padded = np.concatenate([np.zeros(3, dtype=np.uint8), cells.ravel()])
        said = apart_on_map(row[np.newaxis].copy(), padded, 0, a, way)
        inside, beyond = True, False
        for t in np.linspace(0.0, 1.0, 4001):
            at = []
            for d in range(3):
                position, count = int(row[MAP_POSITION + d]), int(row[MAP_CELLS + d])
                if position < 0:
                    at.append(0)
                    continue
                u = (a[position] + t * way[position] - row[MAP_LOW + d]) / row[MAP_WIDTH + d]
                cell = int(np.floor(u))
                if row[MAP_WRAPS + d]:
                    cell %= count
                beyond = beyond or not 0 <= cell < count
                at.append(min(max(cell, 0), count - 1))
            inside = inside and cells[tuple(at)] == 1
        answers[said] += 1
        # A corner cut between two of the points is a doubt that the points do not see.
        if said:
            assert inside
            assert not beyond
        elif inside and not beyond:
            answers["corner"] = answers.get("corner", 0) + 1
    assert answers.get("corner", 0) <= 4
    assert min(answers[True], answers[False]) > 10


def test_a_pair_that_is_apart_everywhere_has_no_cells():
    maps = checker_of("panda")._robot.maps
    everywhere = maps.maps[:, MAP_FIRST] == EVERYWHERE
    assert everywhere.any()
    nowhere = np.zeros(7)
    row = int(np.flatnonzero(everywhere)[0])
    position = int(maps.maps[row, MAP_POSITION])
    q = maps.maps[row, MAP_LOW] * np.eye(7)[position]
    assert apart_on_map(maps.maps, maps.cells, row, np.where(q, q, -0.1), nowhere)
    outside = np.where(q, q - 0.1, -0.1)  # of the joint's limits: nothing is known there
    assert not apart_on_map(maps.maps, maps.cells, row, outside, nowhere)


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
    checker_of(name)
    assert not cache_folder().exists()
