"""Simulated motion against hand-derived equations, SciPy and conserved quantities."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from harness.cases import case
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.dynamics import (
    check_inertias,
    gravity_torque,
    kinetic_energy,
    repair_inertias,
    simulate,
)
from rigid_tree_kinematics.dynamics.double_pendulum import fall, main, rod_ends
from rigid_tree_kinematics.dynamics.simulation import METHODS
from rigid_tree_kinematics.errors import ConfigurationError, DescriptionWarning, ModelError
from rigid_tree_kinematics.model import Inertia, JointDynamics

G = 9.81
# The pendulum's rods: mass (kg), length (m), inertia about the center (kg m^2).
MASS, LENGTH, INERTIA = 1.0, 0.5, 0.0209333


def closed_form(times, first, second):
    """Return the angles of a double pendulum of equal rods, from Lagrange's equations by hand.

    With angles a, b from the vertical, h = L / 2:
        (I + m h^2 + m L^2) a'' + m L h cos(a - b) b'' + m L h sin(a - b) b'^2
            + (m h + m L) g sin a = 0
        (I + m h^2) b'' + m L h cos(a - b) a'' - m L h sin(a - b) a'^2 + m g h sin b = 0
    """
    m, length, h, inertia = MASS, LENGTH, LENGTH / 2.0, INERTIA

    def rates(time, state):
        a, b, da, db = state
        coupling = m * length * h * math.cos(a - b)
        spin = m * length * h * math.sin(a - b)
        M = np.array(
            [[inertia + m * h * h + m * length**2, coupling], [coupling, inertia + m * h * h]]
        )
        force = [
            -spin * db * db - (m * h + m * length) * G * math.sin(a),
            spin * da * da - m * G * h * math.sin(b),
        ]
        return [da, db, *np.linalg.solve(M, force)]

    start = [first, first + second, 0.0, 0.0]
    solution = solve_ivp(
        rates, (0.0, times[-1]), start, "DOP853", t_eval=times, rtol=1e-12, atol=1e-12
    )
    return np.column_stack((solution.y[0], solution.y[1] - solution.y[0]))


@pytest.mark.parametrize("method", ["rk4", "adaptive"])
def test_double_pendulum_satisfies_lagranges_equations(method):
    tree = load_robot("double_pendulum")
    motion = simulate(tree, [math.radians(30.0), 0.0], [0.0, 0.0], None, 10.0, 1e-3, method)
    expected = closed_form(motion.times, math.radians(30.0), 0.0)
    np.testing.assert_allclose(motion.positions, expected, rtol=0, atol=1e-6)


def test_example_starts_at_thirty_degrees_and_writes_its_files(tmp_path, capsys):
    tree, motion = fall(1.0)
    assert motion.positions[0].tolist() == [math.radians(30.0), 0.0]
    ends = rod_ends(tree, motion)
    rods = np.linalg.norm(np.diff(ends, axis=1), axis=2)
    np.testing.assert_allclose(rods, LENGTH, atol=1e-12)
    assert main(["--out", str(tmp_path), "--duration", "0.5"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"fall.gif", "motion.csv", "motion.png"}
    rows = np.loadtxt(tmp_path / "motion.csv", delimiter=",", skiprows=1)
    assert rows.shape == (501, 6)
    assert "J at most" in capsys.readouterr().out


def test_the_energy_of_an_undamped_pendulum_stays_for_a_minute():
    tree = load_robot("double_pendulum")
    motion = simulate(tree, [2.0, 1.0], [0.0, 0.0], None, 60.0)
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-6
    assert np.ptp(motion.kinetic_energy) > 1.0


def test_semi_implicit_euler_swings_on():
    tree = load_robot("double_pendulum")
    motion = simulate(tree, [0.5, 0.0], [0.0, 0.0], None, 60.0, 1e-3, "semi_implicit_euler")
    halves = np.split(motion.energy[:-1], 2)
    assert abs(halves[0].mean() - halves[1].mean()) < 0.02  # of 2.1 J that it swings with
    exact = simulate(tree, [0.5, 0.0], [0.0, 0.0], None, 1.0)
    rough = simulate(tree, [0.5, 0.0], [0.0, 0.0], None, 1.0, 1e-4, "semi_implicit_euler")
    np.testing.assert_allclose(rough.positions[-1], exact.positions[-1], atol=1e-3)


def free_body(inertia):
    tree = RigidBodyTree("stone")
    body = RigidBody("stone", Joint("free", "floating"))
    body.inertia = Inertia(2.0, (0.0, 0.0, 0.0), np.diag(inertia))
    tree.add_body(body, "base")
    return tree


def test_semi_implicit_euler_turns_a_top_by_its_whole_speed():
    """About a principal axis the speed stays, so that each step turns by the same angle."""
    tree = free_body((0.1, 0.1, 0.1))
    spin = [0.0, 0.0, 0.0, 0.0, 0.0, 20.0]
    start = tree.home_configuration()
    motion = simulate(tree, start, spin, None, 1.0, 1e-2, "semi_implicit_euler")
    half = 0.5 * 20.0 * motion.times
    turns = np.abs(
        (motion.positions[:, 5:] * np.column_stack((np.sin(half), np.cos(half)))).sum(1)
    )
    np.testing.assert_allclose(turns, 1.0, atol=1e-12)


def test_a_thrown_stone_flies_a_parabola():
    tree = free_body((0.1, 0.1, 0.1))
    start = np.array([0.0, 0.0, 1.0, 0.0, 0.0, math.sin(0.3), math.cos(0.3)])
    motion = simulate(tree, start, [3.0, 0.0, 4.0, 0.0, 0.0, 0.0], None, 1.0)
    heading = np.array([math.cos(0.6), math.sin(0.6)])
    t = motion.times
    np.testing.assert_allclose(motion.positions[:, :2], 3.0 * t[:, None] * heading, atol=1e-9)
    np.testing.assert_allclose(motion.positions[:, 2], 1.0 + 4.0 * t - 0.5 * G * t**2, atol=1e-9)


def test_a_spinning_body_tumbles_and_keeps_its_momentum():
    """About its middle axis a body turns over; angular momentum in the world does not change."""
    tree = free_body((0.1, 0.2, 0.3))
    tree.gravity = (0.0, 0.0, 0.0)
    start = [0.0] * 6 + [1.0]
    motion = simulate(tree, start, [0, 0, 0, 1e-3, 6.0, 0], None, 10.0)
    w = motion.velocities[:, 3:]
    assert w[:, 1].min() < -5.0  # it turned over
    x, y, z, s = motion.positions[:, 3:].T
    np.testing.assert_allclose(x * x + y * y + z * z + s * s, 1.0, atol=1e-12)
    body = w * [0.1, 0.2, 0.3]
    u = np.column_stack((x, y, z))
    world = body + 2.0 * np.cross(u, np.cross(u, body) + s[:, None] * body)
    np.testing.assert_allclose(world, np.broadcast_to(world[0], world.shape), atol=1e-6)
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-6


def slider(low=-math.inf, high=math.inf):
    tree = RigidBodyTree("slider")
    joint = Joint("slide", "prismatic")
    joint.axis, joint.position_limits = (0.0, 0.0, 1.0), (low, high)
    body = RigidBody("weight", joint)
    body.inertia = Inertia(2.0, (0.0, 0.0, 0.0), 0.01 * np.eye(3))
    tree.add_body(body, "base")
    return tree


def test_a_joint_stops_at_its_limit_and_rests_there():
    tree = slider(0.0, 1.0)
    motion = simulate(tree, [0.5], [0.0], None, 1.0)
    assert motion.positions.min() >= 0.0
    landed = math.sqrt(2.0 * 0.5 / G)
    first = motion.times[np.flatnonzero(motion.positions[:, 0] == 0.0)[0]]
    assert first == pytest.approx(landed, abs=2e-3)
    after = motion.times > first + 5e-3
    np.testing.assert_allclose(motion.positions[after], 0.0, atol=1e-5)
    np.testing.assert_allclose(motion.velocities[after], 0.0, atol=0.02)


def test_a_stop_is_felt_by_what_hangs_on_it():
    """The second rod swings on where the first is stopped, and no energy comes from nowhere."""
    tree = load_robot("double_pendulum")
    joint = Joint("joint_A", "revolute")
    joint.axis, joint.position_limits = (0.0, 1.0, 0.0), (-0.1, 3.0)
    tree.replace_joint("B", joint)
    motion = simulate(tree, [1.0, 0.0], [0.0, 0.0], None, 3.0)
    assert motion.positions[:, 0].min() >= -0.1
    assert np.ptp(motion.positions[:, 1]) > 0.3
    assert np.diff(motion.energy).max() < 1e-3
    with pytest.raises(ModelError, match="joint_A"):
        simulate(tree, [1.0, 0.0], [0.0, 0.0], None, 3.0, method="adaptive")


def test_damping_is_exponential_and_friction_brings_to_rest():
    tree = slider()
    tree.gravity = (0.0, 0.0, 0.0)
    tree.get_joint("slide").dynamics = JointDynamics(damping=1.5)
    motion = simulate(tree, [0.0], [2.0], None, 2.0)
    np.testing.assert_allclose(
        motion.velocities[:, 0], 2.0 * np.exp(-1.5 / 2.0 * motion.times), atol=1e-9
    )
    tree.get_joint("slide").dynamics = JointDynamics(friction=1.0)
    motion = simulate(tree, [0.0], [0.5], None, 2.0)
    # It stops after v / (f / m) = 1 s and v^2 m / (2 f) = 0.25 m.
    assert motion.positions[-1, 0] == pytest.approx(0.25, abs=1e-3)
    assert abs(motion.velocities[-1, 0]) < 1e-3


def test_a_torque_law_holds_or_drives():
    tree = load_robot("double_pendulum")
    q0 = np.array([0.7, -0.3])
    result = simulate(tree, q0, [0.0, 0.0], lambda t, q, v: gravity_torque(tree, q), 1.0)
    np.testing.assert_allclose(result.positions, np.tile(q0, (len(result.times), 1)), atol=1e-9)
    pushed = simulate(tree, [0.0, 0.0], [0.0, 0.0], [0.5, 0.0], 0.5)
    # Work that the torque does is the energy that the motion has.
    work = 0.5 * pushed.positions[-1, 0]
    assert pushed.energy[-1] - pushed.energy[0] == pytest.approx(work, abs=1e-9)
    assert kinetic_energy(tree, pushed.positions[-1], pushed.velocities[-1]) == pytest.approx(
        pushed.kinetic_energy[-1]
    )


def test_an_inertia_that_no_body_has_is_an_error():
    for inertia, words in (
        (Inertia(-1.0, (0, 0, 0), np.eye(3)), "mass -1"),
        (Inertia(1.0, (0, 0, 0), np.diag([1.0, 1.0, 3.0])), "principal moments"),
        (Inertia(1.0, (0, 0, 0), np.diag([-1.0, 1.0, 1.0])), "principal moments"),
    ):
        tree = slider()
        tree.get_body("weight").inertia = inertia
        with pytest.raises(ModelError, match=f"weight.*{words}"):
            check_inertias(tree)
    tree.get_body("weight").inertia = Inertia(-1.0, (0, 0, 0), np.eye(3))
    with pytest.raises(ModelError, match=r"weight.*mass -1"):
        simulate(tree, [0.0], [0.0], None, 1.0)
    for name in ("panda", "nao", "ur5", "double_pendulum"):
        check_inertias(load_robot(name))
    # Its published moments are those that its arm feels, not those of bodies.
    with pytest.raises(ModelError, match="link_1"):
        check_inertias(load_robot("puma560"))


@pytest.mark.parametrize("seed", range(20))
def test_repaired_inertias_are_the_nearest_possible_ones(seed):
    """The nearest mass distribution is the projection of its second moments (in SciPy's sense)."""
    rng = np.random.default_rng(seed)
    axes = Rotation.random(random_state=seed).as_matrix()
    scale = 10.0 ** rng.integers(-8, 2)
    given = axes @ np.diag(scale * rng.uniform(-0.3, 1.0, 3)) @ axes.T
    tree = slider()
    tree.get_body("weight").inertia = Inertia(2.0, (0.1, 0, 0), given)
    changes = repair_inertias(tree)
    found = tree.get_body("weight").inertia
    check_inertias(tree)
    assert repair_inertias(tree) == ()
    assert (found.mass, *found.center_of_mass) == (2.0, 0.1, 0.0, 0.0)
    if not changes:
        np.testing.assert_array_equal(found.matrix, given)
        return
    assert len(changes) == 1
    assert changes[0].startswith("weight: principal moments")
    distribution = 0.5 * np.trace(given) * np.eye(3) - given
    repaired = 0.5 * np.trace(found.matrix) * np.eye(3) - found.matrix
    # The nearest positive semidefinite matrix P of a symmetric A: A = P - N, with P N = 0, N >= 0.
    rest = repaired - distribution
    assert min(np.linalg.eigvalsh(repaired)) > -1e-12 * scale
    assert min(np.linalg.eigvalsh(rest)) > -1e-12 * scale
    np.testing.assert_allclose(repaired @ rest, 0.0, atol=1e-12 * scale**2)


@pytest.mark.parametrize("name", ["double_pendulum", "puma560"])
def test_a_robot_with_impossible_inertias_is_simulated_with_a_warning(name):
    """A finger of a published hand whose inertia no body has, and a published arm."""
    tree = load_robot(name)
    body = tree.bodies[1].name
    tree.get_body(body).inertia = Inertia(0.01, (0, 0, 0.1), np.diag([1.486e-06, 2e-07, 8.31e-07]))
    rest = tree.home_configuration(), np.zeros(tree.compiled().velocity_count)
    with pytest.warns(DescriptionWarning, match=f"{body}: principal moments 2e-07") as caught:
        motion = simulate(tree, *rest, None, 0.01)
    assert len(caught) == 1
    repair_inertias(tree)
    expected = simulate(tree, *rest, None, 0.01)
    np.testing.assert_array_equal(motion.positions, expected.positions)


def test_invalid_input_is_rejected():
    given = {"q0": [0.0, 0.0], "v0": [0.0, 0.0], "torque": None, "duration": 1.0}
    for change, words in (
        ({"method": "magic"}, "rk4"),
        ({"step": 0.0}, "step"),
        ({"step": 1e-9}, "1e\\+09 steps; at most 10,000,000 .* longer step"),
        ({"step": 1e-300, "duration": 1e300}, "inf steps"),
        ({"step": 1e4, "duration": 1e6}, "steps of 0.0005 s"),
        ({"step": 1e-9, "method": "adaptive"}, "1e\\+09 steps"),
        ({"duration": math.inf}, "duration"),
        ({"v0": [0.0]}, "v0"),
        ({"torque": [0.0]}, "torque"),
        ({"q0": [0.0, math.nan]}, "joint_B"),
    ):
        with case(change), pytest.raises(ConfigurationError, match=words):
            simulate(load_robot("double_pendulum"), **{**given, **change})
    with pytest.raises(ConfigurationError, match="outside its limits"):
        simulate(slider(0.0, 1.0), [2.0], [0.0], None, 0.1)


@pytest.mark.parametrize("method", METHODS)
def test_no_time_passes_without_a_duration(method):
    q, v = [0.5, 0.1], [0.2, 0.0]
    motion = simulate(load_robot("double_pendulum"), q, v, None, 0.0, method=method)
    np.testing.assert_array_equal(motion.positions, [q, q])
    np.testing.assert_array_equal(motion.velocities, [v, v])


def test_friction_holds_a_weight_below_its_limit_and_slows_it_above():
    tree = slider()
    tree.get_joint("slide").dynamics = JointDynamics(friction=25.0)  # the weight pulls 19.62 N
    result = simulate(tree, [0.3], [0.0], None, 2.0)
    np.testing.assert_allclose(result.positions, 0.3, rtol=0, atol=1e-12)
    tree.get_joint("slide").dynamics = JointDynamics(friction=9.0)
    fallen = simulate(tree, [0.0], [0.0], None, 1.0)
    np.testing.assert_allclose(
        fallen.positions[:, 0], -0.5 * (G - 4.5) * fallen.times**2, rtol=0, atol=1e-9
    )


def test_friction_in_every_joint_brings_an_arm_to_a_rest_that_lasts():
    tree = load_robot("ur5")
    for joint in tree.joints:
        joint.dynamics = JointDynamics(friction=5.0)
    q0 = [0.3, -1.2, 1.5, 0.4, 1.0, 0.2]
    motion = simulate(tree, q0, [0.0] * 6, None, 6.0, 1e-2)
    assert np.diff(motion.energy).max() < 1e-6
    moved = np.ptp(motion.positions, axis=0)
    assert moved[1] > 0.1  # the shoulder falls
    np.testing.assert_allclose(motion.velocities[-50:], 0.0, atol=1e-9)
    assert np.ptp(motion.positions[-50:], axis=0).max() < 1e-7
