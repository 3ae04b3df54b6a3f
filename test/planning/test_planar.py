"""The planar demo against Shapely and the source's numbers."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import shapely

from harness.cases import case
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Prism, Scene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model import Box, Collision, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import PlanStatus
from rigid_tree_kinematics.planning.configuration_map import (
    TURN,
    ConfigurationMap,
    map_joints,
    saved_map,
)
from rigid_tree_kinematics.planning.planar_demo.__main__ import main
from rigid_tree_kinematics.planning.planar_demo.arm import PLANAR_DEMO
from rigid_tree_kinematics.planning.planar_demo.search import (
    DEMO_SETTINGS,
    evenly,
    map_pieces,
    search_paths,
    tree_pieces,
)

POLYGONS = shapely.MultiPolygon([shapely.Polygon(corners) for corners in PLANAR_DEMO.obstacles])


def links(q):
    """Return the arm's links by another formula than the library's: complex numbers."""
    elbow = 0.9 * np.exp(1j * np.asarray(q)[..., 0])
    end = elbow + 1.2 * np.exp(1j * (np.asarray(q)[..., 0] + np.asarray(q)[..., 1]))
    points = np.stack([np.zeros_like(elbow), elbow, end], axis=-1)
    return shapely.linestrings(np.stack([points.real, points.imag], axis=-1))


@pytest.fixture(scope="module")
def found_map():
    return PLANAR_DEMO.map()


@pytest.fixture(scope="module")
def plan():
    return search_paths(PLANAR_DEMO)


# -- the map -------------------------------------------------------------------------------------


def test_the_map_has_the_known_number_of_free_cells(found_map):
    assert found_map.blocked.shape == (501, 501)
    assert found_map.first[1] == pytest.approx(0.002 * TURN)
    assert (found_map.free_count, found_map.blocked_count) == (132_685, 118_316)


def test_blocked_cells_agree_with_shapely(found_map):
    grid = np.stack(np.meshgrid(found_map.first, found_map.second, indexing="ij"), axis=-1)
    shapely.prepare(POLYGONS)
    np.testing.assert_array_equal(found_map.blocked, shapely.intersects(POLYGONS, links(grid)))


def test_map_shows_which_goal_is_reachable(found_map):
    one, two = PLANAR_DEMO.goals
    assert found_map.connected(PLANAR_DEMO.start, one)
    assert not found_map.connected(PLANAR_DEMO.start, two)
    # The way leads across the borders of the map, which is a torus.
    assert found_map.connected(PLANAR_DEMO.start, PLANAR_DEMO.start - TURN * np.array([1, 2]))
    inner = replace(found_map, first=found_map.first[:-1], blocked=found_map.blocked[:-1])
    inner = replace(inner, second=inner.second[:-1], blocked=inner.blocked[:, :-1])
    assert not inner.connected(np.mod(PLANAR_DEMO.start, TURN), one)


def test_a_saved_map_is_used_again_until_it_shows_something_else(tmp_path, found_map):
    file = tmp_path / "map.npz"
    _, reused = saved_map(file, PLANAR_DEMO.map_key(), PLANAR_DEMO.map)
    assert not reused
    again, reused = saved_map(file, PLANAR_DEMO.map_key(), PLANAR_DEMO.map)
    assert reused
    np.testing.assert_array_equal(again.blocked, found_map.blocked)
    np.testing.assert_array_equal(again.first, found_map.first)
    assert again.names == found_map.names
    other = replace(PLANAR_DEMO, obstacles=PLANAR_DEMO.obstacles[:2])
    changed, reused = saved_map(file, other.map_key(), other.map)
    assert not reused
    assert changed.free_count > found_map.free_count


def test_file_without_a_map_is_rebuilt_or_rejected(tmp_path):
    file = tmp_path / "map.npz"
    for content in (b"", b"no zip", b"PK\x03\x04 broken"):
        file.write_bytes(content)
        with case(content), pytest.raises(PlanningError, match=r"map\.npz"):
            ConfigurationMap.load(file)
    _, reused = saved_map(file, PLANAR_DEMO.map_key(), PLANAR_DEMO.map)
    assert not reused


# -- maps of any robot ---------------------------------------------------------------------------


def test_the_map_of_a_robot_of_solids_is_that_of_the_segments():
    """The demo's arm with links as thin as a hair, for the checker that knows solids only."""
    arm, parent, x = RigidBodyTree("thin", "base_link"), "base_link", 0.0
    for name, length in (("1", 0.9), ("2", 1.2)):
        joint = Joint(f"joint_{name}", "continuous", (0, 0, 1))
        joint.set_fixed_transform(transform((x, 0, 0)))
        link = RigidBody(f"link_{name}", joint)
        thin = Box((length, 1e-5, 1e-5))
        link.collisions.append(Collision(thin, transform((0.5 * length, 0, 0))))
        parent, x = arm.add_body(link, parent).name, length
    scene = Scene(
        Obstacle.of(f"obstacle {number}", Prism(corners, -0.1, 0.1))
        for number, corners in enumerate(PLANAR_DEMO.obstacles)
    )
    checker = CollisionChecker(arm, scene)
    found = map_joints(checker, [0.0, 0.0], ("joint_1", "joint_2"), cells=(41, 41))
    grid = np.stack(np.meshgrid(found.first, found.second, indexing="ij"), axis=-1)
    arms = links(grid)
    clear = shapely.distance(POLYGONS, arms) > 1e-4
    assert not found.blocked[clear].any()
    deep = shapely.length(shapely.intersection(POLYGONS, arms)) > 1e-3
    assert found.blocked[deep].all()
    assert (clear | deep).mean() > 0.98
    assert clear.any()
    assert deep.any()


def test_maps_of_two_joints_differ_where_the_scene_does():
    """That their cells are the checker's is tested in test/figures/test_joint_map.py."""
    robot = load_robot("ur5")
    wall = Prism([(0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1)], -0.3, 0.3)
    keys = []
    for x in (0.5, 0.5, 0.6):
        scene = Scene([Obstacle.of("post", wall, transform((x, 0.0, 0.3)))])
        checker, q = CollisionChecker(robot, scene), robot.home_configuration()
        found = map_joints(
            checker, q, (robot.joint_names[0], robot.joint_names[2]), cells=(15, 11)
        )
        assert found.blocked.shape == (15, 11)
        keys.append(found.made_for)
    assert keys[0] == keys[1] != keys[2]


# -- start and goals -----------------------------------------------------------------------------


def test_both_goals_have_the_known_angles_and_clearances():
    one, two = PLANAR_DEMO.goals
    np.testing.assert_allclose(one, [0.2000111296, 1.9438561541], atol=1e-10)
    np.testing.assert_allclose(two, [2.5565521196, 4.3393291531], atol=1e-10)
    for goal, clearance in ((one, 0.02118), (two, 0.01999)):
        assert PLANAR_DEMO.clearance(goal) == pytest.approx(clearance, abs=1e-5)
        np.testing.assert_allclose(PLANAR_DEMO.points(goal)[-1], PLANAR_DEMO.goal, atol=1e-12)


def test_clearances_are_those_of_shapely():
    rng = np.random.default_rng(1)
    for q in rng.uniform(-10.0, 10.0, (500, 2)):
        wanted = shapely.distance(POLYGONS.boundary, links(q))
        assert PLANAR_DEMO.clearance(q) == pytest.approx(wanted, abs=1e-9)


def test_invalid_problem_is_rejected():
    for change, words in (
        ({"goal": (0.9, 0.8)}, "goal .* is in obstacle 1"),
        ({"base": (-0.5, -0.7)}, "base .* is in obstacle 2"),
        ({"goal": (2.0, 1.0)}, "reaches 0.3 to 2.1"),
        ({"goal": (0.1, 0.1)}, "reaches"),
        ({"goal": (np.nan, 0.1)}, "goal: two finite"),
        ({"lengths": (0.9, -1.2)}, "lengths"),
        ({"margin": -0.1}, "margin"),
        ({"obstacles": (((0, 1), (1, 1)),)}, "obstacle 1: .*3 corners"),
        ({"obstacles": (((0, 1), (1, 2), (0, 2), (1, 1)),)}, "obstacle 1: .*intersect"),
    ):
        with case(change), pytest.raises(PlanningError, match=words):
            replace(PLANAR_DEMO, **change)


def test_a_blocked_start_and_blocked_goals_are_named():
    blocked = replace(PLANAR_DEMO, start=(0.6, 0.0))
    for search in search_paths(blocked).searches:
        assert search.best.status is PlanStatus.START_BLOCKED
        assert "link 1 crosses obstacle 1" in search.best.message
        assert search.runs == 1
    wall = ((0.5, 0.0), (0.6, 0.0), (0.6, 0.2), (0.5, 0.2))
    one, _ = search_paths(replace(PLANAR_DEMO, obstacles=(wall,), start=(2.0, 0.0))).searches
    assert one.best.status is PlanStatus.GOAL_BLOCKED
    assert "link 1 crosses obstacle 1" in one.best.message


# -- paths ---------------------------------------------------------------------------------------


def test_goal_1_is_reached_and_goal_2_is_reported_as_disconnected(plan, found_map):
    one, two = plan.searches
    assert one.best.success
    assert one.successes == 10
    assert one.runs <= 20
    assert (two.successes, two.runs) == (0, 20)
    assert two.best.status is PlanStatus.LIMIT_REACHED
    assert plan.best is one
    lines = plan.report(found_map)
    assert "10 of" in lines[0]
    assert "no free cells connect it" in lines[1]


def test_start_and_goal_are_met_exactly_across_the_border(plan):
    path = plan.best.best.path
    np.testing.assert_array_equal(path[0], PLANAR_DEMO.start)
    turns = (path[-1] - plan.best.goal) / TURN
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-12)
    # The only way from the start to the goal crosses a border of the map.
    assert any(crosses for _, crosses in map_pieces(path))
    assert np.abs(np.diff(path, axis=0)).max() < np.pi


@pytest.mark.parametrize("seed", range(5))
def test_no_path_grazes_an_obstacle_by_shapely(seed):
    arm = PLANAR_DEMO
    result = search_paths(arm, replace(DEMO_SETTINGS, seed=100 * seed), most_runs=3).best.best
    dense = evenly(arm, result.path, 0.001)
    assert np.abs(np.diff(dense, axis=0)).max() <= 0.001 + 1e-12
    assert shapely.distance(POLYGONS, links(dense)).min() >= arm.margin
    steps = [arm.space.distance(a, b) for a, b in itertools.pairwise(result.path)]
    assert max(steps) <= (DEMO_SETTINGS.step or 0.0) + 1e-9


def test_equal_seeds_give_equal_paths_and_the_best_run_is_returned():
    def path(seed, runs):
        settings = replace(DEMO_SETTINGS, seed=seed)
        return search_paths(PLANAR_DEMO, settings, most_runs=runs).searches[0].best

    np.testing.assert_array_equal(path(3, 2).path, path(3, 2).path)
    assert not np.array_equal(path(3, 1).path, path(4, 1).path)
    assert path(3, 4).length == min(path(seed, 1).length for seed in (3, 4, 5, 6))


def test_the_tree_lies_on_the_map_and_keeps_its_spacing(plan):
    search = plan.best
    nodes, parents = search.best.trees[0]
    space = PLANAR_DEMO.space
    gaps = [space.distance(a, b) for a, b in itertools.combinations(nodes, 2)]
    assert min(gaps) >= DEMO_SETTINGS.spacing - 1e-9
    assert (parents[1:] < np.arange(1, len(parents))).all()
    pieces = tree_pieces(search)
    assert len(pieces) >= len(nodes) - 1
    for piece in pieces:
        middle = piece.mean(axis=0)
        assert (middle > -1.0).all()
        assert (middle < TURN + 1.0).all()


def test_path_without_obstacles_can_be_any_path():
    free = replace(PLANAR_DEMO, obstacles=())
    plan = search_paths(free, most_runs=2)
    assert all(search.best.success for search in plan.searches)


# -- the program ---------------------------------------------------------------------------------


def test_the_program_writes_everything_and_uses_its_map_again(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "demo")]) == 0
    written = {path.name for path in (tmp_path / "demo").iterdir()}
    pictures = {"workspace.png", "map.png", "path.png", "tree.gif", "arm.gif"}
    assert written == {"map.npz", "path.csv", *pictures}
    for name in pictures:
        assert (tmp_path / "demo" / name).stat().st_size > 5000
    path = np.loadtxt(tmp_path / "demo" / "path.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(path[0], PLANAR_DEMO.start)
    assert "made and saved" in capsys.readouterr().out
    assert saved_map(tmp_path / "demo" / "map.npz", PLANAR_DEMO.map_key(), pytest.fail)[1]
