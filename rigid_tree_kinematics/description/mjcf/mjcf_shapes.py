"""Turns the geoms of a compiled MJCF model into visual and collision shapes."""

from __future__ import annotations

import numpy as np

import rigid_tree_kinematics.model as tree_model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import SUFFIXES
from rigid_tree_kinematics.description.mjcf.mjcf_model import MjcfModel, pose
from rigid_tree_kinematics.description.urdf import placed_solids
from rigid_tree_kinematics.model.transforms import inverse

PLANE, HEIGHTS, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # mjtGeom
SOLIDS = {  # as in URDF, with the count of sizes
    SPHERE: ("sphere", 1),
    CAPSULE: ("capsule", 2),
    ELLIPSOID: ("box", 3),
    CYLINDER: ("cylinder", 2),
    BOX: ("box", 3),
}
LAST_DRAWN_GROUP = 2  # that MuJoCo's viewer draws by default


def add_shapes(mjcf: MjcfModel, number: int, body: tree_model.RigidBody) -> None:
    """Add a body's geoms: visuals if their group is drawn, collisions if they can collide."""
    model, names = mjcf.model, mjcf.names("geom")
    first, count = model.body_geomadr[number], model.body_geomnum[number]
    for geom in range(first, first + count):
        drawn = model.geom_group[geom] <= LAST_DRAWN_GROUP
        collides = model.geom_contype[geom] or model.geom_conaffinity[geom]
        if not (drawn or collides):
            continue
        origin = pose(model.geom_pos[geom], model.geom_quat[geom])
        for shape, place in _placed(mjcf, geom, f"geom '{names[geom]}'"):
            if drawn:
                color = _material(mjcf, geom)
                body.visuals.append(tree_model.Visual(shape, origin @ place, names[geom], color))
            if collides:
                body.collisions.append(tree_model.Collision(shape, origin @ place, names[geom]))


def _placed(mjcf: MjcfModel, geom: int, place: str) -> list[tuple[tree_model.Geometry, Array]]:
    """Return the shapes of a geom in its frame: one, none, or the three parts of a capsule."""
    kind, sizes = mjcf.model.geom_type[geom], mjcf.model.geom_size[geom].tolist()
    if kind == ELLIPSOID:
        mjcf.remark(place, "an ellipsoid becomes its bounding box")
    if kind in SOLIDS:
        tag, count = SOLIDS[kind]
        full = sizes[:1] + [2.0 * half for half in sizes[1:]]  # a radius and a length
        if tag == "box":
            full = [2.0 * half for half in sizes]
        return placed_solids(tag, full[:count], np.eye(4))
    if kind == MESH:
        return _mesh(mjcf, mjcf.model.geom_dataid[geom], place)
    mjcf.remark(place, "a plane, height field or signed distance field is left out")
    return []


def _mesh(mjcf: MjcfModel, mesh: int, place: str) -> list[tuple[tree_model.Geometry, Array]]:
    """Return the file of a mesh, which MuJoCo moved to the principal axes of its inertia."""
    model, asset = mjcf.model, mjcf.spec.meshes[mesh]
    start = model.mesh_pathadr[mesh]
    name = model.paths[start : model.paths.index(b"\0", start)].decode() if start >= 0 else ""
    moved = any(asset.refpos) or abs(asset.refquat[0]) < np.linalg.norm(asset.refquat)
    if moved or not name.lower().endswith(SUFFIXES):
        remark = "a mesh with a reference pose, or without a file that can be read, is left out"
        mjcf.remark(place, remark)
        return []
    # MuJoCo 3 has the file's name. MuJoCo 4 has its whole path, which replaces the folders.
    file = (mjcf.path.parent / mjcf.spec.meshdir / name).as_uri()
    x, y, z = model.mesh_scale[mesh].tolist()
    T_file_geom = pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
    return [(tree_model.Mesh(file, (x, y, z)), inverse(T_file_geom))]


def _material(mjcf: MjcfModel, geom: int) -> tree_model.Material:
    """Return the color of a geom's material, or its own."""
    number = mjcf.model.geom_matid[geom]
    table = mjcf.model.geom_rgba[geom] if number < 0 else mjcf.model.mat_rgba[number]
    red, green, blue, alpha = (round(float(part), 6) for part in table)
    name = "" if number < 0 else mjcf.names("mat")[number]
    return tree_model.Material(name, (red, green, blue, alpha))
