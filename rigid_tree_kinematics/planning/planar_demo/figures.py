"""Matplotlib figures and animations of the planar arm's plan."""

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # files only, no window

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import Polygon

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.gif import FRAMES_A_SECOND, write_gif
from rigid_tree_kinematics.planning.configuration_map import TURN, ConfigurationMap
from rigid_tree_kinematics.planning.planar_demo.arm import PlanarArm
from rigid_tree_kinematics.planning.planar_demo.search import (
    GoalSearch,
    PlanarPlan,
    evenly,
    map_pieces,
    tree_pieces,
)

FREE, BLOCKED = "#f4f4f2", "#55606e"
TREE, PATH, START, GOAL = "#3b82c4", "#d9480f", "#2b8a3e", "#c2255c"
ARM_STEP = 0.05  # rad between two pictures of the arm
TREE_FRAMES = 60


def draw_workspace(plan: PlanarPlan, path: Path) -> None:
    """Draw the obstacles, and the arm at the start and at both goals."""
    figure, axes = plt.subplots(figsize=(6, 6))
    _room(axes, plan.arm)
    _arm(axes, plan.arm, plan.arm.start, START, "start")
    for number, goal in enumerate(plan.arm.goals, start=1):
        _arm(axes, plan.arm, goal, GOAL, f"goal {number}", alpha=1.0 if number == 1 else 0.5)
    axes.legend(loc="lower right")
    _save(figure, path)


def draw_map(plan: PlanarPlan, found_map: ConfigurationMap, path: Path) -> None:
    """Draw the map of free angle pairs."""
    figure, axes = plt.subplots(figsize=(6, 6))
    _map(axes, plan, found_map)
    axes.legend(loc="upper right")
    _save(figure, path)


def draw_path(
    plan: PlanarPlan, search: GoalSearch, found_map: ConfigurationMap, path: Path
) -> None:
    """Draw the tree and the path over the map, dashed where it crosses a border."""
    figure, axes = plt.subplots(figsize=(6, 6))
    _map(axes, plan, found_map)
    axes.add_collection(LineCollection(tree_pieces(search), colors=TREE, linewidths=0.8))
    _path(axes, search.best.path)
    axes.legend(loc="upper right")
    _save(figure, path)


def animate_tree(
    plan: PlanarPlan, search: GoalSearch, found_map: ConfigurationMap, path: Path
) -> None:
    """Write a GIF of the tree growing over the map, ending with the path."""
    figure, axes = plt.subplots(figsize=(5, 5))
    _map(axes, plan, found_map)
    lines = LineCollection([], colors=TREE, linewidths=0.8)
    axes.add_collection(lines)
    path_lines = _path(axes, search.best.path)
    edges = tree_pieces(search)
    counts = np.linspace(0, len(edges), TREE_FRAMES).astype(int)

    def show(frame: int) -> None:
        lines.set_segments(edges[: counts[min(frame, TREE_FRAMES - 1)]])
        for line in path_lines:
            line.set_visible(frame >= TREE_FRAMES)

    figure.tight_layout()
    frames = range(TREE_FRAMES + FRAMES_A_SECOND)  # a second with the path
    write_gif(figure, [lines, *path_lines], show, frames, path)


def animate_arm(plan: PlanarPlan, search: GoalSearch, path: Path) -> None:
    """Write a GIF of the arm moving among the obstacles, with the trace of its tip."""
    figure, axes = plt.subplots(figsize=(5, 5))
    arm = plan.arm
    _room(axes, arm)
    points = arm.points(evenly(arm, search.best.path, ARM_STEP))
    axes.plot(*points[0].T, color=START, alpha=0.3, linewidth=4)
    (trace,) = axes.plot([], [], color=PATH, linewidth=1.5)
    (links,) = axes.plot([], [], "o-", color=TREE, linewidth=4)

    def show(frame: int) -> None:
        trace.set_data(*points[: frame + 1, 2].T)
        links.set_data(*points[frame].T)

    last = len(points) - 1
    figure.tight_layout()
    frames = [*range(last + 1), *[last] * FRAMES_A_SECOND]
    write_gif(figure, [trace, links], show, frames, path)


def _room(axes: Any, arm: PlanarArm) -> None:
    for corners in arm.obstacles:
        axes.add_patch(Polygon(corners, facecolor=BLOCKED))
    axes.plot(*arm.base, "s", color="black")
    axes.plot(*arm.goal, "*", color=GOAL, markersize=12)
    reach = 1.05 * arm.lengths.sum()
    axes.set(xlim=arm.base[0] + [-reach, reach], ylim=arm.base[1] + [-reach, reach])
    axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")


def _arm(axes: Any, arm: PlanarArm, q: Array, color: str, label: str, alpha: float = 1.0) -> None:
    axes.plot(*arm.points(q).T, "o-", color=color, linewidth=3, alpha=alpha, label=label)


def _map(axes: Any, plan: PlanarPlan, found_map: ConfigurationMap) -> None:
    side = (found_map.first[0], found_map.first[-1], found_map.second[0], found_map.second[-1])
    axes.imshow(
        found_map.blocked.T,
        origin="lower",
        extent=side,
        cmap=ListedColormap([FREE, BLOCKED]),
        interpolation="nearest",
    )
    axes.plot(*np.mod(plan.arm.start, TURN), "o", color=START, label="start", zorder=3)
    for number, goal in enumerate(plan.arm.goals, start=1):
        axes.plot(*goal, "*", color=GOAL, markersize=11, zorder=3)
        axes.annotate(f"goal {number}", goal, xytext=(6, 6), textcoords="offset points")
    axes.set(xlim=side[:2], ylim=side[2:], xlabel="joint 1 (rad)", ylabel="joint 2 (rad)")


def _path(axes: Any, path: Array) -> list[Any]:
    """Draw the path; return its lines."""
    lines = []
    for piece, crosses in map_pieces(path):
        style = "--" if crosses else "-"
        lines += axes.plot(*piece.T, style, color=PATH, linewidth=2, zorder=2)
    axes.plot([], [], color=PATH, linewidth=2, label="path (dashed across a border)")
    return lines


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
