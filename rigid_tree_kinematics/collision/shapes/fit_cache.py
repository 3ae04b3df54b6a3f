"""A disk cache of fitted spheres and hulls."""

import functools
import hashlib
import io
import logging
import os
import tempfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.hulls import HULLS_VERSION, Hull, hulls_of
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import PointCloud, Shape, Triangles
from rigid_tree_kinematics.collision.shapes.spheres import FITTING_VERSION, fit_spheres, surface
from rigid_tree_kinematics.description.meshes import mesh_digest
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import UntrustedFolderError, check_folder, user_cache
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

ARCHIVE = "fits.npz"  # of the bundled robots, by scripts/fit_bundled_robots.py
DIGEST = 32  # bytes before a file's content: its SHA-256


def cache_folder() -> Path:
    """Return the folder of the cache; raises RuntimeError without a home directory."""
    return user_cache() / "fits"


def shape_fingerprint(shape: Shape) -> str:
    """Return a digest of a shape's surface."""
    if isinstance(shape, Mesh):
        return hashlib.sha256(mesh_digest(shape).encode()).hexdigest()
    if isinstance(shape, Sphere | Box | Cylinder):
        sizes = [float(size) for value in vars(shape).values() for size in np.atleast_1d(value)]
        return hashlib.sha256(f"{type(shape).__name__} {sizes}".encode()).hexdigest()
    if isinstance(shape, PointCloud):
        parts = shape.points, np.array(shape.radius)
    else:
        parts = surface(shape)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def fitted_spheres(shape: Shape, fingerprint: str = "") -> Array:
    """Return ``fit_spheres(shape)``, cached on disk.

    ``fingerprint`` is that of the shape, if it is known. Without a writable folder, the spheres
    are computed each time.
    """
    if isinstance(shape, Sphere | PointCloud):
        return fit_spheres(shape)
    name = fingerprint or shape_fingerprint(shape)
    return cached_fit(f"{name}-spheres-{FITTING_VERSION}", lambda: fit_spheres(shape))


def fitted_hulls(shape: Shape, fingerprint: str = "") -> list[Hull]:
    """Return ``hulls_of(shape)``; those of meshes are cached on disk, as ``fitted_spheres``."""
    if not isinstance(shape, Mesh | Triangles):
        return hulls_of(shape)

    def rows() -> Array:
        """Return the hulls as rows: the number of corners and the radius, then the corners."""
        blocks: list[Array] = []
        for hull in hulls_of(shape):
            count = len(hull.corners)
            blocks.append(np.array([[count, hull.radius, 0.0, 0.0]]))
            blocks.append(np.column_stack([hull.corners, np.zeros(count)]))
        return np.vstack(blocks)

    name = fingerprint or shape_fingerprint(shape)
    found = cached_fit(f"{name}-hulls-{HULLS_VERSION}", rows)
    hulls = []
    at = 0
    while at < len(found):
        end = at + 1 + int(found[at, 0])
        hulls.append(Hull(found[at + 1 : end, :3], float(found[at, 1])))
        at = end
    return hulls


def rounded(array: Array) -> Array:
    """Return an array rounded for a digest, as the last digits differ between processors."""
    return np.round(array, 9) + 0.0


def cached_fit(
    name: str,
    make: Callable[[], NDArray[Any]],
    dtype: DTypeLike = np.float64,
    shape: tuple[int | None, ...] = (None, 4),
) -> NDArray[Any]:
    """Return an array from the cache, or compute and cache it.

    ``name`` identifies everything that the array depends on. Those of the bundled robots are
    installed with the package. Damaged files, and arrays of another shape (None: any length), are
    replaced. Without a writable folder, the array is computed each time.
    """
    if name in bundled_fits():
        return bundled_fits()[name]
    file = cache_folder() / f"{name}.fit"
    found = read_fit(file) if _is_trusted(file.parent) else None
    if found is not None and found.dtype == dtype and found.ndim == len(shape):
        known = tuple(a if b is None else b for a, b in zip(found.shape, shape, strict=True))
        if found.shape == known:
            return found
    made = make()
    _write(file, made)
    return made


@functools.cache
def bundled_fits() -> Mapping[str, NDArray[Any]]:
    """Return the fits of the bundled robots, decompressed when accessed; none if not installed."""
    try:
        content = (bundled_folder("robots") / ARCHIVE).read_bytes()
    except (DescriptionError, FileNotFoundError):
        return {}
    fits: Mapping[str, NDArray[Any]] = np.load(io.BytesIO(content))
    return fits


def _is_trusted(folder: Path) -> bool:
    """Return whether other users cannot write to a folder; log the reason once if they can."""
    try:
        check_folder(folder.resolve())
    except UntrustedFolderError as error:
        _warn(str(error))
        return False
    except OSError:
        return False
    return True


@functools.cache
def _warn(reason: str) -> None:
    logging.getLogger(__name__).warning("The cache of collision shapes is not used: %s", reason)


def read_fit(file: Path) -> NDArray[Any] | None:
    """Return the array in a file; None if the file is missing or damaged."""
    try:
        content = file.read_bytes()
        digest, content = content[:DIGEST], content[DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            return None
        return np.asarray(np.load(io.BytesIO(zlib.decompress(content)), allow_pickle=False))
    except (OSError, EOFError, ValueError, zlib.error):
        return None


def _write(file: Path, array: NDArray[Any]) -> None:
    """Write a file atomically."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    content = zlib.compress(stream.getvalue())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(hashlib.sha256(content).digest() + content)
        os.replace(name, file)
    except OSError:
        Path(name).unlink(missing_ok=True)
