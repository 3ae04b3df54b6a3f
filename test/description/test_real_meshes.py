"""Meshes of the bundled arms have the same poses as in the manufacturers' URDFs."""

from importlib import metadata

import numpy as np
import pytest

from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import load_mesh, read_urdf, use_real_meshes, write_urdf
from rigid_tree_kinematics.description.other_packages import FILES
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.needed_packages import MissingPackageError


def placed(tree, q):
    """Return the poses of a robot's meshes by their files."""
    by_joint = [q.get(name, 0.0) for name in tree.position_names]
    return {
        (body.name.endswith("rightfinger"), visual.geometry.filename.rpartition("/")[2]): (
            tree.get_transform(by_joint, body.name) @ visual.origin
        )
        for body in (tree.base, *tree.bodies)
        for visual in body.visuals
    }


def test_meshes_are_where_the_urdf_has_them():
    for name, count in (("panda", 8), ("panda_hand", 11), ("ur5", 7)):
        tree, source = load_robot(name), read(ROBOTS / FILES[name])
        shapes = [len(body.collisions) for body in tree.bodies]
        use_real_meshes(tree)
        assert [len(body.collisions) for body in tree.bodies] == shapes
        tree = read_urdf(write_urdf(tree))  # as nodes receive it
        rng = np.random.default_rng(0)
        q = {joint: rng.uniform(-1.0, 1.0) for joint in source.position_names}
        found, wanted = placed(tree, q), placed(source, q)
        assert len(found) == count, name
        for key, T in found.items():
            np.testing.assert_allclose(T, wanted[key], atol=1e-4, err_msg=f"{name}: {key}")
        for body in tree.bodies:
            for visual in body.visuals:
                assert len(load_mesh(visual.geometry).vertices) > 100


def test_other_robots_and_a_missing_package_are_named(monkeypatch):
    with pytest.raises(DescriptionError, match="robot 'puma560' has no meshes"):
        use_real_meshes(load_robot("puma560"))

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(MissingPackageError, match="pip install example-robot-data"):
        use_real_meshes(load_robot("ur5"))
