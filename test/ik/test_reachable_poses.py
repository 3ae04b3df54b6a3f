"""Every reachable pose is solved: 10,000 random ones per robot, checked by Pinocchio."""

import numpy as np
import pytest

from harness.truth import Truth, difference, example_truth, mid_range
from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.joints import Mimic
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

POSES = 10_000
PATIENCE = 5.0  # s for a pose, whatever else the machine does
# The tolerances are met by our forward kinematics; Pinocchio's rounds differently.
ROUNDING = 1e-9
TOLERANCE = 1e-6 + ROUNDING


def random_tree(types, seed=0, mimic=None):
    """A serial robot with skew axes and offsets; the last joint may mimic another."""
    rng = np.random.default_rng(seed)
    tree = RigidBodyTree("random", "base")
    parent = "base"
    for number, kind in enumerate(types):
        axis = (0, 0, 1) if kind in ("planar", "floating") else rng.normal(size=3)
        joint = Joint(f"joint_{number}", kind, axis)
        joint.set_fixed_transform(
            transform(rng.uniform(-0.3, 0.3, 3), rpy_matrix(*rng.uniform(-3, 3, 3)))
        )
        if mimic and number == len(types) - 1:
            joint.mimic = mimic
        parent = tree.add_body(RigidBody(f"body_{number}", joint), parent).name
    return tree


def assert_all_reached(robot, ik, count, base=None, free=()):
    """``free`` are the rotation axes (of the target's frame) about which any turn will do."""
    rng = np.random.default_rng(1)
    wanted = [robot.tree.random_configuration(rng) for _ in range(count)]
    targets = np.array([robot.pose(q, ik.body, base) for q in wanted])
    batch = ik.solve_batch(targets, mid_range(robot.compiled))
    assert batch.success.all(), [r.message for r in batch if not r.success][:3]
    robot.assert_within_limits(batch.configurations)
    for T, q in zip(targets, batch.configurations, strict=True):
        found = robot.pose(q, ik.body, base)
        position, orientation = difference(T, found)
        if ik.weights[3:].all():
            assert position <= TOLERANCE
        if ik.weights[:3].all():
            assert orientation <= TOLERANCE
        elif free == "z":  # the two z axes coincide
            assert np.linalg.norm(np.cross(T[:3, 2], found[:3, 2])) <= TOLERANCE


@pytest.mark.parametrize(
    ("name", "body"),
    [("panda", "panda_link8"), ("ur5", "tool0"), ("puma", "tool0"), ("nao", "l_sole")],
)
def test_arms_and_leg(name, body, request):
    robot = request.getfixturevalue(name)
    ik = InverseKinematics(robot.tree, body, timeout=PATIENCE)
    assert_all_reached(robot, ik, POSES)


@pytest.mark.parametrize(
    ("weights", "free"), [((0, 0, 0, 1, 1, 1), "xyz"), ((1, 1, 0, 1, 1, 1), "z")]
)
def test_nao_arm_with_its_five_joints(nao, weights, free):
    ik = InverseKinematics(nao.tree, "l_gripper", "torso", weights=weights, timeout=PATIENCE)
    assert len(ik.joint_names) == 5
    assert_all_reached(nao, ik, POSES, base="torso", free=free)


def test_arm_on_a_sliding_torso():
    tiago = example_truth("tiago_description/robots/tiago.urdf")
    ik = InverseKinematics(tiago.tree, "arm_7_link", timeout=PATIENCE)
    assert "torso_lift_joint" in ik.joint_names
    assert_all_reached(tiago, ik, POSES)


def test_mimic_joint_moves_with_its_source():
    mimic = Mimic("joint_1", -0.5, 0.2)
    robot = Truth(random_tree(["revolute"] * 7, mimic=mimic))
    ik = InverseKinematics(robot.tree, "body_6", timeout=PATIENCE)
    assert len(ik.joint_names) == 6
    assert_all_reached(robot, ik, POSES)


@pytest.mark.parametrize(
    "types",
    [
        ("planar", "revolute", "revolute", "prismatic", "revolute"),
        ("floating",),
        ("revolute", "floating", "prismatic"),
        ("prismatic", "prismatic", "prismatic", "revolute", "revolute", "revolute"),
        ("continuous",) * 6,
        ("revolute",) * 12,
        ("revolute", "revolute"),
    ],
    ids=lambda types: "-".join(kind[:2] for kind in types),
)
@pytest.mark.parametrize("solver", ["lm", "bfgs"])
@pytest.mark.parametrize("upwards", [False, True], ids=["down", "up"])
def test_all_joint_types_both_ways(types, solver, upwards):
    """The tree's own forward kinematics is the judge: Pinocchio's URDF joints differ here."""
    tree = random_tree(types)
    ends = ("base", tree.body_names[-1])
    body, base = ends if upwards else ends[::-1]
    ik = InverseKinematics(tree, body, base, solver=solver, timeout=PATIENCE)
    rng = np.random.default_rng(2)
    wanted = [tree.random_configuration(rng) for _ in range(300)]
    targets = np.array([tree.get_transform(q, body, base) for q in wanted])
    batch, compiled = ik.solve_batch(targets, mid_range(tree.compiled())), tree.compiled()
    assert batch.success.all(), [r.message for r in batch if not r.success][:3]
    found = body_transform(tree, batch.configurations, body, base)
    assert np.abs(found - targets).max() < 2e-6
    assert (batch.configurations >= compiled.lower).all()
    assert (batch.configurations <= compiled.upper).all()


@pytest.mark.parametrize("name", ["panda", "ur5", "puma"])
def test_bfgs_reaches_what_lm_reaches(name, request):
    robot = request.getfixturevalue(name)
    body = {"panda": "panda_link8"}.get(name, "tool0")
    ik = InverseKinematics(robot.tree, body, solver="bfgs", timeout=PATIENCE)
    assert_all_reached(robot, ik, 1000)
