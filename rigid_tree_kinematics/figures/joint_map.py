"""The configuration space of two joints: collision-free and blocked positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.figures.screen import opened
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.planning import map_joints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FREE, BLOCKED, AT, PATH = "#f4f4f2", "#55606e", "#2b8a3e", "#d9480f"
CELLS = 181


def show_joint_map(
    robot: RigidBodyTree | CollisionChecker,
    first: str,
    second: str,
    configuration: ArrayLike | Mapping[str, Any] | None = None,
    *,
    path: ArrayLike | None = None,
    cells: int = CELLS,
) -> Axes:
    """Draw the colliding positions of two joints; return the axes.

    Args:
        robot: a tree without a scene, or a checker with one.
        first, second: two independent joints with one position each.
        configuration: positions of the other joints and of the marker; None is the home
            configuration.
        path: configurations (N, nq), drawn as a line.
        cells: number of positions of each joint, between its limits or over one turn.

    Raises ConfigurationError and PlanningError, see ``planning.configuration_map.map_joints``.

    Example:
        >>> robot = load_robot("ur5")
        >>> axes = show_joint_map(robot, "shoulder_lift_joint", "elbow_joint", cells=31)
        >>> axes.get_xlabel(), axes.get_ylabel()
        ('shoulder_lift_joint (deg)', 'elbow_joint (deg)')
    """
    with needs("matplotlib", "a figure"):
        from matplotlib import pyplot as plt
        from matplotlib.colors import ListedColormap

    checker = robot if isinstance(robot, CollisionChecker) else CollisionChecker(robot)
    compiled = checker.compiled
    q = configuration_vector(compiled, compiled.home if configuration is None else configuration)
    found = map_joints(checker, q, (first, second), (cells, cells))
    slots = [compiled.joint_slots[name][0] for name in (first, second)]
    scales = [180.0 / np.pi if compiled.is_angle[slot] else 1e3 for slot in slots]
    across, up = scales[0] * found.first, scales[1] * found.second
    figure, axes = plt.subplots(figsize=(6, 6))
    axes.imshow(
        found.blocked.T,
        origin="lower",
        extent=(across[0], across[-1], up[0], up[-1]),
        cmap=ListedColormap([FREE, BLOCKED]),
        vmin=0,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
    )
    if path is not None:
        axes.plot(*(np.asarray(path)[:, slots] * scales).T, color=PATH, linewidth=2)
    axes.plot(*(q[slots] * scales), "o", color=AT)
    units = ["deg" if compiled.is_angle[slot] else "mm" for slot in slots]
    axes.set(
        xlabel=f"{first} ({units[0]})",
        ylabel=f"{second} ({units[1]})",
        title=f"{compiled.name}: {100 * found.blocked.mean():.0f} % of the cells are in collision",
    )
    opened(figure)
    return axes
