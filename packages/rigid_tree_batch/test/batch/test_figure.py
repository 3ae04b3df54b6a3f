"""The figure of a map agrees with its voxels, and needs no display."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from rigid_tree_batch import ReachMap
from rigid_tree_batch.figure import show_reachability


@pytest.fixture(autouse=True)
def closed():
    mpl.use("Agg")
    yield
    plt.close("all")


def test_slices_of_a_map_are_where_its_voxels_are():
    rng = np.random.default_rng(3)
    axes = tuple(0.1 * np.arange(-size, size + 1) for size in (4, 5, 6))
    index = rng.uniform(1.0, 70.0, [len(axis) for axis in axes])
    job = {"resolution": 0.1}
    reached = np.ones((*index.shape, 1), dtype=bool)
    shown = ReachMap("arm", "hand", "base", job, axes, np.eye(3)[None], index, index, reached)
    figure = show_reachability(shown)
    points, values = shown.centers()
    middle = np.rint(10.0 * np.average(points, axis=0, weights=values)) / 10.0
    titles = []
    for part in figure.axes[1:4]:
        mesh: Any = part.collections[0]
        i, k = ("xyz".index(label[0]) for label in (part.get_xlabel(), part.get_ylabel()))
        normal = 3 - i - k
        cut = int(np.abs(axes[normal] - middle[normal]).argmin())
        plane = np.take(index, cut, axis=normal)
        np.testing.assert_array_equal(np.reshape(mesh.get_array(), plane.T.shape), plane.T)
        corner = mesh.get_coordinates()[0, 0]
        np.testing.assert_allclose(corner, [axes[i][0] - 0.05, axes[k][0] - 0.05])
        assert mesh.get_clim() == (0.0, 70.0)
        titles.append(part.get_title())
    assert titles == [f"{n} = {middle['xyz'.index(n)] + 0.0:.2f} m" for n in "yxz"]
