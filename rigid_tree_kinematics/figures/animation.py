"""A robot's motion as a GIF or MP4 file."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.conversions import to_trimesh
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.figures.robot import SMALLEST, show_robot
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from matplotlib.animation import AbstractMovieWriter

FRAMES_A_SECOND = 20
TRACE_COLOR = "#d9480f"
MOST_FRAMES = 3000


def animate(
    tree: RigidBodyTree,
    motion: Any,
    file: str | os.PathLike[str],
    *,
    times: ArrayLike | None = None,
    trace: str | None = None,
    frames: bool = False,
    meshes: bool = True,
) -> Path:
    """Write a motion to a GIF or MP4 file; return its path.

    Args:
        tree: the robot.
        motion: an object with ``times`` and ``positions``, such as a trajectory or a simulation,
            or configurations (N, nq).
        file: path of a .gif or .mp4 file.
        times: of configurations (N,), s; None: one second per rad or m of the joint that moves
            farthest.
        trace: name of a body whose path is drawn.
        frames, meshes: see ``show_robot``.

    Raises ConfigurationError for an invalid motion, UnknownNameError for an unknown body, and
    RigidTreeError for other files, more than MOST_FRAMES frames, and an MP4 without ffmpeg.

    Example:
        >>> robot = load_robot("planar_two_link")
        >>> path = [[0.0, 0.0], [0.5, 0.5]]
        >>> animate(robot, path, "motion.gif", times=[0.0, 0.2]).name
        'motion.gif'
    """
    with needs("matplotlib", "an animation"):
        from matplotlib import pyplot as plt
    path = Path(file)
    positions, seconds = _checked(tree, motion, times)
    shown = _at_even_times(tree, positions, seconds)
    poses = body_transforms(tree, shown)
    traced = None if trace is None else poses[:, tree.compiled().index_of(trace), :3, 3]
    writer = _writer(path)
    figure = plt.figure(figsize=(5, 5))
    axes = figure.add_subplot(projection="3d")
    try:
        limits = _limits(tree, shown, poses, meshes)
        with writer.saving(figure, str(path), dpi=90):
            for number, q in enumerate(shown):
                axes.cla()
                show_robot(tree, q, frames=frames, meshes=meshes, axes=axes)
                axes.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
                if traced is not None:
                    axes.plot(*traced[: number + 1].T, color=TRACE_COLOR, linewidth=1.5)
                writer.grab_frame()
    finally:
        plt.close(figure)
    return path


def _checked(tree: RigidBodyTree, motion: Any, times: ArrayLike | None) -> tuple[Array, Array]:
    """Return positions (N, nq) and their times (N,), starting at 0."""
    if times is None:
        times = getattr(motion, "times", None)
    positions = np.asarray(getattr(motion, "positions", motion), dtype=np.float64)
    count = tree.compiled().position_count
    if positions.ndim != 2 or positions.shape[1] != count or not len(positions):
        raise ConfigurationError(f"positions must be (N, {count}), not {positions.shape}")
    if not np.isfinite(positions).all():
        raise ConfigurationError("a motion's positions must be finite")
    if times is None:
        kinds = tree.compiled().position_kinds
        lengths = [np.abs(difference(kinds, a, b)).max() for a, b in pairwise(positions)]
        return positions, np.concatenate([[0.0], np.cumsum(lengths)])
    seconds = np.asarray(times, dtype=np.float64)
    if seconds.shape != positions.shape[:1] or not (np.diff(seconds) >= 0.0).all():
        raise ConfigurationError(f"{len(positions)} configurations need as many increasing times")
    return positions, seconds - seconds[0]


def _at_even_times(tree: RigidBodyTree, positions: Array, seconds: Array) -> Array:
    """Return the configurations of the frames (k, nq), including the last one."""
    count = round(seconds[-1] * FRAMES_A_SECOND) + 1
    if not count <= MOST_FRAMES:
        raise RigidTreeError(f"an animation has at most {MOST_FRAMES} frames, not {count}")
    kinds = tree.compiled().position_kinds
    shown = []
    for time in np.linspace(0.0, seconds[-1], count):
        last = int(np.clip(np.searchsorted(seconds, time, side="right"), 1, len(seconds) - 1))
        if len(positions) == 1:
            return positions
        a, b = positions[last - 1], positions[last]
        span = seconds[last] - seconds[last - 1]
        share = (time - seconds[last - 1]) / span if span > 0.0 else 1.0
        shown.append(between(kinds, a, difference(kinds, a, b), share))
    return np.array(shown)


def _limits(tree: RigidBodyTree, shown: Array, poses: Array, meshes: bool) -> Array:
    """Return the axes' limits (3, 2) for the whole motion, with equal scales (m)."""
    low, high = poses[:, :, :3, 3].min(axis=(0, 1)), poses[:, :, :3, 3].max(axis=(0, 1))
    if meshes:
        for q in shown[:: max(1, len(shown) // 4)]:
            bounds = to_trimesh(tree, q).bounds
            if bounds is not None:
                low, high = np.minimum(low, bounds[0]), np.maximum(high, bounds[1])
    half = 0.55 * max(float((high - low).max()), SMALLEST)
    middle = 0.5 * (low + high)
    return np.column_stack([middle - half, middle + half])


def _writer(path: Path) -> AbstractMovieWriter:
    import matplotlib as mpl
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if path.suffix.lower() == ".gif":
        return PillowWriter(FRAMES_A_SECOND)
    if path.suffix.lower() != ".mp4":
        raise RigidTreeError(f"{path.name}: an animation file must end in .gif or .mp4")
    if not FFMpegWriter.isAvailable():
        try:  # contains the program
            import imageio_ffmpeg
        except ModuleNotFoundError:
            raise RigidTreeError(
                f"{path.name}: MP4 needs ffmpeg, which is not installed: apt install ffmpeg, or "
                "pip install imageio-ffmpeg; a .gif file needs neither"
            ) from None
        mpl.rcParams["animation.ffmpeg_path"] = imageio_ffmpeg.get_ffmpeg_exe()
    return FFMpegWriter(FRAMES_A_SECOND)
