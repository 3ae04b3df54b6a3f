"""A tree in a configuration as a trimesh scene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import trimesh
from numpy.typing import ArrayLike

from rigid_tree_kinematics.description.meshes import visual_mesh
from rigid_tree_kinematics.model import RigidBodyTree

if TYPE_CHECKING:
    from trimesh.scene import Scene


def to_trimesh(
    tree: RigidBodyTree, configuration: ArrayLike | Mapping[str, Any] | None = None
) -> Scene:
    """Return the bodies' colored visuals in the base frame (m).

    Each body is a node of the scene's graph; its visuals are the nodes "body/visual 0" etc.
    Without a configuration the robot is at home. Raises ConfigurationError, and DescriptionError
    for a mesh that cannot be read.

    Example:
        >>> scene = to_trimesh(load_robot("ur5"))
        >>> "tool0" in scene.graph.nodes
        True
    """
    if configuration is None:
        configuration = tree.home_configuration()
    q = tree.configuration(configuration)
    scene = trimesh.Scene(base_frame=tree.base_name)
    for body in (tree.base, *tree.bodies):
        if body.parent is not None:
            T_parent_body = tree.get_transform(q, body.name, body.parent.name)
            scene.graph.update(body.name, body.parent.name, matrix=T_parent_body)
        for number, visual in enumerate(body.visuals):
            name = f"{body.name}/visual {number}"
            scene.add_geometry(visual_mesh(visual), name, name, body.name)
    return scene
