"""Visual shapes, collision shapes, materials and inertia of bodies."""

from dataclasses import dataclass, field

import numpy as np

from rigid_tree_kinematics.arrays import Array


@dataclass(frozen=True)
class Box:
    """A box centered in its frame; ``size`` is the full (x, y, z) extent in m.

    Example:
        >>> Visual(Box((0.3, 0.05, 0.02))).geometry
        Box(size=(0.3, 0.05, 0.02))
    """

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Cylinder:
    """A cylinder centered in its frame, along z; m.

    Example:
        >>> Collision(Cylinder(radius=0.05, length=0.3)).geometry
        Cylinder(radius=0.05, length=0.3)
    """

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere centered in its frame; m.

    Example:
        >>> Collision(Sphere(radius=0.05)).geometry
        Sphere(radius=0.05)
    """

    radius: float


@dataclass(frozen=True)
class Mesh:
    """A mesh file, as named in the description, with a scale factor for each axis.

    ``directory`` is the folder of the description, in which relative file names are looked up.
    ``description.load_mesh`` reads the file.

    Example:
        >>> Visual(Mesh("package://my_arm/hand.stl", scale=(0.001,) * 3)).geometry.scale  # from mm
        (0.001, 0.001, 0.001)
    """

    filename: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    directory: str | None = None


Geometry = Box | Cylinder | Sphere | Mesh


@dataclass(frozen=True)
class Material:
    """A surface: color (red, green, blue, alpha, 0 to 1) and/or the name of a texture file.

    Example:
        >>> Material("steel", color=(0.6, 0.6, 0.65, 1.0))
        Material(name='steel', color=(0.6, 0.6, 0.65, 1.0), texture=None)
    """

    name: str = ""
    color: tuple[float, float, float, float] | None = None
    texture: str | None = None


@dataclass(frozen=True, eq=False)
class Visual:
    """A visual shape; ``origin`` is the shape's frame in the body's frame (4x4).

    Example:
        >>> body = RigidBody("forearm")
        >>> red = Material("red", color=(1, 0, 0, 1))
        >>> body.visuals.append(Visual(Box((0.3, 0.05, 0.05)), material=red))
        >>> body.visuals[0].material.name
        'red'
    """

    geometry: Geometry
    origin: Array = field(default_factory=lambda: np.eye(4))
    name: str = ""
    material: Material | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", _read_only(self.origin))


@dataclass(frozen=True, eq=False)
class Collision:
    """A collision shape; ``origin`` is the shape's frame in the body's frame (4x4).

    Example:
        >>> body = RigidBody("forearm")
        >>> body.collisions.append(Collision(Sphere(0.05), name="elbow"))
        >>> [shape.name for shape in body.collisions]
        ['elbow']
    """

    geometry: Geometry
    origin: Array = field(default_factory=lambda: np.eye(4))
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", _read_only(self.origin))


def _read_only(origin: Array) -> Array:
    """Return a copy of an origin that several shapes and trees can share."""
    copy = np.array(origin, dtype=np.float64)
    copy.flags.writeable = False
    return copy


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (kg), center of mass (m, body frame) and the 3x3 inertia matrix (kg m^2).

    ``matrix`` is about the center of mass, along the body frame's axes.

    Example:
        >>> tool = RigidBody("tool")
        >>> tool.inertia = Inertia(0.5, (0, 0, 0.04), np.diag([4e-4, 4e-4, 1e-4]))
        >>> tool.inertia.mass
        0.5
    """

    mass: float = 0.0
    center_of_mass: Array = field(default_factory=lambda: np.zeros(3))
    matrix: Array = field(default_factory=lambda: np.zeros((3, 3)))
