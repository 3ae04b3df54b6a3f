"""A robot in a configuration: links, frames and visuals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.figures.screen import opened, show_in_notebook
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d.axes3d import Axes3D


AXIS_COLORS = ("#d62728", "#2ca02c", "#1f77b4")  # x, y, z
LINK_COLOR = "#444444"
AXIS_SHARE = 0.06  # length of frames' axes, relative to the figure's extent
SMALLEST = 0.1  # m, minimum extent of a figure
LIGHT = np.array([0.4, -0.3, 0.85])  # direction to the light


def show_robot(
    tree: RigidBodyTree,
    configuration: ArrayLike | Mapping[str, Any] | None = None,
    *,
    frames: bool = True,
    names: bool = False,
    meshes: bool = False,
    axes: Axes3D | None = None,
) -> Axes3D:
    """Draw the robot in its base frame (m); return the axes.

    In a notebook, an interactive view is displayed too.

    Args:
        tree: the robot.
        configuration: joint positions in order or by name; None is the home configuration.
        frames: whether to draw the bodies' frames: x red, y green, z blue.
        names: whether to draw the bodies' names.
        meshes: whether to draw the visuals; large mesh files take seconds to draw.
        axes: existing axes to draw into; None opens a new figure.

    Raises ConfigurationError, and DescriptionError for a mesh that cannot be read.

    Example:
        >>> axes = show_robot(load_robot("ur5"), [0.3, -1.2, 1.5, -0.8, 0.9, 0.2], names=True)
        >>> axes.figure.savefig("ur5.png")
        >>> axes.get_xlabel()
        'x (m)'
    """
    with needs("matplotlib", "a figure"):
        from matplotlib import pyplot as plt

    if configuration is None:
        configuration = tree.home_configuration()
    poses = body_transforms(tree, tree.configuration(configuration))
    own = axes is None
    if axes is None:
        axes = plt.figure(figsize=(7, 7)).add_subplot(projection="3d")
    points = [poses[:, :3, 3]]
    for row, parent in enumerate(tree.compiled().parents):
        if parent >= 0:
            ends = poses[[parent, row], :3, 3]
            axes.plot(*ends.T, color=LINK_COLOR, linewidth=2, solid_capstyle="round")
    if meshes:
        points += _draw_meshes(axes, tree, poses)
    extent = _set_limits(axes, np.concatenate(points))
    if frames:
        for axis, color in enumerate(AXIS_COLORS):
            tips = poses[:, :3, 3] + AXIS_SHARE * extent * poses[:, :3, axis]
            for origin, tip in zip(poses[:, :3, 3], tips, strict=True):
                axes.plot(*np.array([origin, tip]).T, color=color, linewidth=1.5)
    if names:
        for name, pose in zip(tree.compiled().body_names, poses, strict=True):
            axes.text(*pose[:3, 3], f" {name}", fontsize=7)
    axes.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)", title=tree.name)
    if own:
        show_in_notebook(tree, configuration)
        opened(axes.figure)
    return axes


def _draw_meshes(axes: Axes3D, tree: RigidBodyTree, poses: Array) -> list[Array]:
    """Draw all visuals; return their vertices (n, 3) in the base frame."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    from rigid_tree_kinematics.description.meshes import visual_mesh

    vertices, colors = [], []
    for body, pose in zip((tree.base, *tree.bodies), poses, strict=True):
        for visual in body.visuals:
            mesh = visual_mesh(visual).apply_transform(pose)
            vertices.append(np.asarray(mesh.triangles))
            shade = 0.65 + 0.35 * mesh.face_normals @ (LIGHT / np.linalg.norm(LIGHT))
            color = mesh.visual.face_colors / 255.0
            color[:, :3] *= shade[:, None]
            colors.append(color)
    if not vertices:
        return []
    triangles = np.concatenate(vertices)
    shades = np.concatenate(colors)
    # Thin edges of the same color hide the seams between triangles.
    axes.add_collection3d(
        Poly3DCollection(triangles, facecolors=shades, edgecolors=shades, linewidths=0.4)
    )
    return [triangles.reshape(-1, 3)]


def _set_limits(axes: Axes3D, points: Array) -> float:
    """Set equal scales and limits for all points; return the extent (m)."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = max(float((high - low).max()), SMALLEST)
    middle = 0.5 * (low + high)
    for name, at in zip("xyz", middle, strict=True):
        axes.set(**{f"{name}lim": (at - 0.55 * extent, at + 0.55 * extent)})
    axes.set_box_aspect((1.0, 1.0, 1.0))
    return extent
