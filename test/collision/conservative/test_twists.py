"""Motion bounds of the conservative level against the motions themselves."""

import itertools

import numpy as np
import pytest

from harness.example_robots import random_robot
from rigid_tree_kinematics.collision.conservative.model import chains_of, joint_axes
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    time_to_move,
    velocity_at,
    write_accelerations,
    write_twists,
)
from rigid_tree_kinematics.collision.robot.parts import make_part
from rigid_tree_kinematics.collision.scene.scene import PlacedShape
from rigid_tree_kinematics.collision.world import empty_model
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.transforms import transform

TYPES = ("revolute", "prismatic", "continuous", "fixed") * 3
H = 1e-5  # step of the differences that velocities are compared with


def centers(tree, parts, q):
    """Return where each part's one sphere is, (k, 3)."""
    frames = body_transforms(tree, q)
    points = [frames[part.row] @ np.append(part.spheres[0, :3], 1.0) for part in parts]
    return np.array(points)[:, :3]


def ball_on(compiled, name, position, radius=0.05):
    """Return a part of one sphere."""
    shapes = [PlacedShape(Sphere(radius), transform(position))]
    return make_part(compiled, name, compiled.index_of(name), shapes)


def model_of(compiled, parts):
    """Return the part of a model that the bounds depend on."""
    chains, reaches = chains_of(compiled, parts)
    return empty_model(compiled.position_count)._replace(
        table=np.array(compiled.table),
        rows=np.arange(1, len(compiled.table)),
        chains=chains,
        chain_reach=reaches,
        joint_axes=joint_axes(compiled),
    )


def accelerations_of(model, steps):
    out = np.empty(len(model.chains))
    write_accelerations(model, np.array(steps), out)
    return out


@pytest.mark.parametrize("seed", range(10))
def test_no_point_moves_farther_than_its_velocity_and_acceleration_allow(seed):
    tree = random_robot(seed, TYPES, mimics=0.3, chain=0.8)
    compiled = tree.compiled()
    rng = np.random.default_rng(100 + seed)
    names = compiled.body_names[1:]
    parts = [ball_on(compiled, name, rng.uniform(-0.3, 0.3, 3)) for name in names]
    model = model_of(compiled, parts)
    twists = np.zeros((len(model.table), 6))
    for _ in range(20):
        q = tree.random_configuration(rng.integers(1_000_000))
        difference = rng.normal(size=len(q)) * rng.choice((0.0, 0.1, 1.0), size=len(q))
        accelerations = accelerations_of(model, np.abs(difference))
        frames = np.ascontiguousarray(body_transforms(tree, q)[:, :3].reshape(-1, 12))
        write_twists(model, frames, difference, twists)
        here = centers(tree, parts, q)
        velocities = np.array(
            [velocity_at(twists, p.row, tuple(c)) for p, c in zip(parts, here, strict=True)]
        )
        ahead, behind = (centers(tree, parts, q + s * H * difference) for s in (1, -1))
        np.testing.assert_allclose(velocities, (ahead - behind) / (2.0 * H), atol=1e-7)
        normals = rng.normal(size=velocities.shape)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        for t in np.linspace(-1.0, 1.0, 15):
            moved = centers(tree, parts, q + t * difference) - here
            bend = 0.5 * accelerations * t * t + 1e-9
            speeds = np.linalg.norm(velocities, axis=1)
            assert (np.linalg.norm(moved, axis=1) <= speeds * abs(t) + bend).all()
            toward = np.abs((velocities * normals).sum(axis=1))
            assert (np.abs((moved * normals).sum(axis=1)) <= toward * abs(t) + bend).all()


def test_the_bound_is_reached_by_a_point_on_a_circle():
    """One revolute joint: the acceleration is the angle squared times the distance."""
    tree = RigidBodyTree("wheel", "ground")
    tree.add_body(RigidBody("spoke", Joint("hub", "continuous", [0.0, 0.0, 1.0])), "ground")
    compiled = tree.compiled()
    model = model_of(compiled, [ball_on(compiled, "spoke", (0.5, 0.0, 0.2), 1e-5)])
    np.testing.assert_allclose(accelerations_of(model, [2.0]), 2.0**2 * 0.5, rtol=1e-4)


def test_a_joint_of_several_positions_has_no_bound():
    tree = RigidBodyTree("sled", "ground")
    tree.add_body(RigidBody("sled", Joint("base", "planar", [0.0, 0.0, 1.0])), "ground")
    tree.add_body(RigidBody("arm", Joint("turn", "continuous", [0.0, 0.0, 1.0])), "sled")
    compiled = tree.compiled()
    model = model_of(compiled, [ball_on(compiled, "arm", (0.0, 0.0, 0.0))])
    for steps, bounded in (([0.1, 0.0, 0.0, 1.0], False), ([0.0, 0.0, 0.0, 1.0], True)):
        assert np.isfinite(accelerations_of(model, steps)[0]) == bounded


def test_the_time_to_move_is_when_speed_and_acceleration_have_brought_it_there():
    for speed, acceleration, distance in itertools.product(
        (0.0, 0.3, 2.0), (0.0, 0.7), (0.01, 1.0)
    ):
        if speed == acceleration == 0.0:
            continue
        time = time_to_move(speed, acceleration, distance)
        assert speed * time + 0.5 * acceleration * time**2 == pytest.approx(distance)
