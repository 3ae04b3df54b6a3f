"""Slices through a reachability map, and a view of one half."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_batch.reach_map import ReachMap
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.figures.screen import opened
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.axes3d import Axes3D

SIDES = (("x", "z"), ("y", "z"), ("x", "y"))
COLORS = "viridis"


def show_reachability(reach_map: ReachMap) -> Figure:
    """Draw a map's reachability index (%) in the base frame (m); return the figure.

    It shows three slices through the centroid of the reached voxels, and the half behind the
    first slice.

    Example:
        >>> from rigid_tree_batch import reachability_map
        >>> coarse = {"resolution": 0.4, "directions": 6, "progress": False}
        >>> show_reachability(reachability_map("panda", "panda.zarr", **coarse)).savefig("map.png")
    """
    with needs("matplotlib", "a figure"):
        from matplotlib import pyplot as plt

    points, values = reach_map.centers()
    middle = np.average(points, axis=0, weights=values) if len(points) else np.zeros(3)
    cut = [int(np.abs(axis - m).argmin()) for axis, m in zip(reach_map.axes, middle, strict=True)]
    figure = plt.figure(figsize=(12, 10))
    view = figure.add_subplot(2, 2, 1, projection="3d")
    picture: Any = _draw_half(view, reach_map, reach_map.axes[1][cut[1]])
    for number, sides in enumerate(SIDES, start=2):
        picture = _draw_slice(figure.add_subplot(2, 2, number), reach_map, sides, cut)
    figure.suptitle(
        f"{reach_map.robot}: directions in which {reach_map.body} reaches a position (%)",
        fontsize=14,
    )
    opened(figure)
    figure.subplots_adjust(right=0.9)
    bar = figure.add_axes((0.93, 0.15, 0.015, 0.7))
    figure.colorbar(picture, cax=bar)
    return figure


def _draw_slice(axes: Any, reach_map: ReachMap, sides: tuple[str, str], cut: list[int]) -> Any:
    """Draw the plane of two axes; return the image for the color bar."""
    i, k = ("xyz".index(side) for side in sides)
    normal = 3 - i - k
    plane = np.take(reach_map.index, cut[normal], axis=normal)  # i < k
    half = 0.5 * reach_map.resolution
    edges = [np.append(reach_map.axes[n] - half, reach_map.axes[n][-1] + half) for n in (i, k)]
    picture = axes.pcolormesh(
        *edges, np.ma.masked_equal(plane.T, 0.0), cmap=COLORS, vmin=0.0, vmax=_top(reach_map)
    )
    axes.plot(0.0, 0.0, "+", color="#d62728", markersize=14, markeredgewidth=2)
    at = reach_map.axes[normal][cut[normal]]
    title = f"{'xyz'[normal]} = {at + 0.0:.2f} m"
    low, high = _extent(reach_map)
    limits = {"xlim": (low[i], high[i]), "ylim": (low[k], high[k])}
    labels = {"xlabel": f"{sides[0]} (m)", "ylabel": f"{sides[1]} (m)"}
    axes.set(aspect="equal", title=title, **labels, **limits)
    axes.locator_params(nbins=6)
    axes.grid(alpha=0.3)
    return picture


def _draw_half(axes: Axes3D, reach_map: ReachMap, y: float) -> Any:
    """Draw the reached voxels with coordinates of at least y; return the points."""
    points, values = reach_map.centers()
    behind = points[:, 1] >= y - 1e-9
    low, high = _extent(reach_map)
    # The points touch each other: their size is in points of 1/72 inch, squared.
    size = (205.0 * reach_map.resolution / float((high - low).max())) ** 2
    picture = axes.scatter(
        *points[behind].T, c=values[behind], s=size, cmap=COLORS, vmin=0.0, vmax=_top(reach_map),
        marker="s", depthshade=False, linewidths=0,
    )  # fmt: skip
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)")
    axes.locator_params(nbins=4)
    axes.set_box_aspect(high - low, zoom=1.05)
    axes.view_init(elev=22, azim=-62)
    return picture


def _top(reach_map: ReachMap) -> float:
    """Return the index of the brightest color: the map's maximum, in steps of 10 %."""
    return max(10.0, float(10.0 * np.ceil(reach_map.index.max() / 10.0)))


def _extent(reach_map: ReachMap) -> tuple[Array, Array]:
    """Return the corners of the box around the reached voxels and the base, with a margin."""
    points = np.vstack([reach_map.centers()[0], np.zeros((1, 3))])
    return points.min(axis=0) - reach_map.resolution, points.max(axis=0) + reach_map.resolution
