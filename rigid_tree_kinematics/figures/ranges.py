"""Joint limits and a configuration; the workspace of a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.figures.screen import opened
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANGE, AT, NEAR = "#9ec5e8", "#1f4e79", "#d62728"
NEAR_SHARE = 0.05  # of the range; joints closer to a limit are marked
UNLIMITED = 180.0  # deg or mm, drawn on both sides of a joint without limits
SIDES = (("x", "y"), ("x", "z"), ("y", "z"))
CELLS = 120  # of each histogram, along each axis


def show_limits(
    tree: RigidBodyTree, configuration: ArrayLike | Mapping[str, Any] | None = None
) -> Axes:
    """Draw a bar for each joint (deg or mm) with its position; return the axes.

    Positions within 5 % of a limit are red. Joints without limits have a dashed bar; floating
    joints are omitted. None is the home configuration; raises ConfigurationError.

    Example:
        >>> axes = show_limits(load_robot("ur5"))
        >>> [label.get_text() for label in axes.get_yticklabels()][:2]
        ['shoulder_pan_joint (deg)', 'shoulder_lift_joint (deg)']
    """
    with needs("matplotlib", "a figure"):
        from matplotlib import pyplot as plt

    compiled = tree.compiled()
    if configuration is None:
        configuration = tree.home_configuration()
    q = tree.configuration(configuration)
    shown = np.flatnonzero(compiled.is_scalar)
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.32 * len(shown)))
    for row, k in enumerate(shown):
        scale = 180.0 / np.pi if compiled.is_angle[k] else 1e3
        low, high, at = scale * np.array([compiled.lower[k], compiled.upper[k], q[k]])
        if np.isfinite((low, high)).all():
            axes.barh(row, high - low, left=low, height=0.5, color=RANGE)
            near = min(at - low, high - at) < NEAR_SHARE * (high - low)
            axes.text(low, row, f"{low:.0f} ", ha="right", va="center", fontsize=8)
            axes.text(high, row, f" {high:.0f}", ha="left", va="center", fontsize=8)
        else:
            axes.hlines(row, at - UNLIMITED, at + UNLIMITED, color=RANGE, linestyle="dashed")
            near = False
        axes.plot(at, row, "o", color=NEAR if near else AT)
    labels = [
        f"{compiled.position_names[k]} ({'deg' if compiled.is_angle[k] else 'mm'})" for k in shown
    ]
    axes.set_yticks(range(len(shown)), labels)
    axes.invert_yaxis()
    axes.use_sticky_edges = False
    axes.margins(x=0.12)
    axes.set_title(f"{tree.name}: joint limits")
    axes.grid(axis="x", alpha=0.3)
    opened(figure)
    return axes


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
