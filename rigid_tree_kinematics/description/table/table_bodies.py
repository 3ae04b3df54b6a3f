"""Inertia and shapes of the bodies of a robot table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rigid_tree_kinematics.description.table.expression import unknown_name
from rigid_tree_kinematics.description.table.yaml_section import Section
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Cylinder,
    Geometry,
    Inertia,
    Material,
    Mesh,
    RigidBody,
    RigidBodyTree,
    Sphere,
    Visual,
)

BODY_KEYS = ("inertia", "shapes")
INERTIA_KEYS = ("mass", "center_of_mass", "matrix")
GEOMETRY_KEYS = ("box", "cylinder", "sphere", "mesh")
SHAPE_KEYS = (*GEOMETRY_KEYS, "scale", "at", "material", "use")


def add_inertias_and_shapes(
    tree: RigidBodyTree, file: Section, layers: Sequence[Section], directory: str | None
) -> None:
    """Set the inertias and shapes of the layers' ``bodies``; later layers take precedence.

    ``layers`` are the ``file`` or its variants; ``directory`` is that of relative mesh files.
    """
    materials = {}
    for name in file.optional("materials"):
        red, green, blue, alpha = file.section("materials").numbers(name, 4)
        materials[name] = Material(name, (red, green, blue, alpha))
    for layer in layers:
        bodies = layer.optional("bodies")
        for name in bodies:
            section = bodies.section(name, BODY_KEYS, "body")
            if name != tree.base_name and name not in tree.body_names:
                known = (tree.base_name, *tree.body_names)
                raise section.error(unknown_name(name, known).replace("name", "body", 1))
            body = tree.get_body(name)
            if "inertia" in section:
                given = section.section("inertia", INERTIA_KEYS)
                xx, yy, zz, xy, xz, yz = given.numbers("matrix", 6, default=[0.0] * 6)
                body.inertia = Inertia(
                    given.not_negative("mass"),
                    np.array(given.numbers("center_of_mass", 3, default=[0.0] * 3)),
                    np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
                )
            if "shapes" in section:
                _set_shapes(body, section.rows("shapes", SHAPE_KEYS), materials, directory)


def _set_shapes(
    body: RigidBody,
    shapes: Iterable[Section],
    materials: dict[str, Material],
    directory: str | None,
) -> None:
    body.visuals, body.collisions = [], []
    for shape in shapes:
        geometry = read_geometry(shape, directory)
        origin = shape.transform("at", default="identity")
        use = shape.choice("use", ("both", "visual", "collision"), default="both")
        material = None
        if "material" in shape:
            name = shape.text("material")
            if name not in materials:
                hint = unknown_name(name, materials).replace("name", "material", 1)
                raise shape.error(f"{hint} Define it under 'materials'", "material")
            material = materials[name]
        if use != "collision":
            body.visuals.append(Visual(geometry, origin, material=material))
        if use != "visual":
            body.collisions.append(Collision(geometry, origin))


def read_geometry(
    shape: Section, directory: str | None, known: Sequence[str] = GEOMETRY_KEYS
) -> Geometry:
    """Return the geometry of a section with exactly one of the keys ``known``."""
    kinds = [key for key in known if key in shape]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none"
        raise shape.error(f"must have one of {', '.join(known)}, not {found}")
    kind = kinds[0]
    if "scale" in shape and kind != "mesh":
        raise shape.error("only a mesh has a scale", "scale")
    if kind == "mesh":
        x, y, z = shape.numbers("scale", 3, default=[1.0] * 3)
        return Mesh(shape.text("mesh"), (x, y, z), directory)
    if kind == "sphere":
        return Sphere(shape.positive("sphere"))
    sizes = shape.numbers(kind, 3 if kind == "box" else 2)
    if min(sizes) <= 0.0:
        raise shape.error("the sizes must be greater than zero", kind)
    return Box((sizes[0], sizes[1], sizes[2])) if kind == "box" else Cylinder(sizes[0], sizes[1])
