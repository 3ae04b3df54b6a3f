"""Success depends neither on the size of a robot nor on where it stands or how far it can go."""

import numpy as np
import pytest

from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.model.joints import Mimic
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

POSES = 30
SOLVERS = ["lm", "bfgs"]
X, Y, Z = np.eye(3)
# (type, axis, offset from the parent in m, limits)
ARM = [
    ("revolute", Z, (0, 0, 0), (-2.9, 2.9)),
    ("revolute", Y, (0.1, 0, 0.4), (-2, 2)),
    ("revolute", Y, (0, 0, 0.5), (-2.5, 2.5)),
    ("revolute", Z, (0, 0, 0.45), (-3.1, 3.1)),
    ("revolute", Y, (0, 0, 0), (-2, 2)),
    ("revolute", Z, (0, 0, 0.1), (-3.1, 3.1)),
]
WRIST = [("revolute", axis, (0, 0, 0), (-1.5, 1.5)) for axis in (Z, Y, X)]


def slides(*axes, limit):
    return [("prismatic", axis, (0, 0, 0), (-limit, limit)) for axis in axes]


def serial(joints, scale=1.0, base=(0, 0, 0)):
    """A serial robot, ``scale`` times as large, with its first joint at ``base`` (m)."""
    tree = RigidBodyTree("robot", "body_0")
    for number, (kind, axis, offset, limits) in enumerate(joints, 1):
        joint = Joint(f"joint_{number}", kind, axis)
        at = scale * np.array(offset) + (base if number == 1 else 0.0)
        joint.set_fixed_transform(transform(at))
        if limits is not None:
            long = scale if kind == "prismatic" else 1.0
            joint.position_limits = tuple(long * np.array(limits))
        tree.add_body(RigidBody(f"body_{number}", joint), f"body_{number - 1}")
    return tree


def assert_reached(tree, solver="lm", wanted=None, locked=()):
    """Poses of random configurations (or ``wanted``) are solved from home and from close by."""
    tip, compiled = tree.body_names[-1], tree.compiled()
    ik = InverseKinematics(tree, tip, solver=solver, locked=locked, timeout=5.0)
    rng = np.random.default_rng(3)
    if wanted is None:
        wanted = [tree.random_configuration(rng) for _ in range(POSES)]
    held = np.isin(compiled.joint_of_position, locked)
    for q in wanted:
        T = tree.get_transform(q, tip)
        home = np.where(held, q, compiled.home)
        near = q + np.where(held, 0.0, 1e-3 * rng.normal(size=len(q)))
        for seed in (home, near):
            result = ik.solve(T, seed)
            assert result.success, result.message
            found = tree.get_transform(result.configuration, tip)
            assert np.abs(found - T)[:3, 3].max() <= ik.position_tolerance * (1 + 1e-3)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e4])
@pytest.mark.parametrize(
    "joints",
    [
        ARM,
        slides(X, limit=10.0) + ARM,
        slides(X, Y, Z, limit=10.0) + WRIST,
        # A crane: its boom extends behind two rotations.
        [*ARM[:2], *slides(X, limit=50.0), *WRIST],
    ],
    ids=["arm", "rail", "gantry", "crane"],
)
def test_size_of_the_robot(joints, scale, solver):
    assert_reached(serial(joints, scale), solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("axes", "limit"), [((X,), 999_999.0), ((X, Y), 1000.0), ((X, Y, Z), 1e5)]
)
def test_limits_of_prismatic_joints(axes, limit, solver):
    """Published mobile manipulators write +-999,999 m for "no limits"."""
    tree = serial(slides(*axes, limit=limit) + ARM)
    wanted = [tree.random_configuration(seed) for seed in range(POSES)]
    assert_reached(tree, solver, wanted)  # anywhere
    for seed, q in enumerate(wanted):
        q[: len(axes)] = np.random.default_rng(seed).uniform(-2.0, 2.0, len(axes))
    assert_reached(tree, solver, wanted)  # near home
    first = tree.joint_names[: len(axes)]
    assert_reached(tree, solver, wanted, locked=first)


@pytest.mark.parametrize("solver", SOLVERS)
def test_place_of_the_base(solver):
    far = (1e5, -1e5, 0)
    assert_reached(serial(ARM, base=far), solver)
    # A lever arm in front of the first joint that turns is none.
    locked = [("revolute", Z, (0, 0, 0), (-1, 1)), ("revolute", Z, far, (-2.9, 2.9)), *ARM[1:]]
    assert_reached(serial(locked), solver, locked=["joint_1"])
    sliding = [*slides(X, limit=1.0), ("revolute", Z, far, (-2.9, 2.9)), *ARM[1:]]
    assert_reached(serial(sliding), solver)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("far", [1.0, 50.0, 1e3, 1e6])
@pytest.mark.parametrize("kind", ["floating", "planar"])
@pytest.mark.parametrize("arm", [[], ARM], ids=["alone", "arm"])
def test_mobile_bases(kind, far, arm, solver):
    tree = serial([(kind, Z, (0, 0, 0), None), *arm])
    wanted = []
    for seed in range(POSES):
        q, rng = tree.random_configuration(seed), np.random.default_rng(seed)
        count = 3 if kind == "floating" else 2
        u = rng.normal(size=count)
        q[:count] = far * u / np.linalg.norm(u)
        wanted.append(q)
    assert_reached(tree, solver, wanted)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gear", [0.01, 100.0])
def test_joints_behind_gears(gear, solver):
    """The positions are those of motors, which joints of the arm follow through gears."""
    tree = RigidBodyTree("geared", "body_0")
    for number, (_, axis, offset, limits) in enumerate(ARM, 1):
        motor = Joint(f"motor_{number}", "revolute", Z, tuple(np.array(limits) / gear))
        tree.add_body(RigidBody(f"motor_body_{number}", motor), "body_0")
        joint = Joint(f"joint_{number}", "revolute", axis)
        joint.set_fixed_transform(transform(offset))
        joint.mimic = Mimic(motor.name, gear)
        tree.add_body(RigidBody(f"body_{number}", joint), f"body_{number - 1}")
    rng = np.random.default_rng(4)
    ik = InverseKinematics(tree, "body_6", solver=solver, timeout=5.0)
    for _ in range(POSES):
        T = tree.get_transform(tree.random_configuration(rng), "body_6")
        result = ik.solve(T)
        assert result.success, result.message


def test_all_solutions_at_every_size():
    """Axes that miss each other by a tenth of a small arm's length do not intersect."""
    offset = ("revolute", Y, (0.09, 0, 0), (-2, 2)), ("revolute", Z, (0, 0.09, 0.1), (-3.1, 3.1))
    for arm in (ARM, [*ARM[:4], *offset]):
        counts = []
        for scale in (1.0, 1e-4, 1e4):
            tree = serial(arm, scale)
            ik = InverseKinematics(tree, "body_6", position_tolerance=1e-6 * scale)
            poses = [tree.get_transform(tree.random_configuration(k), "body_6") for k in range(4)]
            counts.append([len(ik.solve_all(T, timeout=10.0)) for T in poses])
        assert counts[0] == counts[1] == counts[2]
        assert max(counts[0]) > 4


def test_what_is_called_unreachable():
    """Beyond the chain's length is unreachable; what was nearly reached may not be."""
    tree = serial(ARM)
    stretched = tree.get_transform([0, 0, 0, 0, 0, 0], "body_6")
    ik = InverseKinematics(tree, "body_6")
    assert ik.solve(stretched @ transform((0, 0, 0.1))).status.value == "unreachable"
    slightly = ik.solve(stretched @ transform((0, 0, 2e-5)), timeout=10.0)
    assert slightly.status.value == "not_converged"
    assert "near the target" in slightly.message


def test_few_joints_are_told_from_an_unreachable_position():
    """A SCARA's tool points along z wherever it is."""
    scara = [
        ("revolute", Z, (0, 0, 0.4), (-1.8, 1.8)),
        ("revolute", Z, (0.325, 0, 0), (-2.6, 2.6)),
        ("prismatic", -Z, (0.275, 0, 0), (0.0, 0.2)),
        ("revolute", Z, (0, 0, 0), (-3, 3)),
    ]
    ik = InverseKinematics(serial(scara), "body_4")
    reachable = ik.compiled.home.copy()
    T = serial(scara).get_transform(reachable, "body_4")
    tilted = T @ transform((0, 0, 0), rpy_matrix(1.0, 0, 0))
    assert "4 joints cannot choose the orientation" in ik.solve(tilted).message
    assert ik.solve(T).success
    T[2, 3] += 5.0
    assert "cannot choose" not in ik.solve(T).message
