"""Timing of paths: limits at every instant, the path, and the duration.

A trajectory's points are joined by quintics here (SciPy's), as ros2_control's
joint_trajectory_controller joins them; how long a motion has to take is asked of toppra.
"""

import numpy as np
import pytest
import ruckig
from scipy.interpolate import BPoly
from scipy.spatial.transform import Rotation

from benchmarks.library.timing import rounded_path, toppra_curve
from harness.arm.motions import ten_seconds
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model.joints.joint_types import INTERVAL, QUATERNION, QUATERNION_REST
from rigid_tree_kinematics.planning import Space
from rigid_tree_kinematics.planning.path.shaping import Corners
from rigid_tree_kinematics.planning.timing.timing import (
    JerkLimit,
    fastest_motion,
    sampled,
    time_path,
)

SPACING = 0.02


def timed(points, radii, limits, jerk=None):
    motion = fastest_motion(points, radii, limits, jerk)
    return sampled(motion, limits, SPACING, points[[0, -1]], jerk)


def joined(times, *rows):
    """Return the quintics between points, and times 25 to each of them."""
    dense = times[:-1, None] + np.diff(times)[:, None] * np.linspace(0.0, 1.0, 25)
    return BPoly.from_derivatives(times, np.stack(rows, axis=1)), dense.ravel()


def random_path(rng, count, joints):
    """Return corners, large and tiny steps beside each other, and radii of their roundings."""
    sizes = rng.choice([1e-3, 0.1, 1.0], size=(count, 1))
    points = np.cumsum(rng.normal(size=(count, joints)) * sizes, axis=0)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    radii = np.zeros(count)
    most = np.minimum(0.5, 0.45 * np.minimum(lengths[:-1], lengths[1:]))
    radii[1:-1] = most * rng.choice([1.0, 0.3], size=count - 2)
    return points, radii


def random_limits(rng, joints):
    """Return limits that differ by direction and, by orders of magnitude, by joint."""
    sizes = 10.0 ** rng.uniform(-1.5, 1.0, size=(2, 1, joints))
    both = sizes * rng.uniform(0.3, 1.0, size=(2, 2, joints))
    both[:, 0] *= -1.0
    return both.reshape(4, joints)


@pytest.mark.parametrize("joints", [1, 2, 3, 7, 26])
@pytest.mark.parametrize("count", [2, 3, 5, 20])
def test_limits_and_path_are_kept_at_every_instant(joints, count):
    for seed in range(2 if count * joints < 100 else 1):
        rng = np.random.default_rng([seed, joints, count])
        points, radii = random_path(rng, count, joints)
        limits = random_limits(rng, joints)
        if seed:
            limits[:2] = [[-np.inf], [np.inf]]
        times, *rows = timed(points, radii, limits)
        assert (np.diff(times) > 0.0).all()
        assert np.diff(times).max() < 1.01 * SPACING
        curve, dense = joined(times, *rows)
        v, a = curve(dense, 1), curve(dense, 2)
        assert (v / limits[0]).max() <= 1.0
        assert (v / limits[1]).max() <= 1.0
        assert (a / limits[2]).max() <= 1.0
        assert (a / limits[3]).max() <= 1.0
        # From rest to rest, and exactly from the first corner to the last.
        assert (rows[0][[0, -1]] == points[[0, -1]]).all()
        assert not np.array(rows[1:])[:, [0, -1]].any()
        # The way is that of the roundings, which is cut nowhere.
        distance = rounded_path(points, radii)
        spots = distance(np.linspace(0.0, distance.x[-1], 2000))
        gap = distance.x[-1] / 2000
        for q in curve(dense[:: max(1, len(dense) // 60)]):
            assert np.linalg.norm(spots - q, axis=1).min() < 0.51 * gap + 1e-5


def test_a_motion_takes_as_long_as_toppras():
    pytest.importorskip("toppra")
    for seed in range(8):
        rng = np.random.default_rng(seed)
        joints = (1, 2, 7, 26)[seed % 4]
        points, radii = random_path(rng, 2 + seed, joints)
        limits = random_limits(rng, joints)
        best = toppra_curve(points, radii, limits, step=0.01, fewest=200).duration
        assert 0.985 * best < timed(points, radii, limits)[0][-1] < 1.015 * best + 1e-3


@pytest.mark.parametrize("distance", [3.0, 0.3, 1e-3, 1e-7])
def test_straight_motion_has_the_textbook_duration(distance):
    # Speed up with 2, go on with 0.5, slow down with 4.
    limits = np.array([[-0.1], [0.5], [-4.0], [2.0]])
    peak = min(0.5, np.sqrt(2.0 * distance / (1.0 / 2.0 + 1.0 / 4.0)))
    rise = 0.5 * peak**2 * (1.0 / 2.0 + 1.0 / 4.0)
    least = peak / 2.0 + peak / 4.0 + (distance - rise) / peak
    duration = timed(np.array([[0.0], [distance]]), np.zeros(2), limits)[0][-1]
    assert least < duration < 1.0101 * least + 1e-3


def test_a_turn_on_the_spot_is_rounded_too():
    """There and back on the same line: the parabola's derivative is zero in its middle."""
    points = np.array([[0.0, 0.0], [1.0, 0.5], [0.0, 0.0]])
    limits = np.repeat([[-1.0], [1.0], [-2.0], [2.0]], 2, axis=1)
    times, *rows = timed(points, np.array([0.0, 0.3, 0.0]), limits)
    curve, dense = joined(times, *rows)
    assert np.abs(curve(dense, 2)).max() <= 2.0
    assert curve(dense)[:, 0].max() == pytest.approx(1.0 - 0.15 * 2.0 / np.sqrt(5.0), abs=1e-4)


# -- whole paths ---------------------------------------------------------------------------------


def plain_space(joints):
    return Space.of_kinds([INTERVAL] * joints, [-np.inf] * joints, [np.inf] * joints)


@pytest.mark.parametrize("share", [1.0, 0.25, 0.0])
@pytest.mark.parametrize("count", [2, 3, 8])
def test_jerks_are_limited_at_every_instant(count, share):
    """A smaller share of the window leaves the path less: by a quarter for half the window."""
    for seed in range(3):
        rng = np.random.default_rng([seed, count])
        points, radii = random_path(rng, count, 4)
        limits = random_limits(rng, 4)
        jerk = limits[3] * 10.0 ** rng.uniform(0.0, 2.0)
        times, *rows = timed(points, radii, limits, JerkLimit(jerk, share))
        curve, dense = joined(times, *rows)
        v, a = curve(dense, 1), curve(dense, 2)
        assert max((v / limits[0]).max(), (v / limits[1]).max()) <= 1.0
        assert max((a / limits[2]).max(), (a / limits[3]).max()) <= 1.0
        middles = 0.5 * (times[1:] + times[:-1])
        assert (np.abs(curve(middles, 3)) / jerk).max() <= 1.02
        assert (rows[0][[0, -1]] == points[[0, -1]]).all()
        assert not np.array(rows[1:])[:, [0, -1]].any()


@pytest.mark.parametrize("size", [1e-6, 1.8e-4])
def test_tiny_motions_keep_their_jerk_limits(size):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        points = size * rng.normal(size=(2 + seed % 2, 2))
        limits = random_limits(rng, 2)
        jerk = JerkLimit(0.1 * limits[3], rng.choice([1.0, 0.25, 0.125]))
        times, *rows = timed(
            points,
            np.zeros(2) if len(points) == 2 else np.array([0, 1e-3 * size, 0]),
            limits,
            jerk,
        )
        curve, _ = joined(times, *rows)
        middles = 0.5 * (times[1:] + times[:-1])
        assert (np.abs(curve(middles, 3)) / jerk.limits).max() <= 1.05
        assert (rows[0][[0, -1]] == points[[0, -1]]).all()


@pytest.mark.parametrize("ratio", [50.0, 20.0, 5.0])
def test_a_straight_motion_takes_as_long_as_ruckig_s(ratio):
    """Ruckig's motions are the fastest ones within limits of jerk."""
    ratios = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        ends = rng.uniform(-3.0, 3.0, size=(2, 5)) * 10.0 ** rng.uniform(-1.0, 0.0)
        velocity, acceleration = rng.uniform(0.5, 3.0, size=5), rng.uniform(1.0, 10.0, size=5)
        wanted = ruckig.InputParameter(5)
        wanted.current_position, wanted.target_position = ends.tolist()
        wanted.max_velocity, wanted.max_acceleration = velocity.tolist(), acceleration.tolist()
        wanted.max_jerk = (ratio * acceleration).tolist()
        wanted.synchronization = ruckig.Synchronization.Phase
        fastest = ruckig.Trajectory(5)
        assert ruckig.Ruckig(5).calculate(wanted, fastest) == ruckig.Result.Working
        limits = np.array([-velocity, velocity, -acceleration, acceleration])
        times, *_ = timed(ends, np.zeros(2), limits, JerkLimit(ratio * acceleration))
        ratios.append(times[-1] / fastest.duration)
    assert min(ratios) > 0.999
    assert np.median(ratios) < 1.01
    assert max(ratios) < 1.25


def trajectory(path, velocity=1.0, acceleration=2.0, space=None):
    space = plain_space(path.shape[1]) if space is None else space
    corners = Corners.of_path(space, path)
    full = np.full(path.shape[1], 1.0)
    radii = np.zeros(len(corners.points))
    return time_path(
        space, corners, radii, velocity * full, acceleration * full, None, ten_seconds()
    )


def test_a_path_that_does_not_move_is_a_point():
    here = [1.0, 2.0]
    for path in ([here], [here, here], [here, here, [1.0, 2.0 + 1e-14]]):
        still = trajectory(np.array(path))
        assert (still.times.tolist(), still.positions.tolist()) == ([0.0], [here])
        assert not still.velocities.any()
        assert not still.accelerations.any()


def test_collinear_and_equal_points_change_nothing():
    ends = np.array([[0.0, 0.0, 1.0], [1.0, -2.0, 1.0]])
    plain = trajectory(ends)
    many = ends[0] + np.repeat(np.linspace(0.0, 1.0, 700), 2)[:, None] * (ends[1] - ends[0])
    fine = trajectory(many)
    np.testing.assert_allclose(fine.times, plain.times, atol=2e-9)
    np.testing.assert_allclose(fine.positions, plain.positions, atol=1e-8)
    assert (plain.positions[:, 2] == 1.0).all()


def test_it_stops_at_corners_that_are_not_rounded():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    square = trajectory(path)
    assert square.times[-1] == pytest.approx(3.0 * 1.504, abs=0.01)
    for corner in path:
        at = np.flatnonzero((square.positions == corner).all(axis=1))
        assert len(at) == 1
        assert not square.velocities[at].any()
        assert not square.accelerations[at].any()


def test_the_points_of_a_slow_motion_are_bounded():
    path = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 3.0]])
    slow = trajectory(path, velocity=1e-4, acceleration=1e-4)
    assert slow.times[-1] == pytest.approx(60_002.0, rel=1e-3)
    assert len(slow.times) < 10_100


@pytest.mark.parametrize(("velocity", "acceleration"), [(1e-9, 1.0), (1.0, 1e-15), (0.0, 1.0)])
def test_a_motion_that_never_ends_is_rejected(velocity, acceleration):
    with pytest.raises(PlanningError, match=r"more than a day: q1 .*velocity_scale, accel"):
        trajectory(np.array([[0.0, 0.0], [0.0, 1.0]]), velocity, acceleration)


def test_a_rotation_does_not_stop_between_points_of_one_turn():
    kinds = [QUATERNION, QUATERNION_REST, QUATERNION_REST, QUATERNION_REST, INTERVAL]
    space = Space.of_kinds(kinds, [-1.0] * 5, [1.0] * 5)
    angles = np.linspace(0.0, 4.0, 30)  # more than half a turn, part by part
    turns = Rotation.from_rotvec(angles[:, None] * np.array([0.0, 0.6, 0.8])).as_quat()
    path = np.column_stack((turns, 0.1 * angles))
    turned = trajectory(path, space=space)
    # 0.8 of 4 rad in one entry of the rotation vector: 3.2 rad with 1 rad/s, 2 rad/s^2
    assert turned.times[-1] == pytest.approx(3.2 + 0.5 + 0.004, abs=1e-3)
    assert np.abs(turned.velocities).max() == pytest.approx(1.0)
    np.testing.assert_allclose(np.linalg.norm(turned.positions[:, :4], axis=1), 1.0)
    assert (turned.positions[-1] == path[-1]).all()
    # Positions and velocities belong together.
    first, last = turned.positions[:-1, :4], turned.positions[1:, :4]
    moved = (Rotation.from_quat(last) * Rotation.from_quat(first).inv()).as_rotvec()
    speeds = 0.5 * (turned.velocities[1:] + turned.velocities[:-1])[:, :3]
    np.testing.assert_allclose(moved, speeds * np.diff(turned.times)[:, None], atol=1e-4)
