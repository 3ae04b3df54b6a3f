"""The scene of a planner without a node: changes as objects, and the points of sensors."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import Obstacle, Scene
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import inverse, transform
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.nodes.scene.changes import Add, Attach, Clear, Detach, Move, Remove

HAND = "panda_link8"
PART = Obstacle.of("part", Sphere(0.02), transform((0.4, 0.1, 0.5)))
TABLE = Obstacle.of("table", Box((1.0, 1.0, 0.1)))


@pytest.fixture(scope="module")
def panda():
    return load_robot("panda")


def accepted(_: Scene) -> None:
    pass


def test_a_carried_obstacle_keeps_its_pose_in_the_hand(panda):
    home, there = panda.home_configuration(), panda.random_configuration(4)
    keeper = SceneKeeper(Scene([TABLE]))
    grasp = [Add(PART), Attach("part", HAND, (HAND, "table"))]
    keeper.change(grasp, panda, home, accepted)
    assert keeper.scene.attached["part"].touch_bodies == (HAND, "table")
    keeper.change([Detach("part")], panda, there, accepted)
    in_hand = inverse(panda.get_transform(home, HAND)) @ PART.pose
    placed = keeper.scene.obstacles["part"].pose
    found = inverse(panda.get_transform(there, HAND)) @ placed
    np.testing.assert_allclose(found, in_hand, atol=1e-12)
    keeper.change([Move("part", transform((1.0, 0.0, 0.0)))], panda, home, accepted)
    assert keeper.scene.obstacles["part"].pose[0, 3] == 1.0
    keeper.change([Remove("part")], panda, home, accepted)
    assert list(keeper.scene.obstacles) == ["table"]
    keeper.change([Clear()], panda, home, accepted)
    assert not keeper.scene.obstacles


def test_all_changes_are_applied_or_none(panda):
    keeper, home = SceneKeeper(Scene([TABLE])), panda.home_configuration()
    before = keeper.scene

    def reject(scene: Scene) -> None:
        raise CollisionError(f"{len(scene.obstacles)} obstacles")

    for changes, accept, words in (
        ([Add(PART), Remove("tabel")], accepted, r"change 2 \(remove\): .*table"),
        ([Add(PART), Attach("part", "hand")], accepted, r"change 2 \(attach\)"),
        ([Add(PART)], reject, "2 obstacles"),
    ):
        with pytest.raises(CollisionError, match=words):
            keeper.change(changes, panda, home, accept)
        assert keeper.scene is before


def test_points_of_sensors_and_requests_have_different_names(panda):
    keeper, home = SceneKeeper(Scene([TABLE])), panda.home_configuration()
    with pytest.raises(CollisionError, match="another obstacle has the name 'table'"):
        keeper.set_sensed("table", PART, accepted)
    keeper.set_sensed("part", PART, accepted)
    assert (set(keeper.scene.obstacles), set(keeper.requested.obstacles)) == (
        {"table", "part"},
        {"table"},
    )
    with pytest.raises(CollisionError, match="'part' is the name of a sensor's points"):
        keeper.change([Add(PART)], panda, home, accepted)
    keeper.change([Clear()], panda, home, accepted)
    assert list(keeper.scene.obstacles) == ["part"]
