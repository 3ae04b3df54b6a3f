"""The simulated robot's smooth curves, against SciPy and their definition."""

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from rigid_tree_nao.simulated.robot.curves import bezier_curve, smooth_curve


def test_smooth_curves_are_scipys_shape_preserving_cubics():
    for seed in range(30):
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
        assert np.allclose([curve(at) for at in samples], truth(samples), rtol=0, atol=1e-12), seed
        assert curve(knots[-1] + 3.0) == pytest.approx(values[-1], abs=1e-14)


def test_bezier_curves_have_their_handles_slopes():
    points = [[1.0, [2, -0.2, -0.4], [2, 0.1, 0.2]], [0.0, [1, 0.0, 0.0], [2, 0.0, 0.0]]]
    curve = bezier_curve(0.0, points, [1.0, 2.0])
    assert curve(1.0) == pytest.approx(1.0)
    assert curve(2.0) == pytest.approx(0.0)
    assert (curve(1.0) - curve(1.0 - 1e-5)) / 1e-5 == pytest.approx(2.0, abs=1e-2)
    assert curve(1.5) == pytest.approx(0.5)  # the second piece is straight: its handle is LINEAR
