"""The exact level against Pinocchio's geometry model and coal, pair by pair, on real arms."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import trimesh

from harness.example_robots import ROBOTS, read
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import load_mesh
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import Box, Cylinder, Mesh
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


class Truth:
    """Pinocchio's collision geometry of the same file, with the checker's pairs of bodies."""

    def __init__(self, file, checker):
        text = file.read_text()
        self.compiled = checker.compiled
        self.model = pin.buildModelFromXML(text, mimic=True)
        self.shapes = pin.buildGeomFromUrdfString(
            self.model, text, pin.GeometryType.COLLISION, None, [str(ROBOTS.parent.parent)]
        )
        frames = [shape.parentFrame for shape in self.shapes.geometryObjects]
        self.bodies = [self.model.frames[frame].name for frame in frames]
        checked = {frozenset(pair) for pair in checker.self_pairs}
        for i, one in enumerate(self.bodies):
            for j in range(i):
                if frozenset((one, self.bodies[j])) in checked:
                    self.shapes.addCollisionPair(pin.CollisionPair(j, i))
        self.data, self.shape_data = self.model.createData(), self.shapes.createData()

    def place(self, q):
        positions = pin.neutral(self.model)
        for joint, name in zip(self.model.joints, self.model.names, strict=True):
            if name in self.compiled.joint_slots:
                start, count = self.compiled.joint_slots[name]
                values = q[start : start + count]
                if count == 1 and joint.nq == 2:
                    values = np.cos(values[0]), np.sin(values[0])
                positions[joint.idx_q : joint.idx_q + joint.nq] = values
        pin.updateGeometryPlacements(
            self.model, self.data, self.shapes, self.shape_data, positions
        )

    def touching(self, q):
        self.place(q)
        pin.computeCollisions(self.shapes, self.shape_data, False)
        return {
            self.names(pair)
            for pair, result in zip(
                self.shapes.collisionPairs, self.shape_data.collisionResults, strict=True
            )
            if result.isCollision()
        }

    def distances(self, q):
        self.place(q)
        pin.computeDistances(self.shapes, self.shape_data)
        return [result.min_distance for result in self.shape_data.distanceResults]

    def names(self, pair):
        return frozenset((self.bodies[pair.first], self.bodies[pair.second]))


def surface(collision):
    shape = collision.geometry
    if isinstance(shape, Mesh):
        mesh = load_mesh(shape)
    elif isinstance(shape, Box):
        mesh = trimesh.creation.box(shape.size)
    elif isinstance(shape, Cylinder):
        mesh = trimesh.creation.cylinder(shape.radius, shape.length)
    else:
        mesh = trimesh.creation.icosphere(radius=shape.radius)
    return mesh.apply_transform(collision.origin)


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
        [surface(c).apply_transform(frames[compiled.index_of(name)]) for c in body.collisions]
        for name in pair
        for body in (tree.base, *tree.bodies)
        if body.name == name
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
    file = ROBOTS / request.param
    tree = read(file)
    checker = CollisionChecker(tree)
    return tree, checker, Truth(file, checker)


def configurations(checker, count, seed=5):
    rng = np.random.default_rng(seed)
    return [random_configuration(checker.compiled, rng) for _ in range(count)]


def test_same_pairs_collide(arm):
    """Beyond coal's surfaces, only a body inside of another one may be reported."""
    tree, checker, truth = arm
    for q in configurations(checker, 40):
        expected = truth.touching(q)
        report = checker.check(q)
        found = {frozenset((contact.first, contact.second)) for contact in report.contacts}
        assert report.free == (not found)
        assert expected <= found
        for pair in found - expected:
            assert one_holds_the_other(tree, checker.compiled, q, tuple(pair)), pair


def test_is_free_agrees_with_check(arm):
    _, checker, _ = arm
    batch = np.array(configurations(checker, 60, seed=6))
    expected = [checker.check(q).free for q in batch]
    assert checker.is_free_batch(batch).tolist() == expected
    assert [checker.is_free(q) for q in batch] == expected
    assert any(expected)


def test_the_smallest_distance_is_coals(arm):
    _, checker, truth = arm
    compared = 0
    for q in configurations(checker, 15, seed=7):
        found = checker.distance(q)
        if found.distance <= 0.0:
            continue
        compared += 1
        assert found.distance == pytest.approx(min(truth.distances(q)), abs=2e-6)
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
