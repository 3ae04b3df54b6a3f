"""The exact level against Pinocchio's geometry model and coal, pair by pair, on real arms."""

import itertools
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from harness.example_robots import ROBOTS, mesh_of
from harness.truth import example_truth
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model.configuration import random_configuration

ARMS = (
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "kinova_description/robots/kinova.urdf",
    "ur_description/urdf/ur3_gripper.urdf",
    "ur_description/urdf/ur10_robot.urdf",
    "so_arm_description/urdf/so100.urdf",
    "z1_description/urdf/z1.urdf",
)


class Shapes:
    """Pinocchio's collision shapes of a robot, with the checker's pairs of bodies."""

    def __init__(self, truth, checker):
        self.truth, model = truth, truth.model
        self.shapes = pin.buildGeomFromUrdfString(
            model, truth.urdf, pin.GeometryType.COLLISION, None, [str(ROBOTS.parent.parent)]
        )
        bodies = [model.frames[shape.parentFrame].name for shape in self.shapes.geometryObjects]
        checked = {frozenset(pair) for pair in checker.self_pairs}
        self.names = []
        for (j, two), (i, one) in itertools.combinations(enumerate(bodies), 2):
            if {one, two} in checked:
                self.shapes.addCollisionPair(pin.CollisionPair(j, i))
                self.names.append(frozenset((one, two)))
        self.all = model, truth.data, self.shapes, self.shapes.createData()

    def touching(self, q):
        pin.computeCollisions(*self.all, self.truth.positions(q), False)
        found = zip(self.names, self.all[-1].collisionResults, strict=True)
        return {names for names, result in found if result.isCollision()}

    def smallest_distance(self, q):
        pin.computeDistances(*self.all, self.truth.positions(q))
        return min(result.min_distance for result in self.all[-1].distanceResults)


def holds(mesh, point):
    """Whether a ray from the point leaves the mesh an odd number of times (Moller-Trumbore)."""
    ray = np.array([0.36, 0.48, 0.8])
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    across = np.cross(ray, c - a)
    scale = np.einsum("ij,ij->i", b - a, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", point - a, across) / scale
        beyond = np.cross(point - a, b - a)
        v = beyond @ ray / scale
        t = np.einsum("ij,ij->i", c - a, beyond) / scale
        hits = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)
    return hits.sum() % 2 == 1


def one_holds_the_other(tree, compiled, q, pair):
    """Whether a vertex of one body's shapes is inside of one of the other's."""
    frames = body_transforms(compiled, q)
    meshes = [
        [
            mesh_of(c.geometry).apply_transform(frames[compiled.index_of(name)] @ c.origin)
            for c in tree.get_body(name).collisions
        ]
        for name in pair
    ]
    return any(
        holds(a, vertex)
        for outer, inner in (meshes, meshes[::-1])
        for a in outer
        for b in inner
        for vertex in b.vertices[:: 1 + len(b.vertices) // 20]
    )


@pytest.fixture(scope="module", params=ARMS, ids=lambda path: Path(path).stem)
def arm(request):
    truth = example_truth(request.param)
    checker = CollisionChecker(truth.tree)
    return truth.tree, checker, Shapes(truth, checker)


def configurations(checker, count, seed=5):
    rng = np.random.default_rng(seed)
    return [random_configuration(checker.compiled, rng) for _ in range(count)]


def test_same_pairs_collide(arm):
    """Beyond coal's surfaces, only a body inside of another one may be reported."""
    tree, checker, shapes = arm
    for q in configurations(checker, 40):
        expected = shapes.touching(q)
        report = checker.check(q)
        found = {frozenset((contact.first, contact.second)) for contact in report.contacts}
        assert report.free == (not found)
        assert expected <= found
        for pair in found - expected:
            assert one_holds_the_other(tree, checker.compiled, q, tuple(pair)), pair


def test_the_smallest_distance_is_coals(arm):
    _, checker, shapes = arm
    compared = 0
    for q in configurations(checker, 15, seed=7):
        found = checker.distance(q)
        if found.distance <= 0.0:
            continue
        compared += 1
        assert found.distance == pytest.approx(shapes.smallest_distance(q), abs=2e-6)
        apart = np.linalg.norm(found.point_first - found.point_second)
        assert apart == pytest.approx(found.distance, abs=2e-6)
    assert compared > 3


def test_distances_below_the_padding_are_collisions(arm):
    tree, checker, _ = arm
    padded = CollisionChecker(tree, padding=0.02)
    verdicts = set()
    for q in configurations(checker, 25, seed=8):
        distance = padded.distance(q).distance
        if abs(distance - 0.02) > 1e-5:
            verdicts.add(distance > 0.02)
            assert padded.is_free(q) == (distance > 0.02)
            assert padded.check(q).free == (distance > 0.02)
    assert verdicts == {True, False}
