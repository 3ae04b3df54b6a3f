"""The simulated robot's curves and polygons, against SciPy."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.spatial import ConvexHull

from rigid_tree_kinematics.nao.model.motion_model import convex_hull
from rigid_tree_kinematics.nao.simulated.robot.curves import smooth_curve


@pytest.mark.parametrize("seed", range(30))
def test_smooth_curves_are_scipys_shape_preserving_cubics(seed):
    generator = np.random.default_rng(seed)
    count = int(generator.integers(1, 8))
    times = np.cumsum(generator.uniform(0.01, 2.0, count))
    values = np.round(generator.normal(size=count), 1)  # some are equal
    start = float(np.round(generator.normal(), 1))
    knots, heights = np.append(0.0, times), np.append(start, values)
    slopes = PchipInterpolator(knots, heights).derivative()(knots)
    slopes[[0, -1]] = 0.0
    truth = CubicHermiteSpline(knots, heights, slopes)
    curve = smooth_curve(start, values.tolist(), times.tolist())
    samples = np.linspace(0.0, knots[-1], 500)
    assert np.allclose([curve(at) for at in samples], truth(samples), rtol=0, atol=1e-12)
    assert curve(knots[-1] + 3.0) == pytest.approx(values[-1], abs=1e-14)


@pytest.mark.parametrize("seed", range(30))
def test_convex_hulls_are_qhulls(seed):
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(int(generator.integers(3, 12)), 2))
    corners = np.array(convex_hull([tuple(point) for point in points.tolist()]))
    truth = points[ConvexHull(points).vertices]
    first = np.flatnonzero((truth == corners[0]).all(axis=1))[0]
    assert np.array_equal(corners, np.roll(truth, -first, axis=0))


def test_a_hull_leaves_out_points_on_its_edges_and_doubles():
    points = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.0), (1.0, 1.0), (0.5, 0.5)]
    assert convex_hull(points) == [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
