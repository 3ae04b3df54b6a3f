"""Lines and arcs of a tool against their geometry."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.planning import ToolLine, arc_about, arc_through

SHARES = np.linspace(0.0, 1.0, 41)


def poses(rng):
    pair = np.tile(np.eye(4), (2, 1, 1))
    pair[:, :3, 3] = rng.normal(size=(2, 3))
    pair[:, :3, :3] = Rotation.random(2, random_state=rng).as_matrix()
    return pair


def circle(rng, angle):
    """Return poses on a random circle, ``angle`` apart, its center, and a point by angle."""
    frame = Rotation.random(random_state=rng).as_matrix()
    center, radius = rng.normal(size=3), rng.uniform(0.05, 2.0)

    def point(at):
        return center + radius * frame @ np.array([np.cos(at), np.sin(at), 0.0])

    start, end = poses(rng)
    start[:3, 3], end[:3, 3] = point(0.0), point(angle)
    return start, end, center, point


def test_a_line_is_straight_and_turns_as_scipys_slerp():
    for seed in range(20):
        start, end = poses(np.random.default_rng(seed))
        line = ToolLine(start, end)
        turned = Slerp([0.0, 1.0], Rotation.from_matrix([start[:3, :3], end[:3, :3]]))(SHARES)
        for share, wanted in zip(SHARES, turned.as_matrix(), strict=True):
            pose = line.pose(float(share))
            np.testing.assert_allclose(pose[:3, :3], wanted, atol=1e-9)
            place = (1.0 - share) * start[:3, 3] + share * end[:3, 3]
            np.testing.assert_allclose(pose[:3, 3], place, atol=1e-12)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0, 3.3, 4.5, 6.0])
def test_arc_of_any_length_passes_its_interim_point(angle):
    for seed in range(10):
        start, end, center, point = circle(np.random.default_rng(seed), angle)
        for part in (0.2, 0.5, 0.9):
            arc = arc_through(start, end, point(part * angle))
            np.testing.assert_allclose(arc.center, center, atol=1e-9)
            assert arc.sweep == pytest.approx(angle, abs=1e-9)
            for share in SHARES:
                place = arc.position(float(share))
                np.testing.assert_allclose(place, point(share * angle), atol=1e-9)


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 3.0, 3.3, 4.5, 6.0])
def test_an_arc_about_a_center_is_the_shorter_one(angle):
    for seed in range(10):
        start, end, center, point = circle(np.random.default_rng(seed), angle)
        arc = arc_about(start, end, center)
        shorter = angle if angle < np.pi else angle - 2.0 * np.pi
        assert arc.sweep == pytest.approx(abs(shorter), abs=1e-9)
        for share in SHARES:
            np.testing.assert_allclose(arc.position(share), point(share * shorter), atol=1e-9)


def test_a_center_some_millimeters_off_still_ends_at_the_goal():
    start, end, center, _ = circle(np.random.default_rng(3), 1.2)
    arc = arc_about(start, end, center + np.array([0.001, -0.002, 0.001]))
    np.testing.assert_allclose(arc.position(1.0), end[:3, 3], atol=1e-12)


def test_points_without_a_circle_are_reported():
    start, end, center, point = circle(np.random.default_rng(1), np.pi)
    with pytest.raises(PlanningError, match="one line"):
        arc_about(start, end, center)
    with pytest.raises(PlanningError, match="not on the circle"):
        arc_about(start, end, center + 0.1 * (end - start)[:3, 3])
    with pytest.raises(PlanningError, match="one line"):
        arc_through(start, end, 0.5 * (start + end)[:3, 3])
    with pytest.raises(PlanningError, match="same place"):
        arc_through(start, start, point(1.0))
    with pytest.raises(PlanningError, match="same place"):
        arc_through(start, end, start[:3, 3])
