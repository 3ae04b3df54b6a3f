"""IK data, motion data and batches of plans, read with pyarrow and checked by Pinocchio."""

import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from batch.cases import content
from pyarrow import dataset

from harness.cases import case
from harness.processes import run
from harness.truth import Truth
from rigid_tree_batch import BatchError, ik_data, motion_data, plan_batch
from rigid_tree_kinematics import InverseKinematics, load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description import read_urdf, write_urdf
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Joint, Mimic, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

COMMAND = (sys.executable, "-m", "rigid_tree_batch", "ik")


def rows_of(folder):
    """Return the columns as arrays, in the order of the rows' numbers."""
    table = dataset.dataset(folder).to_table().to_pylist()
    return sorted(table, key=lambda row: tuple(list(row.values())[:2]))


def test_ik_data_has_all_branches(tmp_path):
    truth = Truth(load_robot("ur5"))
    folder = ik_data("ur5", tmp_path / "ik", np.uint8(30), seed=np.int64(0), progress=False)
    rows = rows_of(folder)
    checker = CollisionChecker(truth.tree)
    assert {row["pose"] for row in rows} == set(range(30))
    for row in rows:
        T = truth.pose(np.array(row["configuration"]), truth.tree.body_names[-1])
        np.testing.assert_allclose(T[:3, 3], row["position"], atol=1e-5)
        np.testing.assert_allclose(T[:3, :3], quaternion_matrix(row["quaternion"]), atol=1e-5)
        assert checker.is_free(row["configuration"])
    counts = Counter(row["pose"] for row in rows)
    assert all(counts[row["pose"]] == row["branches"] for row in rows)
    assert np.mean(list(counts.values())) > 2.0
    ik = InverseKinematics(truth.tree, truth.tree.body_names[-1])
    for pose in range(5):
        mine = [np.array(row["configuration"]) for row in rows if row["pose"] == pose]
        T = truth.pose(mine[0], truth.tree.body_names[-1])
        others = [found.configuration for found in ik.solve_all(T)]
        others = [q for q in others if checker.is_free(q)]
        assert len(others) == len(mine)
        assert all(min(np.abs(q - one).max() for one in mine) < 1e-3 for q in others)


def test_motions_are_free_and_within_limits(tmp_path):
    tree = load_robot("panda")
    checker = CollisionChecker(tree, load_scene("panda_pillars"))
    folder = motion_data("panda", tmp_path / "motions", 25, scene="panda_pillars", progress=False)
    rows = rows_of(folder)
    assert [row["motion"] for row in rows] == list(range(25))
    solved = [row for row in rows if row["status"] == "solved"]
    assert len(solved) >= 24
    velocity = tree.compiled().velocity_limit
    for row in solved:
        path, positions = np.array(row["path"]), np.array(row["positions"])
        np.testing.assert_array_equal(path[[0, -1]], [row["start"], row["goal"]])
        assert all(checker.motion_free(a, b) for a, b in pairwise(path))
        assert checker.is_free_batch(positions).all()
        assert (np.abs(row["velocities"]) <= velocity + 1e-6).all()
        assert row["duration"] == row["times"][-1] > 0.0
        lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
        np.testing.assert_allclose(row["length"], lengths.sum(), rtol=1e-9)
        np.testing.assert_allclose(positions[[0, -1]], path[[0, -1]], atol=1e-9)
    starts = np.array([row["start"] for row in rows])
    assert len(np.unique(starts, axis=0)) == 25


def test_the_number_of_workers_does_not_matter(tmp_path):
    for name, call, count in (("ik", ik_data, 450), ("motions", motion_data, 70)):
        one, three = (
            call("panda", tmp_path / f"{name}{n}", count, workers=n, progress=False)
            for n in (1, 3)
        )
        assert content(one) == content(three)
        other = call("panda", tmp_path / f"{name} other", 5, seed=1, progress=False)
        assert rows_of(other)[0] != rows_of(one)[0]


def test_results_keep_the_order_and_the_home_of_a_tree(tmp_path):
    """URDF keeps neither: it lists all bodies of the left arm before those of the right arm."""
    tree = RigidBodyTree("two arms")
    for name, parent in (
        ("left upper", "base"),
        ("right upper", "base"),
        ("finger", "left upper"),
        ("left lower", "left upper"),
        ("right lower", "right upper"),
    ):
        joint = Joint(f"{name} joint", "revolute", limits=(0.1, 1.0))
        joint.set_transforms(transform((0.0, 0.2, 0.3)), transform((0.1, 0.0, 0.0)))
        joint.home_position = len(name) / 20.0
        tree.add_body(RigidBody(name, joint), parent)
    tree.get_joint("finger joint").mimic = Mimic("left lower joint", 0.5, 0.1)
    home, written = tree.home_configuration(), read_urdf(write_urdf(tree))
    assert written.joint_names != tree.joint_names
    assert written.home_configuration().tolist() != home.tolist()
    folder = motion_data(tree, tmp_path / "m", 5, joints=[tree.joint_names[1]], progress=False)
    for row in rows_of(folder):
        assert row["status"] == "solved"
        positions = np.array(row["positions"])
        assert (positions[:, [0, 2, 3]] == home[[0, 2, 3]]).all()
        assert np.ptp(positions[:, 1]) > 0.0


def test_only_chosen_joints_move(tmp_path):
    home = load_robot("panda").home_configuration()
    folder = motion_data(
        "panda", tmp_path / "m", 3, joints=["panda_joint1", "panda_joint4"], progress=False
    )
    for row in rows_of(folder):
        moved = np.abs(np.array(row["path"]) - home).max(axis=0) > 1e-9
        assert set(np.flatnonzero(moved)) <= {0, 3}


def test_many_plans_are_those_of_one_by_one():
    tree = load_robot("panda")
    planner = MotionPlanner(tree)
    draws = np.array([tree.random_configuration(k) for k in range(60)])
    draws = draws[planner.checker.is_free_batch(draws)]
    starts, goals = draws[:15], draws[15:30]
    found = plan_batch(planner, starts, goals, PlanSettings(seed=5, time_limit=60.0))
    for k, result in enumerate(found):
        alone = planner.plan(starts[k], goals[k], PlanSettings(seed=5 + k, time_limit=60.0))
        assert result.success
        np.testing.assert_array_equal(result.path, alone.path)
    with pytest.raises(BatchError, match="as many goals"):
        plan_batch(planner, starts, goals[:-1])
    with pytest.raises(BatchError, match="threads"):
        plan_batch(planner, starts, goals, threads=1.5)


def test_bad_settings_are_rejected_before_the_first_chunk(tmp_path):
    for call, settings, words in (
        (ik_data, {"count": 0}, "count"),
        (ik_data, {"count": 1.5}, "count"),
        (ik_data, {"count": 5, "most": 0}, "most"),
        (ik_data, {"count": 5, "seed": 1.5}, "seed"),
        (ik_data, {"count": 5, "body": "nobody"}, "nobody"),
        (motion_data, {"count": 5, "joints": ("elbow",)}, "elbow"),
        (motion_data, {"count": 5, "maximum_nodes": 0}, "maximum_"),
        (motion_data, {"count": 5, "spacing": -1.0}, "resample_step"),
        (motion_data, {"count": 5, "collisions": False}, "collision"),
    ):
        with case(settings), pytest.raises(RigidTreeError, match=words):
            call("panda", tmp_path / "rows", progress=False, **settings)
        assert not (tmp_path / "rows").exists(), settings


def test_the_command_on_local_processes_writes_the_same(tmp_path):
    folder = ik_data("ur5", tmp_path / "threads", 450, progress=False)
    words = [*COMMAND, "--robot=ur5", "--count=450", "--workers=2", "--scheduler=local"]
    done = run(*words, "--out", tmp_path / "p")
    assert done.returncode == 0, done.stderr
    assert content(tmp_path / "p") == content(folder)
    done = run(*words, "--out", "/proc/p")
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write to '/proc/p'")
