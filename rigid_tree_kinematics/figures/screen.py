"""Figures in windows, and an interactive view in notebooks (trimesh's, offline)."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.conversions import to_trimesh
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import RigidBodyTree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANGLES = (np.radians(65.0), 0.0, np.radians(50.0))  # of the camera: from the front, slightly above
HEIGHT = 400  # pixels


def in_notebook() -> bool:
    """Return whether this program runs in a notebook (IPython with a kernel)."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def show_in_notebook(
    tree: RigidBodyTree, configuration: ArrayLike | Mapping[str, Any] | None = None
) -> None:
    """Display the bodies' visuals in a notebook, rotatable with the mouse.

    Robots without visuals are not displayed; missing meshes cause a warning.
    """
    if not in_notebook():
        return
    from IPython.display import display
    from trimesh.viewer.notebook import scene_to_notebook

    try:
        scene = to_trimesh(tree, configuration)
    except DescriptionError as error:
        warnings.warn(DescriptionWarning(f"no interactive view: {error}"), stacklevel=3)
        return
    if scene.geometry:
        scene.set_camera(angles=ANGLES)
        display(scene_to_notebook(scene, height=HEIGHT))


def opened(figure: Figure) -> None:
    """Show a figure in a window without blocking, if there is a screen."""
    import matplotlib as mpl
    from matplotlib.backends import BackendFilter, backend_registry

    figure.tight_layout()
    screens = backend_registry.list_builtin(BackendFilter.INTERACTIVE)
    if mpl.get_backend().lower() in {name.lower() for name in screens}:
        figure.show()
