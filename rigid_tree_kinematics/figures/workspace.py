"""The workspace of a body: three views of its positions in random configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.figures.screen import opened
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES = (("x", "y"), ("x", "z"), ("y", "z"))
CELLS = 120  # of each histogram, along each axis


def show_workspace(
    tree: RigidBodyTree, body: str, samples: int = 100_000, seed: int = 0
) -> Figure:
    """Draw the density of a body's positions in the base frame; return the figure.

    Configurations are uniform within the joint limits; equal seeds give equal figures. Collisions
    are not checked. Raises UnknownNameError for an unknown body.

    Example:
        >>> figure = show_workspace(load_robot("ur5"), "tool0", samples=1000)
        >>> figure.savefig("workspace.png")
        >>> len(figure.axes)
        3
    """
    with needs("matplotlib", "a figure"):
        from matplotlib import pyplot as plt
        from matplotlib.colors import LogNorm

    rng = np.random.default_rng(seed)
    q = np.array([tree.random_configuration(rng) for _ in range(samples)])
    points = body_transform(tree, q, body)[:, :3, 3]
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    reach = 0.52 * max(float(np.ptp(points, axis=0).max()), 1e-3)
    figure, all_axes = plt.subplots(1, 3, figsize=(12, 4.2))
    for axes, (across, up) in zip(all_axes, SIDES, strict=True):
        i, k = "xyz".index(across), "xyz".index(up)
        edges = middle[:, None] + np.linspace(-reach, reach, CELLS + 1)
        counts, *_ = np.histogram2d(points[:, i], points[:, k], bins=[edges[i], edges[k]])
        axes.pcolormesh(
            edges[i], edges[k], np.ma.masked_equal(counts.T, 0), norm=LogNorm(), cmap="viridis"
        )
        axes.plot(0.0, 0.0, "+", color="#d62728", markersize=12)
        axes.set(xlabel=f"{across} (m)", ylabel=f"{up} (m)", aspect="equal")
        axes.grid(alpha=0.3)
    figure.suptitle(f"{tree.name}: workspace of {body} ({samples:,} configurations)")
    opened(figure)
    return figure
