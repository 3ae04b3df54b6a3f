"""A robot's motion as a GIF or MP4 file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.conversions import to_trimesh
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.figures.motion import sample_motion
from rigid_tree_kinematics.figures.robot import SMALLEST, show_robot
from rigid_tree_kinematics.kinematics import body_transforms
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
    _, shown = sample_motion(tree, motion, times, FRAMES_A_SECOND)
    if len(shown) > MOST_FRAMES:
        raise RigidTreeError(f"an animation has at most {MOST_FRAMES} frames, not {len(shown)}")
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
