"""Mesh files, package lookup, and generated link shapes."""

from rigid_tree_kinematics.description.meshes.collada_file import GREY
from rigid_tree_kinematics.description.meshes.link_shapes import add_link_shapes
from rigid_tree_kinematics.description.meshes.mesh import (
    FARTHEST,
    MOST_POINTS,
    MOST_TRIANGLES,
    SUFFIXES,
    load_mesh,
    load_triangles,
    mesh_digest,
    visual_mesh,
)
from rigid_tree_kinematics.description.meshes.packages import (
    PackagePaths,
    checked_folders,
    find_package,
    locate_meshes,
    model_places,
    resolve_mesh_path,
)
from rigid_tree_kinematics.description.meshes.simple_files import merged
