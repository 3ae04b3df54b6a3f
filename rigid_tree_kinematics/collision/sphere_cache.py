"""Fitted spheres kept on disk, so that a robot's shapes are fitted once."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from rigid_tree_kinematics.collision.shapes import PointCloud, Shape
from rigid_tree_kinematics.collision.spheres import FITTING_VERSION, fit_spheres, surface
from rigid_tree_kinematics.model import Sphere
from rigid_tree_kinematics.model.transforms import Array


def cache_folder() -> Path:
    """Return where fits are kept: below XDG_CACHE_HOME, or ~/.cache."""
    home = os.environ.get("XDG_CACHE_HOME")
    base = Path(home) if home and Path(home).is_absolute() else Path("~/.cache").expanduser()
    return base / "rigid_tree_kinematics" / "spheres"


def shape_fingerprint(shape: Shape) -> str:
    """Return what identifies a shape: equal surfaces have equal ones."""
    if isinstance(shape, Sphere):
        return f"sphere {shape.radius!r}"
    if isinstance(shape, PointCloud):
        parts = shape.points, np.array(shape.radius)
    else:
        parts = surface(shape)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def fitted_spheres(shape: Shape) -> Array:
    """Return ``fit_spheres(shape)``, from disk if the same surface was fitted before.

    A folder that cannot be written only costs the time to fit again.
    """
    if isinstance(shape, Sphere | PointCloud):
        return fit_spheres(shape)
    file = cache_folder() / f"{shape_fingerprint(shape)}-{FITTING_VERSION}.npy"
    try:
        spheres = np.load(file, allow_pickle=False)
        if spheres.ndim == 2 and spheres.shape[1] == 4 and np.isfinite(spheres).all():
            return np.asarray(spheres, dtype=np.float64)
    except (OSError, ValueError):
        pass  # not there, or not whole
    spheres = fit_spheres(shape)
    _keep(file, spheres)
    return spheres


def _keep(file: Path, spheres: Array) -> None:
    """Write beside the file, then rename: another process never reads half of it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            np.save(stream, spheres, allow_pickle=False)
        os.replace(name, file)
    except OSError:
        Path(name).unlink(missing_ok=True)
