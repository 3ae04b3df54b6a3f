"""Contacts and center of mass of a robot, against the kernels and Shapely."""

import numpy as np
import pytest
import shapely

from rigid_tree_kinematics import RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.kinematics import body_transforms, center_of_mass
from rigid_tree_kinematics.model import Box, Visual
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_web.drawn import balance


@pytest.mark.parametrize("name", ["nao", "panda", "double_pendulum"])
def test_center_is_that_of_the_kernels(name):
    tree = load_robot(name)
    for seed in range(5):
        q = tree.random_configuration(seed)
        if tree.compiled().mass.sum():
            found = balance.center_of_mass(tree.compiled(), body_transforms(tree, q))
            np.testing.assert_allclose(found, center_of_mass(tree, q), atol=1e-12)


def test_nao_stands_on_both_soles():
    tree = load_robot("nao")
    legs = ("Hip", "Knee", "Ankle")
    home = tree.configuration_by_name(tree.home_configuration())
    straight = {n: 0.0 if any(leg in n for leg in legs) else at for n, at in home.items()}
    q = tree.configuration(straight)
    contacts = balance.Support(tree).contacts(body_transforms(tree, q))
    sensors = [name for name in tree.body_names if "Fsr" in name]  # at the corners of its feet
    assert len(sensors) == 8
    places = np.array([tree.get_transform(q, name)[:3, 3] for name in sensors])
    polygon = balance.support_polygon(contacts)
    hull = shapely.MultiPoint(places[:, :2]).convex_hull
    assert shapely.Polygon(polygon).buffer(1e-9).contains(hull)
    # The soles are larger than the rectangle of their sensors, and no wider than a foot.
    assert hull.area < shapely.Polygon(polygon).area < 2.0 * hull.area
    assert balance.is_inside(center_of_mass(tree, q), polygon)


def contacts_of(tree, T_world_base):
    return balance.Support(tree).contacts(T_world_base @ body_transforms(tree, np.zeros(0)))


def test_the_lowest_corners_carry_a_tilted_box():
    tree = RigidBodyTree("r", "base")
    tree.base.visuals.append(Visual(Box((2.0, 4.0, 6.0))))
    tree.add_body(RigidBody("inside"), "base")
    contacts = contacts_of(tree, transform((1.0, 2.0, 3.0)))
    np.testing.assert_allclose(
        np.unique(contacts, axis=0), [[0, 0, 0], [0, 4, 0], [2, 0, 0], [2, 4, 0]], atol=1e-12
    )
    c, s = np.cos(0.3), np.sin(0.3)
    tilted = transform(rotation=np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))
    on_an_edge = contacts_of(tree, tilted)
    assert len(on_an_edge) == 2
    assert len(balance.support_polygon(on_an_edge)) == 0
    assert len(contacts_of(RigidBodyTree("bare"), np.eye(4))) == 0


def test_polygons_contain_the_same_points_as_in_shapely():
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = rng.normal(size=(12, 3))
        polygon = balance.support_polygon(points)
        truth = shapely.MultiPoint(points[:, :2]).convex_hull
        assert shapely.Polygon(polygon).equals_exact(truth, 1e-9) or shapely.Polygon(
            polygon
        ).symmetric_difference(truth).area == pytest.approx(0.0, abs=1e-9)
        for point in rng.normal(size=(20, 3)):
            assert balance.is_inside(point, polygon) == truth.contains(shapely.Point(point[:2]))
    assert not balance.is_inside(np.zeros(3), np.zeros((0, 2)))
