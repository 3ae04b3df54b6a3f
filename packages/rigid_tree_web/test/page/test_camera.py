"""The fitted camera shows all points beside the panel, and is the nearest one."""

import numpy as np
import pytest

from rigid_tree_web.web.views import (
    FIELD_OF_VIEW,
    MARGIN,
    NEAREST,
    box_corners,
    fitted_camera,
)

PHONE, DESKTOP, WIDE = 390 / 844, 960 / 800, 21 / 9


def projected(camera, points, aspect):
    """Return points in the picture, -1 to 1 to the right and upwards, and their depths."""
    z = camera.look_at - camera.position
    z = z / np.linalg.norm(z)
    x = np.cross(z, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    axes = np.stack((x, np.cross(x, z), z))
    right, up, ahead = axes @ (points - camera.position).T
    slope = np.tan(0.5 * FIELD_OF_VIEW)
    return right / ahead / slope / aspect, up / ahead / slope, ahead


@pytest.mark.parametrize("aspect", [PHONE, DESKTOP, WIDE])
def test_all_corners_are_in_the_picture_and_fill_it(aspect):
    rng = np.random.default_rng(3)
    for _ in range(50):
        points = rng.normal(size=(30, 3)) * rng.uniform(0.2, 3.0, size=3) + rng.normal(size=3)
        across, upwards, ahead = projected(fitted_camera(points, aspect), points, aspect)
        edge = 1.0 - MARGIN + 1e-9
        assert np.abs(across).max() <= edge
        assert upwards.max() <= edge
        assert upwards.min() >= -edge
        assert ahead.min() >= NEAREST - 1e-9
        # From one side to the other in one of the directions, unless a point is too near.
        widths = np.ptp(across) / (2 * edge), np.ptp(upwards) / (2 * edge)
        assert max(widths) == pytest.approx(1.0, abs=1e-6) or ahead.min() < NEAREST + 1e-6


def test_one_point_is_seen_from_nearby():
    point = np.array([[1.0, 2.0, 3.0]])
    across, upwards, ahead = projected(fitted_camera(point, 1.0), point, 1.0)
    assert (across, upwards) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert ahead == pytest.approx(NEAREST)


def test_a_box_has_eight_corners():
    points = np.random.default_rng(0).normal(size=(20, 3))
    corners = box_corners(points)
    assert len(np.unique(corners, axis=0)) == 8
    np.testing.assert_array_equal(corners.min(axis=0), points.min(axis=0))
    np.testing.assert_array_equal(corners.max(axis=0), points.max(axis=0))
    assert box_corners(points[:0]).shape == (0, 3)


def test_what_is_flat_is_seen_like_a_map():
    corners = np.array([[-2.0, -1.0, 0.0], [2.0, 1.0, 0.1]])
    camera = fitted_camera(corners, DESKTOP)
    across, upwards, _ = projected(camera, np.eye(4, 3, k=0), DESKTOP)
    assert across[0] - across[3] > 10 * abs(upwards[0] - upwards[3])
    assert upwards[1] - upwards[3] > 10 * abs(across[1] - across[3])
