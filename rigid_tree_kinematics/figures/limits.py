"""Joint limits and a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.figures.screen import opened
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RANGE, AT, NEAR = "#9ec5e8", "#1f4e79", "#d62728"
NEAR_SHARE = 0.05  # of the range; joints closer to a limit are marked
UNLIMITED = 180.0  # deg or mm, drawn on both sides of a joint without limits


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
