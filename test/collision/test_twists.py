"""How far a motion takes points: the conservative level's bounds against the motion itself."""

import itertools

import numpy as np
import pytest

from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    place_twists,
    time_to_move,
    velocity_at,
    write_accelerations,
)
from rigid_tree_kinematics.collision.robot.chains import chains_of, joint_axes
from rigid_tree_kinematics.collision.robot.parts import make_part
from rigid_tree_kinematics.collision.scene.scene import PlacedShape
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import Inertia, Joint, Mimic, RigidBody, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy

TYPES = ("revolute", "prismatic", "continuous", "fixed")
H = 1e-5  # step of the differences that velocities are compared with


def random_tree(seed, bodies=12, types=TYPES):
    """Return a tree of long chains with general axes and transforms, and mimics."""
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("random", "ground")
    names, sources = ["ground"], []
    for number in range(bodies):
        joint = Joint(f"j{number}", types[number % len(types)], rng.normal(size=3))
        poses = [
            transform_from_xyz_rpy(
                rng.uniform(-0.4, 0.4, 3).tolist(), rng.uniform(-3, 3, 3).tolist()
            )
            for _ in range(2)
        ]
        joint.set_transforms(*poses)
        if joint.position_count == 1:
            if sources and rng.random() < 0.3:
                joint.mimic = Mimic(str(rng.choice(sources)), rng.normal(), rng.normal())
            else:
                sources.append(joint.name)
        body = RigidBody(f"b{number}", joint)
        body.inertia = Inertia(1.0, np.zeros(3), np.eye(3))
        tree.add_body(body, names[-1] if rng.random() < 0.8 else str(rng.choice(names)))
        names.append(body.name)
    return tree


def centres(compiled, tree, parts, q):
    """Return where each part's one sphere is, (k, 3)."""
    frames = body_transforms(tree, q)
    points = [frames[part.row] @ np.append(part.spheres[0, :3], 1.0) for part in parts]
    return np.array(points)[:, :3]


@pytest.mark.parametrize("seed", range(20))
def test_no_point_moves_farther_than_its_velocity_and_acceleration_say(seed):
    tree = random_tree(seed)
    compiled = tree.compiled()
    rng = np.random.default_rng(100 + seed)
    parts = [
        make_part(
            compiled,
            name,
            row,
            [
                PlacedShape(
                    Sphere(0.05),
                    transform_from_xyz_rpy(rng.uniform(-0.3, 0.3, 3).tolist(), [0.0] * 3),
                )
            ],
        )
        for row, name in enumerate(compiled.body_names)
        if row > 0
    ]
    chains, reaches = chains_of(compiled, parts)
    rows = np.arange(1, len(compiled.table))
    table = np.array(compiled.table)
    accelerations, twists = np.empty(len(parts)), np.zeros((len(table), 6))
    for _ in range(20):
        q = tree.random_configuration(rng.integers(1_000_000))
        difference = rng.normal(size=len(q)) * rng.choice((0.0, 0.1, 1.0), size=len(q))
        write_accelerations(table, chains, reaches, np.abs(difference), accelerations)
        frames = np.ascontiguousarray(body_transforms(tree, q)[:, :3].reshape(-1, 12))
        place_twists(table, rows, frames, joint_axes(compiled), difference, twists)
        here = centres(compiled, tree, parts, q)
        velocities = np.array(
            [velocity_at(twists, p.row, *point) for p, point in zip(parts, here, strict=True)]
        )
        ahead, behind = (centres(compiled, tree, parts, q + s * H * difference) for s in (1, -1))
        np.testing.assert_allclose(velocities, (ahead - behind) / (2.0 * H), atol=1e-7)
        normals = rng.normal(size=velocities.shape)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        for t in np.linspace(-1.0, 1.0, 15):
            way = centres(compiled, tree, parts, q + t * difference) - here
            bend = 0.5 * accelerations * t * t + 1e-9
            speeds = np.linalg.norm(velocities, axis=1)
            assert (np.linalg.norm(way, axis=1) <= speeds * abs(t) + bend).all()
            toward = np.abs((velocities * normals).sum(axis=1))
            assert (np.abs((way * normals).sum(axis=1)) <= toward * abs(t) + bend).all()


def test_the_bound_is_reached_by_a_point_on_a_circle():
    """One turning joint: the acceleration is the angle squared times the distance."""
    tree = RigidBodyTree("wheel", "ground")
    tree.add_body(RigidBody("spoke", Joint("hub", "continuous", [0.0, 0.0, 1.0])), "ground")
    compiled = tree.compiled()
    part = make_part(
        compiled,
        "spoke",
        1,
        [PlacedShape(Sphere(1e-5), transform_from_xyz_rpy([0.5, 0.0, 0.2], [0.0] * 3))],
    )
    chains, reaches = chains_of(compiled, [part])
    out = np.empty(1)
    write_accelerations(np.array(compiled.table), chains, reaches, np.array([2.0]), out)
    np.testing.assert_allclose(out, 2.0**2 * 0.5, rtol=1e-4)


def test_a_joint_of_several_positions_has_no_bound():
    tree = RigidBodyTree("sled", "ground")
    tree.add_body(RigidBody("sled", Joint("base", "planar", [0.0, 0.0, 1.0])), "ground")
    tree.add_body(RigidBody("arm", Joint("turn", "continuous", [0.0, 0.0, 1.0])), "sled")
    compiled = tree.compiled()
    shape = [PlacedShape(Sphere(0.1), np.eye(4))]
    chains, reaches = chains_of(compiled, [make_part(compiled, "arm", 2, shape)])
    out = np.empty(1)
    for steps, bounded in (([0.1, 0.0, 0.0, 1.0], False), ([0.0, 0.0, 0.0, 1.0], True)):
        write_accelerations(np.array(compiled.table), chains, reaches, np.array(steps), out)
        assert np.isfinite(out[0]) == bounded


def test_the_time_to_move_is_when_speed_and_acceleration_have_brought_it_there():
    for speed, acceleration, distance in itertools.product(
        (0.0, 0.3, 2.0), (0.0, 0.7), (0.01, 1.0)
    ):
        if speed == acceleration == 0.0:
            continue
        time = time_to_move(speed, acceleration, distance)
        assert speed * time + 0.5 * acceleration * time**2 == pytest.approx(distance)
