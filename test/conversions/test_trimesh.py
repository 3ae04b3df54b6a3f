"""A trimesh scene of a robot: poses and appearance of every body."""

import numpy as np
import pytest
import yourdfpy

from harness.example_robots import URDFS, read
from rigid_tree_kinematics import RigidBodyTree, list_robots, load_robot
from rigid_tree_kinematics.conversions import to_trimesh
from rigid_tree_kinematics.description import resolve_mesh_path
from rigid_tree_kinematics.kinematics import body_transforms

PATHS = {path.stem: path for path in URDFS}


def test_bodies_are_at_their_places():
    for name in list_robots():
        tree = load_robot(name)
        q = tree.random_configuration(1)
        scene = to_trimesh(tree, q)
        bodies = (tree.base, *tree.bodies)
        for body, T in zip(bodies, body_transforms(tree, q), strict=True):
            visuals = [f"{body.name}/visual {number}" for number in range(len(body.visuals))]
            for node in (body.name, *visuals):
                np.testing.assert_allclose(scene.graph.get(node)[0], T, atol=1e-12, err_msg=node)
        assert len(scene.geometry) == sum(len(body.visuals) for body in bodies), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["ur5_robot", "panda"])
def test_it_is_as_large_as_yourdfpys(name):
    """The other library's scene, at the same configuration, by its bounding box."""
    path = PATHS[name]
    tree = read(path)
    q = tree.random_configuration(2)
    theirs = yourdfpy.URDF.load(
        str(path), filename_handler=lambda fname: str(resolve_mesh_path(fname, path.parent))
    )
    theirs.update_cfg(tree.configuration_by_name(q))
    np.testing.assert_allclose(to_trimesh(tree, q).bounds, theirs.scene.bounds, atol=1e-6)


def test_home_is_where_it_is_without_a_configuration_and_a_robot_may_have_no_shapes():
    tree = load_robot("ur5")
    home = to_trimesh(tree, tree.configuration_by_name(tree.home_configuration()))
    np.testing.assert_array_equal(to_trimesh(tree).bounds, home.bounds)
    assert not to_trimesh(RigidBodyTree("empty")).geometry
