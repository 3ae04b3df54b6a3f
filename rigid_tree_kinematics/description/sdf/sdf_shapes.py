"""Reads the shapes, materials and inertias of an SDF model's links."""

from __future__ import annotations

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import PackagePaths, resolve_mesh_path
from rigid_tree_kinematics.description.sdf.sdf_joints import number
from rigid_tree_kinematics.description.sdf.sdf_scope import Scope, is_true_word, pose_of
from rigid_tree_kinematics.description.urdf import (
    CONTENT,
    Element,
    placed_inertia,
    placed_solids,
    with_extent,
)
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model.transforms import inverse

# The sizes of each shape, with the count of numbers.
SIZES = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "capsule": {"radius": 1, "length": 1},
    "ellipsoid": {"radii": 3},
}
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_inertia(link: Element) -> model.Inertia | None:
    """Return a link's inertia; 1 kg and 1 kg m^2 where SDF has no number, as it defines."""
    inertial = link.child("inertial")
    if inertial is None:
        return model.Inertia(1.0, np.zeros(3), np.eye(3))
    inertial.check_known(
        ("auto",),
        ("mass", "pose", "inertia", "density", "auto_inertia_params", "fluid_added_mass"),
    )
    if is_true_word(inertial.attributes.get("auto")):
        inertial.remark("an inertia from the shapes is not computed; the link has none")
        return None
    matrix = np.eye(3)
    if (given := inertial.child("inertia")) is not None:
        given.check_known((), MOMENTS)
        defaults = dict(zip(MOMENTS, (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), strict=True))
        xx, yy, zz, xy, xz, yz = (number(given, key, value) for key, value in defaults.items())
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return placed_inertia(inertial, number(inertial, "mass", 1.0), matrix, pose_of(inertial)[0])


def read_shapes(
    scope: Scope, name: str, body: model.RigidBody, package_paths: PackagePaths
) -> None:
    """Add the visuals and collisions of the link with this name in a scope."""
    link = scope.frames[name].element
    for element in link.all("visual"):
        with element.optional("the visual is left out"):
            material, label = _material(element), element.attributes.get("name", "")
            for shape, origin in _placed(scope, name, element, package_paths):
                body.visuals.append(model.Visual(shape, origin, label, material))
    for element in link.all("collision"):
        label = element.attributes.get("name", "")
        for shape, origin in _placed(scope, name, element, package_paths):
            body.collisions.append(model.Collision(shape, origin, label))


def _placed(
    scope: Scope, link: str, owner: Element, package_paths: PackagePaths
) -> list[tuple[model.Geometry, Array]]:
    """Return the shapes of a visual or collision, with their poses in the link."""
    origin, relative_to = pose_of(owner)
    if relative_to:
        frame = scope.frames[link]
        T_model_frame = scope.pose(scope.named(frame, relative_to), owner)
        origin = inverse(scope.pose(link)) @ T_model_frame @ origin
    geometry = owner.child("geometry")
    shapes = [] if geometry is None else geometry.children
    if not shapes:
        owner.remark(f"<{owner.tag}> has no shape; it is left out")
        return []
    shape = shapes[0]
    if shape.tag == "mesh":
        return [(mesh, origin) for mesh in _mesh(shape, owner, package_paths)]
    if shape.tag not in SIZES:
        shape.remark(f"a <{shape.tag}> has no place in a tree; the {owner.tag} is left out")
        return []
    sizes = [
        size
        for key, count in SIZES[shape.tag].items()
        for child in (shape.child(key) or Element(key, shape.line, {}, shape),)
        for size in child.sizes(CONTENT, count)
    ]
    kind = shape.tag
    if kind == "ellipsoid":
        shape.remark("an ellipsoid becomes its bounding box")
        kind, sizes = "box", [2.0 * radius for radius in sizes]
    return placed_solids(kind, with_extent(shape, sizes, owner), origin)


def _mesh(shape: Element, owner: Element, package_paths: PackagePaths) -> list[model.Mesh]:
    """Return the mesh, or none without a file; a found file is named by its path."""
    shape.check_known((), ("uri", "scale", "submesh", "convex_decomposition"))
    uri, scale = shape.child("uri"), shape.child("scale")
    name = "" if uri is None else uri.content.strip()
    if not name:
        shape.remark(f"a <mesh> without a uri; the {owner.tag} is left out")
        return []
    if shape.child("submesh") is not None:
        shape.remark("<submesh> is ignored: the whole mesh is used")
    x, y, z = (1.0, 1.0, 1.0) if scale is None else scale.numbers(CONTENT, 3)
    if not (x and y and z):
        raise shape.error("the scale contains a zero")
    directory = shape.document.directory
    try:
        name = resolve_mesh_path(name, directory, package_paths).absolute().as_uri()
    except DescriptionError:
        shape.remark(f"the mesh file '{name}' was not found")
    return [model.Mesh(name, (x, y, z), directory)]


def _material(visual: Element) -> model.Material | None:
    """Return the diffuse color, or else the ambient one."""
    material = visual.child("material")
    if material is None:
        return None
    for tag in ("diffuse", "ambient"):
        if (given := material.child(tag)) is not None:
            count = 3 if len(given.content.split()) == 3 else 4
            parts = [min(max(part, 0.0), 1.0) for part in given.numbers(CONTENT, count)]
            red, green, blue, alpha = (*parts, 1.0)[:4]
            return model.Material("", (red, green, blue, alpha))
    return None
