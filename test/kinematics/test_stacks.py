"""Batches of configurations give the same results as loops."""

import multiprocessing

import numpy as np
import pytest

from rigid_tree_kinematics import dynamics as dyn
from rigid_tree_kinematics import kinematics as kin
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.errors import ConfigurationError

BODY, OTHER = "panda_link7", "panda_link3"
WRENCHES = {BODY: np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])}

FUNCTIONS = {
    "body_transform": lambda t, q, v, a: kin.body_transform(t, q, BODY),
    "body_transform between": lambda t, q, v, a: kin.body_transform(t, q, BODY, OTHER),
    "body_transforms": lambda t, q, v, a: kin.body_transforms(t, q),
    "geometric_jacobian": lambda t, q, v, a: kin.geometric_jacobian(t, q, BODY),
    "geometric_jacobian in body": lambda t, q, v, a: kin.geometric_jacobian(t, q, BODY, "body"),
    "chain_jacobian": lambda t, q, v, a: kin.chain_jacobian(t, q, BODY)[0],
    "jacobian_time_derivative": lambda t, q, v, a: kin.jacobian_time_derivative(t, q, v, BODY),
    "body_velocity": lambda t, q, v, a: kin.body_velocity(t, q, v, BODY),
    "center_of_mass": lambda t, q, v, a: kin.center_of_mass(t, q),
    "center_of_mass_jacobian": lambda t, q, v, a: kin.center_of_mass_jacobian(t, q),
    "inverse_dynamics": lambda t, q, v, a: dyn.inverse_dynamics(t, q, v, a),
    "forward_dynamics": lambda t, q, v, a: dyn.forward_dynamics(t, q, v, a),
    "gravity_torque": lambda t, q, v, a: dyn.gravity_torque(t, q),
    "velocity_product": lambda t, q, v, a: dyn.velocity_product(t, q, v),
    "coriolis_matrix": lambda t, q, v, a: dyn.coriolis_matrix(t, q, v),
    "external_torque": lambda t, q, v, a: dyn.external_torque(t, q, WRENCHES),
    "friction_torque": lambda t, q, v, a: dyn.friction_torque(t, v),
    "mass_matrix": lambda t, q, v, a: dyn.mass_matrix(t, q),
    "kinetic_energy": lambda t, q, v, a: dyn.kinetic_energy(t, q, v),
    "potential_energy": lambda t, q, v, a: dyn.potential_energy(t, q),
}


@pytest.fixture(scope="module")
def tree():
    robot = load_robot("ur5")
    panda = load_robot("panda")
    for body in panda.bodies:  # the mDH table has no masses
        body.inertia = next(b.inertia for b in robot.bodies if b.inertia is not None)
    return panda


@pytest.fixture(scope="module")
def stack(tree):
    rng = np.random.default_rng(0)
    q = np.array([tree.random_configuration(rng) for _ in range(9)])
    return q, *rng.normal(size=(2, 9, tree.compiled().velocity_count))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_stack_is_the_loop(tree, stack, name):
    function = FUNCTIONS[name]
    together = np.asarray(function(tree, *stack))
    one_by_one = [function(tree, *row) for row in zip(*stack, strict=True)]
    np.testing.assert_allclose(together, one_by_one, rtol=1e-9, atol=1e-9)
    empty = np.asarray(function(tree, *(rows[:0] for rows in stack)))
    assert empty.shape == (0, *together.shape[1:])


def test_a_large_batch_works_in_a_forked_process():
    robot, batch = load_robot("ur5").compiled(), np.zeros((20000, 6))
    kin.body_transforms(robot, batch)  # in threads
    child = multiprocessing.get_context("fork").Process(
        target=kin.body_transforms, args=(robot, batch)
    )
    child.start()
    child.join(60.0)
    ended = child.exitcode
    child.kill()
    assert ended == 0


def test_all_that_the_rooms_offer_is_here():
    offered = {*kin.__all__, *dyn.__all__} - {
        "Simulation",
        "check_inertias",
        "poses_in_parents",
        "repair_inertias",
        "simulate",
        "with_valid_inertias",
    }
    assert offered <= set(FUNCTIONS)


def test_wrong_stacks_are_rejected(tree):
    with pytest.raises(ConfigurationError):
        kin.body_transform(tree, np.zeros((3, 6)), BODY)
    with pytest.raises(ConfigurationError, match="finite"):
        kin.body_transform(tree, np.full((3, 7), np.nan), BODY)
