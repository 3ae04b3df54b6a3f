"""A downsampled cloud contains the cloud tightly."""

import itertools

import numpy as np
import pytest
from scipy.spatial import cKDTree

from harness.cases import case
from rigid_tree_kinematics.collision import limited_cloud, voxel_cloud
from rigid_tree_kinematics.errors import CollisionError


def test_every_point_is_in_a_ball():
    for seed, voxel in itertools.product(range(4), (0.01, 0.05, 3.0)):
        rng = np.random.default_rng(seed)
        points = rng.normal(scale=rng.choice([0.05, 1.0, 30.0]), size=(3000, 3))
        radius = float(rng.choice([0.0, 0.004]))
        cloud = voxel_cloud(points, voxel, radius)
        gaps, _ = cKDTree(cloud.points).query(points)
        assert (gaps <= cloud.radius - radius).all()
        assert cloud.radius <= radius + 0.5 * np.sqrt(3.0) * voxel * 1.000001
        # One for each voxel that holds a point.
        assert len(cloud.points) == len(np.unique(np.floor(points / voxel), axis=0))


@pytest.mark.parametrize("spread", [0.001, 1.0, 3e4])
def test_a_large_cloud_becomes_few_balls_that_contain_it(spread):
    rng = np.random.default_rng(5)
    points = rng.uniform(-spread, spread, (120_000, 3)).astype(np.float32)
    cloud = limited_cloud(points, 0.004)
    assert len(cloud.points) <= 50_000
    gaps, _ = cKDTree(cloud.points).query(points)
    assert (gaps <= cloud.radius - 0.004).all()
    few = limited_cloud(points[:50_000], 0.004)
    np.testing.assert_array_equal(few.points, points[:50_000])
    assert few.radius == 0.004


def test_a_cloud_beyond_the_limits_is_rejected_before_it_is_copied():
    endless = np.broadcast_to(np.zeros(3, dtype=np.float32), (10**12, 3))
    with pytest.raises(CollisionError, match="at most 5000000 points"):
        limited_cloud(endless, 0.01)
    for wrong in (np.nan, np.inf, 2e6):
        with pytest.raises(CollisionError, match=r"finite|within"):
            limited_cloud(np.full((60_000, 3), wrong), 0.01)
    with pytest.raises(CollisionError, match="radius"):
        limited_cloud(np.zeros((60_000, 3)), -1.0)


def test_unseen_points_are_excluded():
    points = np.array([[np.nan, 0, 0], [1.0, 2.0, 3.0], [np.inf, 0, 0]], dtype=np.float32)
    cloud = voxel_cloud(points, 0.1, 0.01)
    np.testing.assert_allclose(cloud.points, [[1.0, 2.0, 3.0]])
    assert cloud.radius == pytest.approx(0.01)


def test_points_on_the_edges_of_voxels_stay_apart_from_others():
    grid = np.stack(np.meshgrid(*3 * [np.arange(-3, 4)]), axis=-1).reshape(-1, 3) * 0.5
    assert len(voxel_cloud(grid, 0.5, 0.01).points) == len(grid)
    assert len(voxel_cloud(np.repeat(grid, 5, axis=0), 0.5, 0.01).points) == len(grid)


def test_invalid_clouds_are_rejected():
    for arguments, message in (
        (([[1.0, 2.0]], 0.1), r"\(n, 3\)"),
        (([[1.0, 2.0, 3.0]], 0.0), "voxel must be positive"),
        (([[1.0, 2.0, 3.0]], 0.1, -1.0), "not negative"),
        (([[np.nan, 2.0, 3.0]], 0.1), "at least one finite"),
        ((np.zeros((0, 3)), 0.1), "at least one finite"),
        (([[1e9, 2.0, 3.0]], 0.1), "voxels of 0.1 m away"),
        (([[-1e300, 2.0, 3.0]], 0.1), "voxels of 0.1 m away"),
    ):
        with case(arguments), pytest.raises(CollisionError, match=message):
            voxel_cloud(*arguments)
