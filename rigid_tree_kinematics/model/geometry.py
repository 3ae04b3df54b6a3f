"""What hangs on a body: shapes to draw, shapes to collide with, materials and inertia."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rigid_tree_kinematics.arrays import Array


@dataclass(frozen=True)
class Box:
    """A box centred in its frame; ``size`` is the full (x, y, z) extent in m."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder centred in its frame, along z; m."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere centred in its frame; m."""

    radius: float


@dataclass(frozen=True)
class Mesh:
    """A mesh file, as the description names it, scaled about its frame's origin axis by axis.

    ``directory`` is the folder of the description, in which relative file names are looked up.
    ``description.load_mesh`` reads the file when somebody needs it.
    """

    filename: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    directory: str | None = None


Geometry = Box | Cylinder | Sphere | Mesh


@dataclass(frozen=True)
class Material:
    """A surface: colour (red, green, blue, alpha, each 0..1) and/or the name of a texture file."""

    name: str = ""
    color: tuple[float, float, float, float] | None = None
    texture: str | None = None


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape to draw; ``origin`` is the shape's frame in the body's frame (4x4)."""

    geometry: Geometry
    origin: Array = field(default_factory=lambda: np.eye(4))
    name: str = ""
    material: Material | None = None


@dataclass(frozen=True, eq=False)
class Collision:
    """A shape to collide with; ``origin`` is the shape's frame in the body's frame (4x4)."""

    geometry: Geometry
    origin: Array = field(default_factory=lambda: np.eye(4))
    name: str = ""


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (kg), centre of mass (m, body frame) and the 3x3 inertia matrix (kg m^2).

    ``matrix`` is about the centre of mass, along the body frame's axes.
    """

    mass: float = 0.0
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    matrix: Array = field(default_factory=lambda: np.zeros((3, 3)))
