"""Reachability maps against closed forms, Pinocchio and exhaustive searches; bad input."""

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
import zarr
from batch.cases import LENGTHS, planar_arm

from harness.cases import case
from harness.truth import difference, example_truth
from rigid_tree_batch import (
    BatchError,
    ReachabilityJob,
    ReachMap,
    base_placement,
    orientations,
    reachability_map,
)
from rigid_tree_batch.job import random_of
from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import read_table
from rigid_tree_kinematics.errors import RigidTreeError, UnknownNameError
from rigid_tree_kinematics.model.transforms import axis_angle_matrix, quaternion_matrix, transform

COARSE = {"resolution": 0.1, "directions": 12, "restarts": 2, "progress": False}


@pytest.fixture(scope="module")
def panda_map(tmp_path_factory):
    return reachability_map("panda", tmp_path_factory.mktemp("map") / "panda.zarr", **COARSE)


@pytest.fixture(scope="module")
def panda():
    return example_truth("panda_description/urdf/panda.urdf")


def test_orientations_are_evenly_spread_rotations():
    for axis in "xyz":
        R = orientations(50, 3, axis)
        np.testing.assert_allclose(
            R @ R.transpose(0, 2, 1), np.tile(np.eye(3), (150, 1, 1)), atol=1e-12
        )
        np.testing.assert_allclose(np.linalg.det(R), 1.0)
        axes = R[:, :, "xyz".index(axis)]
        np.testing.assert_allclose(axes[::3], axes[1::3], atol=1e-12)
        angles = np.arccos(np.clip(axes[::3] @ axes[::3].T, -1.0, 1.0)) + 9.0 * np.eye(50)
        # 50 equal caps have a radius of 0.28 rad.
        assert angles.min(axis=1).min() > 0.35
        assert angles.min(axis=1).max() < 0.65
        turn = R[0].T @ R[1]
        np.testing.assert_allclose(pin.log3(turn)["xyz".index(axis)], 2.0 * np.pi / 3.0)


def test_a_planar_arm_reaches_its_annulus_in_all_orientations(tmp_path):
    found = reachability_map(
        planar_arm(), tmp_path / "arm.zarr", resolution=0.05, directions=10, rolls=2,
        collisions=False, progress=False,
    )  # fmt: skip
    x, y, z = np.meshgrid(*found.axes, indexing="ij")
    radius, outer, inner = np.hypot(x, y), sum(LENGTHS), LENGTHS[0] - LENGTHS[1]
    clear = (np.abs(radius - outer) > 0.005) & (np.abs(radius - inner) > 0.005)
    inside = (inner < radius) & (radius < outer) & (np.abs(z) < 1e-9)
    assert inside[clear].sum() > 500
    np.testing.assert_array_equal(found.index[clear], 100.0 * inside[clear])
    assert found.reached[inside & clear].all()


SCARA = """
robot: scara
base: base_link
chains:
  arm:
    parent: base_link
    base_transform: TransZ(0.4)
    joints:
      - {joint: shoulder, body: upper_arm, limits: [deg(-105), deg(105)]}
      - {joint: elbow, body: forearm, a: 0.325, limits: [deg(-150), deg(150)]}
      - {joint: quill, body: spindle, type: prismatic, a: 0.275, alpha: pi, limits: [0, 0.2]}
      - {joint: roll, body: flange, type: continuous}
    ends: {tool: identity}
"""


def test_arms_without_a_choice_of_orientation_get_position_only_maps(tmp_path):
    settings = {"resolution": 0.05, "directions": 12, "collisions": False, "progress": False}
    with pytest.warns(UserWarning, match="4 joints cannot choose the orientation"):
        found = reachability_map(
            read_table(SCARA), tmp_path / "scara.zarr", body="tool", **settings
        )
    x, y, z = np.meshgrid(*found.axes, indexing="ij")
    radius, angle = np.hypot(x, y), np.abs(np.arctan2(y, x))
    height = (z > 0.2 + 1e-3) & (z < 0.4 - 1e-3)
    ring = height & (radius > 0.2) & (radius < 0.59) & (angle < 1.0)
    assert ring.sum() > 100
    assert (found.index[ring] == 100.0).all()
    outside = (radius > 0.601) | (z < 0.2 - 1e-3) | (z > 0.4 + 1e-3)
    assert not found.index[outside].any()
    turned = transform((0.4, 0.0, 0.3), axis_angle_matrix((1.0, 0.0, 0.0), 1.0))
    assert found.reaches(turned[None]).all()  # any orientation


@pytest.mark.parametrize("height", [0.0, 0.13])
@pytest.mark.parametrize("joints", [1, 2, 7])
def test_planar_arms_reach_the_voxels_of_their_plane(tmp_path, joints, height):
    """Also if the plane is between the voxels' centers."""
    tree, parent = RigidBodyTree("planar", "base"), "base"
    for number in range(joints + 1):
        joint = Joint(f"joint {number}", "continuous" if number < joints else "fixed", (0, 0, 1))
        joint.set_fixed_transform(transform((0.2, 0, 0) if number else (0, 0, height)))
        parent = tree.add_body(RigidBody(f"body {number}", joint), parent).name
    settings = {"resolution": 0.1, "directions": 12, "collisions": False, "progress": False}
    with pytest.warns(UserWarning, match="position-only"):
        found = reachability_map(tree, tmp_path / "arm.zarr", **settings)
    points, _ = found.centers()
    assert len(points) >= 6 * joints
    assert (np.abs(points[:, 2] - height) <= 0.05 + 1e-9).all()
    assert (np.hypot(*points[:, :2].T) <= 0.2 * joints + 0.05 + 1e-9).all()
    assert len(repr(found)) < 200


def test_solutions_are_those_that_pinocchio_finds_at_the_poses(panda):
    job = ReachabilityJob(robot=panda.urdf, body="panda_link8", collisions=False)
    work = job.prepare()
    center = np.array([[0.4, 0.2, 0.4], [0.1, -0.5, 0.6]])
    poses = work.poses(center)
    found, q = work.solve(poses, np.tile(work.cell.compiled.home, (100, 1)), random_of(job, 0))
    assert found.sum() > 60
    for T, solution in zip(poses[found], q[found], strict=True):
        panda.assert_within_limits(solution)
        reached = panda.pose(solution, "panda_link8")
        np.testing.assert_allclose(reached[:3, 3], T[:3, 3], atol=1e-5)
        np.testing.assert_allclose(reached[:3, 2], T[:3, 2], atol=1e-5)
    rows = work.manipulability(q[found])
    frame = panda.model.getFrameId("panda_link8")
    for solution, measure in zip(q[found][:20], rows, strict=False):
        J = pin.computeFrameJacobian(
            panda.model, panda.data, panda.positions(solution), frame, pin.LOCAL_WORLD_ALIGNED
        )
        np.testing.assert_allclose(measure, np.sqrt(np.linalg.det(J @ J.T)), rtol=1e-6)


def test_rolls_ask_for_the_whole_pose(panda):
    job = ReachabilityJob(robot=panda.urdf, body="panda_link8", rolls=3, collisions=False)
    work = job.prepare()
    poses = work.poses(np.array([[0.4, 0.2, 0.4]]))
    assert len(poses) == 150
    found, q = work.solve(poses, np.tile(work.cell.compiled.home, (150, 1)), random_of(job, 0))
    assert found.any()
    for T, solution in zip(poses[found], q[found], strict=True):
        assert max(difference(panda.pose(solution, "panda_link8"), T)) < 1e-5


def test_the_index_is_that_of_an_exhaustive_search(panda_map):
    rng = np.random.default_rng(2)
    job = ReachabilityJob(robot="panda", directions=12)
    tree = job.prepare().cell.tree
    checker = CollisionChecker(tree)
    ik = InverseKinematics(tree, panda_map.body, weights=(1, 1, 0, 1, 1, 1), timeout=1.0)
    voxels = rng.permutation(np.argwhere(panda_map.index > 0.0))[:20]
    wrong = []
    for voxel in voxels:
        center = [axis[k] for axis, k in zip(panda_map.axes, voxel, strict=True)]
        for R, reached in zip(panda_map.rotations, panda_map.reached[tuple(voxel)], strict=True):
            starts = rng.integers(2**31, size=8)
            tries = (ik.solve(transform(center, R), random_seed=int(s), max_restarts=20,
                              seed=tree.random_configuration(rng)) for s in starts)  # fmt: skip
            free = any(t.success and checker.is_free(t.configuration) for t in tries)
            wrong.append(free != reached)
    assert np.mean(wrong) < 0.06


def test_every_zarr_library_reads_a_map(panda_map, tmp_path):
    folder = tmp_path / "a.zarr"
    reachability_map("panda", folder, **COARSE)
    group: Any = zarr.open_group(str(folder), mode="r")
    assert set(group) == {"x", "y", "z", "rotations", "index", "manipulability", "reached"}
    reached = group["reached"][...]
    assert reached.dtype == bool
    assert reached.shape == (*(len(group[name][...]) for name in "xyz"), 12)
    np.testing.assert_allclose(group["index"][...], 100.0 * reached.mean(axis=3), rtol=1e-6)
    assert ((group["manipulability"][...] > 0.0) == reached.any(axis=3)).mean() > 0.999
    assert dict(group.attrs)["job"]["resolution"] == 0.1
    np.testing.assert_array_equal(panda_map.reached, reached)
    centers, values = panda_map.centers()
    assert len(centers) == (reached.any(axis=3)).sum()
    assert values.min() > 0.0


def test_obstacles_reduce_the_reachability(panda_map, tmp_path):
    scene = tmp_path / "wall.yaml"
    scene.write_text(
        "obstacles:\n  wall:\n    shapes:\n      - {box: [0.1, 2.0, 2.0]}\n"
        "    at: Translation(0.5, 0, 0)\n"
    )
    walled = reachability_map("panda", tmp_path / "walled.zarr", scene=scene, **COARSE)
    x, y, _ = np.meshgrid(*panda_map.axes, indexing="ij")
    behind, before = (x > 0.45) & (np.abs(y) < 0.9), x < -0.3
    assert walled.reached[behind].sum() < 0.2 * panda_map.reached[behind].sum()
    assert walled.reached[before].sum() > 0.9 * panda_map.reached[before].sum()


def test_a_map_answers_for_poses(panda_map):
    tree = ReachabilityJob(robot="panda").prepare().cell.tree
    checker = CollisionChecker(tree)
    draws = np.array([tree.random_configuration(k) for k in range(400)])
    draws = draws[checker.is_free_batch(draws)]
    poses = np.array([tree.get_transform(q, panda_map.body) for q in draws])
    assert panda_map.reaches(poses).mean() > 0.75  # 0.1 m and 12 directions are coarse
    poses[:, 2, 3] += 3.0
    assert not panda_map.reaches(poses).any()


def test_placements_reach_the_tasks(panda_map):
    tree = ReachabilityJob(robot="panda").prepare().cell.tree
    rng = np.random.default_rng(4)
    base = transform((3.0, -2.0, 0.1), axis_angle_matrix((0.0, 0.0, 1.0), np.pi / 4.0))
    down = np.diag([1.0, -1.0, -1.0])
    spots = np.column_stack(
        [rng.uniform(0.3, 0.6, 12), rng.uniform(-0.3, 0.3, 12), np.full(12, 0.3)]
    )
    tasks = np.array([base @ transform(spot, down) for spot in spots])
    found = base_placement(panda_map, tasks, heights=(0.0, 0.1), most=5)
    assert len(found.poses) == 5
    assert (np.diff(found.reached) <= 0).all()
    assert found.reached[0] == 12
    ik = InverseKinematics(tree, panda_map.body, weights=(1, 1, 0, 1, 1, 1))
    for T in found.poses[:3]:
        assert ik.solve_batch(np.linalg.inv(T) @ tasks).success.sum() >= 11
    far = base_placement(panda_map, [tasks[0], transform((30.0, 0.0, 0.3))])
    assert far.reached[0] == 1


def test_placements_are_those_of_a_map_without_symmetry(panda_map):
    x, y, _ = np.meshgrid(*panda_map.axes, indexing="ij")
    front = (x > 0.2) & (y > 0.0)
    cut = replace(panda_map, reached=panda_map.reached & front[..., None])
    rng = np.random.default_rng(7)
    turns = [quaternion_matrix(rng.normal(size=4)) for _ in range(15)]
    tasks = np.array([transform(rng.uniform((0, 0, 0.1), (0.5, 0.5, 0.6)), R) for R in turns])
    found = base_placement(cut, tasks, heights=(0.0, 0.2), yaws=np.int64(12), most=np.uint8(40))
    assert found.reached[0] >= 5
    counts = [cut.reaches(np.linalg.inv(T) @ tasks).sum() for T in found.poses]
    # A point on the border of two voxels may be in either.
    assert np.mean(counts != found.reached) < 0.1


def test_bad_settings_are_rejected_before_the_first_chunk(tmp_path):
    for settings, words in (
        ({"resolution": 0.0}, "resolution"),
        ({"resolution": float("nan")}, "resolution"),
        ({"resolution": 1e-5}, "voxels"),
        ({"directions": 0}, "directions"),
        ({"directions": 10**6}, "directions"),
        ({"rolls": -1}, "rolls"),
        ({"axis": "w"}, "axis"),
        ({"box": ((0.0, 1.0), (0.0, 1.0))}, "box"),
        ({"box": ((1.0, 0.0), (0.0, 1.0), (0.0, 1.0))}, "box"),
        ({"box": ((0.01, 0.02), (0.0, 1.0), (0.0, 1.0))}, "no voxel"),
        ({"scene": "no such scene"}, "no such scene"),
        ({"scene": "panda_pillars", "collisions": False}, "scene"),
        ({"seed": -1}, "seed"),
        ({"seed": 1.5}, "seed"),
        ({"directions": 2.5}, "directions"),
        ({"workers": 1.5}, "workers"),
        ({"body": "nobody"}, "nobody"),
        ({"workers": 0}, "workers"),
    ):
        with case(settings), pytest.raises(RigidTreeError, match=words):
            reachability_map("panda", tmp_path / "map.zarr", progress=False, **settings)
        assert not (tmp_path / "map.zarr").exists(), settings


def test_robots_and_maps_that_are_none(panda_map, tmp_path):
    with pytest.raises(UnknownNameError, match="pandora"):
        reachability_map("pandora", tmp_path / "map.zarr")
    with pytest.raises(BatchError, match="leaf bodies"):
        reachability_map("nao", tmp_path / "map.zarr")
    with pytest.raises(BatchError, match="not a reachability map"):
        ReachMap.open(tmp_path / "nothing")
    for tasks in ([], np.zeros((2, 4, 4)), "tasks", 7):
        with pytest.raises(BatchError, match="task"):
            base_placement(panda_map, tasks)
    with pytest.raises(BatchError, match="step"):
        base_placement(panda_map, [np.eye(4)], step=0.0)
    for name, value in (("yaws", 2.5), ("yaws", 0), ("most", 2.5), ("heights", 0.5)):
        with case(name), pytest.raises(BatchError, match=name.removesuffix("s")):
            base_placement(panda_map, [np.eye(4)], **{name: value})
