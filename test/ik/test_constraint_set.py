"""Constraints: their quantities and projections, checked by Pinocchio and SciPy."""

import numpy as np
import pytest
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from harness.example_robots import SIDES, two_arms
from harness.truth import Truth
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.ik import (
    AimingConstraint,
    CartesianBounds,
    CenterOfMassOverPolygon,
    ConstraintSet,
    DirectionBounds,
    DistanceBounds,
    GeneralizedInverseKinematics,
    JointBounds,
    OrientationBounds,
    OrientationTarget,
    PoseTarget,
    PositionTarget,
    RegionBounds,
    each_solution,
    projected_solutions,
)
from rigid_tree_kinematics.ik.constraints.constraint_set import TIGHTEST
from rigid_tree_kinematics.kinematics import center_of_mass
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.transforms import transform

TIP = "panda_link8"
DOWN = np.diag([1.0, -1.0, -1.0])
TURNED = Rotation.from_euler("XYZ", [0.4, -0.3, 0.8]).as_matrix()
CORNERS = np.random.default_rng(5).uniform(-0.2, 0.2, (12, 3))
HULL = Delaunay(CORNERS)
POINT = np.array([0.02, -0.03, 0.1])
PLACE = transform((0.35, -0.3, 0.3), TURNED)


def over(values, low, high):
    """Return by how much values are outside of their bounds, together."""
    return np.linalg.norm(np.maximum(0.0, np.maximum(values - high, low - values)))


def local(T):
    """Return POINT of the body in the frame PLACE."""
    return (np.linalg.inv(PLACE) @ T @ np.append(POINT, 1.0))[:3]


def euler(axes, tolerances):
    def miss(T):
        angles = Rotation.from_matrix(TURNED.T @ T[:3, :3]).as_euler(axes)
        return over(angles, -np.array(tolerances), np.array(tolerances))

    return miss


def rotation_vector(tolerances):
    def miss(T):
        vector = Rotation.from_matrix(T[:3, :3] @ TURNED.T).as_rotvec()
        return over(vector, -np.array(tolerances), np.array(tolerances))

    return miss


def cylinder(T):
    x, y, z = local(T)
    return over(np.array([np.hypot(x, y), z]), np.array([0.0, -0.1]), np.array([0.05, 0.1]))


def hull(T):
    return 0.0 if HULL.find_simplex(local(T)) >= 0 else 1.0


def box(T):
    return over(local(T), np.full(3, -0.1), np.full(3, 0.1))


def sphere(T):
    return max(0.0, np.linalg.norm(T[:3, :3] @ POINT + T[:3, 3]) - 0.1)


def turn(T):
    return np.linalg.norm(Rotation.from_matrix(DOWN.T @ T[:3, :3]).as_rotvec())


def aim(T):
    axis, direction = T[:3, :3] @ (0.0, np.sqrt(0.5), np.sqrt(0.5)), PLACE[:3, 3] - T[:3, 3]
    return np.arctan2(np.linalg.norm(np.cross(axis, direction)), axis @ direction)


# Constraints, and by how much a pose of the tip in the reference misses it.
CASES = {
    "xyz": (
        OrientationBounds(TIP, TURNED, (0.1, 0.2, 4.0)),
        euler("XYZ", (0.1, 0.2, np.inf)),
    ),
    "xyz, tight": (OrientationBounds(TIP, TURNED, (0.0, 0.0, 0.0)), euler("XYZ", (0, 0, 0))),
    "rpy": (
        OrientationBounds(TIP, TURNED, (0.1, 0.2, 0.5), angles="rpy"),
        euler("xyz", (0.1, 0.2, 0.5)),
    ),
    "rotation vector": (
        OrientationBounds(TIP, TURNED, (0.1, 0.4, 0.9), angles="rotation_vector"),
        rotation_vector((0.1, 0.4, 0.9)),
    ),
    "direction": (
        DirectionBounds(TIP, (0.0, 0.0, -2.0), 0.1, axis=(0.0, 3.0, 0.0)),
        lambda T: max(0.0, np.arccos(np.clip(-T[2, 1], -1.0, 1.0)) - 0.1),
    ),
    "turn": (OrientationTarget(TIP, DOWN, tolerance=0.3), lambda T: max(0.0, turn(T) - 0.3)),
    "ball": (
        PositionTarget(TIP, PLACE[:3, 3], point=POINT, tolerance=0.05),
        lambda T: max(0.0, np.linalg.norm(local(T)) - 0.05),
    ),
    "plane": (
        CartesianBounds(TIP, (-1, -1, 0), (1, 1, 0), box=PLACE, point=POINT),
        lambda T: over(local(T), np.array([-1, -1, 0]), np.array([1, 1, 0])),
    ),
    "one side only": (
        CartesianBounds(TIP, (-np.inf, -np.inf, 0.2), (np.inf,) * 3, box=PLACE, point=POINT),
        lambda T: max(0.0, 0.2 - local(T)[2]),
    ),
    "aim": (
        AimingConstraint(TIP, PLACE[:3, 3], axis=(0.0, 1.0, 1.0), tolerance=0.2),
        lambda T: over(np.array([aim(T)]), 0.0, 0.2),
    ),
    "distance": (
        DistanceBounds(TIP, None, 0.4, 0.5),
        lambda T: over(np.array([np.linalg.norm(T[:3, 3])]), 0.4, 0.5),
    ),
    "cylinder": (RegionBounds(TIP, [(Cylinder(0.05, 0.2), PLACE)], point=POINT), cylinder),
    "hull": (RegionBounds(TIP, [(CORNERS, PLACE)], point=POINT), hull),
    "any of three": (
        RegionBounds(
            TIP,
            [(CORNERS, PLACE), (Sphere(0.1), np.eye(4)), (Box((0.2, 0.2, 0.2)), PLACE)],
            point=POINT,
        ),
        lambda T: min(hull(T), box(T), sphere(T)),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("reference", [None, "panda_link2"])
def test_a_projection_ends_where_the_constraint_is_met(panda, name, reference):
    constraint, miss = CASES[name]
    constraint = type(constraint)(**{**vars(constraint), "reference": reference})
    constraint_set = ConstraintSet(panda.compiled, [constraint])
    rng = np.random.default_rng(1)
    met = 0
    for _ in range(60):
        q = rng.uniform(panda.compiled.lower, panda.compiled.upper)
        away = miss(panda.pose(q, TIP, reference))
        assert constraint_set.met(q) == (away <= 0.0)
        assert (constraint_set.why(q) == "") == (away <= 0.0)
        if "hull" not in name and "any" not in name and away > 0.0:
            assert constraint_set.miss(q) == pytest.approx(away, abs=2.0 * TIGHTEST)
        found = constraint_set.projected(q)
        if found is None:
            continue
        met += 1
        panda.assert_within_limits(found)
        assert miss(panda.pose(found, TIP, reference)) <= np.sqrt(3.0) * TIGHTEST
    assert met > 10


def test_the_errors_are_those_that_generalized_inverse_kinematics_brings_to_zero(panda):
    seeds = np.random.default_rng(2)
    for name, (constraint, miss) in CASES.items():
        if name in ("hull", "any of three"):  # the miss of a hull is 0 or 1
            continue
        solver = GeneralizedInverseKinematics(panda.tree, [constraint])
        result = solver.solve(panda.tree.random_configuration(seeds))
        assert result.success, result.message
        assert miss(panda.pose(result.configuration, TIP)) < 2e-6


def test_several_constraints_of_several_bodies_at_once(panda):
    upright = DirectionBounds(TIP, (0.0, 0.0, -1.0), 0.02)
    level = CartesianBounds(TIP, (0.2, -1.0, 0.4), (0.8, 1.0, 0.4))
    elbow = CartesianBounds("panda_link4", (-1, -1, 0.45), (1, 1, 1))
    joint = JointBounds({"panda_joint1": (-0.5, 0.7)})
    constraints = [upright, level, elbow, joint]
    seed = panda.compiled.home + 0.1
    for locked in ((), ("panda_joint3", "panda_joint7")):
        constraint_set = ConstraintSet(panda.compiled, constraints, locked)
        solutions = projected_solutions(constraint_set, seed, most=10)
        assert len(solutions) == 10
        for q in solutions:
            panda.assert_within_limits(q)
            tip, above = panda.pose(q, TIP), panda.pose(q, "panda_link4")
            assert np.arccos(-tip[2, 2]) < 0.02
            assert tip[2, 3] == pytest.approx(0.4, abs=TIGHTEST)
            assert 0.2 < tip[0, 3] < 0.8
            assert above[2, 3] > 0.45
            assert -0.5 <= q[0] <= 0.7
            assert not locked or (q[[2, 6]] == seed[[2, 6]]).all()


def test_the_center_of_mass_stays_over_a_polygon(panda):
    compiled = panda.compiled
    vertices = np.array([(-0.05, -0.05), (0.15, -0.05), (0.15, 0.05), (-0.05, 0.05)])
    constraints = ConstraintSet(compiled, [CenterOfMassOverPolygon(vertices, margin=0.01)])
    found = projected_solutions(constraints, compiled.home + 0.3, most=5)
    assert len(found) == 5
    for q in found:
        x, y = center_of_mass(compiled, q)[:2]
        assert -0.04 <= x <= 0.14
        assert abs(y) <= 0.04
    outside = np.zeros(len(compiled.home))
    outside[1] = 1.5  # stretched out ahead
    assert "center of mass violated by" in constraints.why(outside)


def test_a_floating_robot_and_a_circle():
    tree = RigidBodyTree("boat", base_name="world")
    tree.add_body(RigidBody("hull", Joint("float", "floating")), "world")
    mast = Joint("mast", "continuous", axis=(0, 1, 0))
    mast.set_fixed_transform(transform((0.3, 0.0, 1.0)))
    tree.add_body(RigidBody("boom", mast), "hull")
    robot = Truth(tree)
    constraint_set = ConstraintSet(
        robot.compiled,
        [
            PoseTarget("boom", transform((1.0, 2.0, 3.0), TURNED), tool=transform((0.5, 0, 0))),
            JointBounds({"mast": (3.0, 3.4)}),
        ],
    )
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = constraint_set.projected(tree.random_configuration(rng))
        assert q is not None
        tool = robot.pose(q, "boom") @ transform((0.5, 0, 0))
        np.testing.assert_allclose(tool[:3, 3], (1.0, 2.0, 3.0), atol=2.0 * TIGHTEST)
        np.testing.assert_allclose(tool[:3, :3], TURNED, atol=2.0 * TIGHTEST)
        turns = (q[-1] - 3.2 + np.pi) % (2.0 * np.pi) - np.pi
        assert abs(turns) <= 0.2


def test_what_is_not_met_is_named_with_its_measure(panda):
    q = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785, 0.0, 0.0])[: len(panda.compiled.home)]
    height = panda.pose(q, TIP)[2, 3]
    constraint_set = ConstraintSet(
        panda.compiled,
        [
            CartesianBounds(TIP, (-1, -1, height + 0.25), (1, 1, 2.0)),
            JointBounds({"panda_joint2": (0.0, 0.2)}),
        ],
    )
    words = constraint_set.why(q)
    assert "CartesianBounds of 'panda_link8': bounds violated by 0.25 m" in words
    assert "panda_joint2 violated by 0.1 rad" in words


def test_invalid_constraints_are_rejected(panda):
    for error, words, make in (
        (UnknownNameError, "no body 'hand'", lambda: DirectionBounds("hand", (0, 0, 1), 0.1)),
        (
            ModelError,
            "do not overlap for panda_joint4",
            lambda: JointBounds({"panda_joint4": (1, 2)}),
        ),
        (ModelError, "not negative", lambda: OrientationBounds(TIP, DOWN, (0.1, -0.1, 0.1))),
        (ModelError, "'zyx'", lambda: OrientationBounds(TIP, DOWN, (1, 1, 1), angles="zyx")),
        (ModelError, "direction is zero", lambda: DirectionBounds(TIP, (0, 0, 0), 0.1)),
        (ModelError, "no volume", lambda: RegionBounds(TIP, [(np.zeros((5, 3)), np.eye(4))])),
        (ModelError, "at least one region", lambda: RegionBounds(TIP, [])),
        (ModelError, "tolerance", lambda: PositionTarget(TIP, (0, 0, 0), tolerance=np.nan)),
        (ModelError, "tolerance", lambda: OrientationTarget(TIP, DOWN, tolerance=np.inf)),
        (ModelError, "tolerance", lambda: AimingConstraint(TIP, (1, 0, 0), tolerance=-1.0)),
        (ModelError, "margin", lambda: CenterOfMassOverPolygon(np.eye(3)[:, :2], margin=np.nan)),
        (ModelError, "below infinity", lambda: DistanceBounds(TIP, None, lower=np.inf)),
        (ModelError, "below infinity", lambda: CartesianBounds(TIP, [np.inf] * 3, [np.inf] * 3)),
        (ModelError, "below infinity", lambda: JointBounds({"panda_joint4": (np.inf, np.inf)})),
        (ConfigurationError, "1e\\+06", lambda: PositionTarget(TIP, (1e200, 0, 0))),
        (ConfigurationError, "1e\\+06", lambda: PoseTarget(TIP, transform((1e200, 0, 0)))),
    ):
        with pytest.raises(error, match=words):
            ConstraintSet(panda.compiled, [make()])
    with pytest.raises(ModelError, match="in a list"):
        ConstraintSet(panda.compiled, PositionTarget(TIP, (0, 0, 0)))


def test_bounds_may_be_open_on_one_side(panda):
    low, high = (JointBounds({"panda_joint2": two}) for two in ((-np.inf, -0.2), (0.2, np.inf)))
    for bounds in (low, high):
        assert not ConstraintSet(panda.compiled, [bounds]).met(panda.compiled.home)


def pose_targets(tree, q):
    return [PoseTarget(f"{side}_link8", tree.get_transform(q, f"{side}_link8")) for side in SIDES]


def assert_at(tree, targets, q, tolerance=2e-6):
    for target in targets:
        found = tree.get_transform(q, target.body)
        assert np.abs(found - np.array(target.target)).max() <= tolerance


def counted_projections(monkeypatch):
    """Return a list that gets the start of every projection."""
    starts, original = [], ConstraintSet.projected

    def projected(self, q):
        starts.append(q)
        return original(self, q)

    monkeypatch.setattr(ConstraintSet, "projected", projected)
    return starts


@pytest.mark.parametrize("lift", [None, "prismatic", "planar"])
def test_poses_of_two_arms_are_solved_within_few_projections(lift, monkeypatch):
    """The tightest bounds are those of goals; each random start takes about a millisecond."""
    tree, starts = two_arms(lift), counted_projections(monkeypatch)
    home = tree.home_configuration()
    for seed in range(50):
        targets = pose_targets(tree, tree.random_configuration(seed))
        both = ConstraintSet(tree.compiled(), targets, tightest=1e-6)
        found = projected_solutions(both, home, timeout=60.0)
        assert len(found) == 1
        assert_at(tree, targets, found[0])
    assert len(starts) < 500


@pytest.mark.parametrize("tolerance", [1e-5, 1e-3])
def test_narrow_balls_and_cones_are_reached_by_projection(panda, tolerance):
    """A vector that has to nearly vanish is shortened by its components."""
    solved = 0
    for seed in range(20):
        T = panda.tree.get_transform(panda.tree.random_configuration(seed), TIP)
        goal = [
            PositionTarget(TIP, T[:3, 3], tolerance=tolerance),
            OrientationTarget(TIP, T[:3, :3], tolerance=tolerance),
        ]
        constraints = ConstraintSet(panda.compiled, goal, tightest=1e-6)
        starts = [panda.tree.random_configuration(100 + k) for k in range(20)]
        found = [q for q in map(constraints.projected, starts) if q is not None]
        solved += bool(found)
        for q in found:
            difference = np.linalg.inv(T) @ panda.tree.get_transform(q, TIP)
            assert np.linalg.norm(difference[:3, 3]) <= tolerance + 1e-9
            turn = np.linalg.norm(Rotation.from_matrix(difference[:3, :3]).as_rotvec())
            assert turn <= tolerance + 1e-9
    assert solved >= 19


@pytest.mark.parametrize("far", [1.0, 1e3, 1e5])
@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_poses_far_from_a_mobile_base(kind, far):
    tree = two_arms("planar") if kind == "planar" else two_arms("floating")
    count = 2 if kind == "planar" else 3
    for seed in range(5):
        q = tree.random_configuration(seed)
        q[:count] = far * np.random.default_rng(seed).normal(size=count)
        target = pose_targets(tree, q)[:1]
        solved = GeneralizedInverseKinematics(tree, target, timeout=60.0).solve()
        assert solved.success
        assert_at(tree, target, solved.configuration, 1e-5)
        constraints = ConstraintSet(tree.compiled(), target, tightest=1e-6)
        starts = [tree.home_configuration(), *map(tree.random_configuration, range(9))]
        found = [q for q in map(constraints.projected, starts) if q is not None]
        assert found
        assert_at(tree, target, found[0])


def test_a_search_for_solutions_ends_when_all_are_known(monkeypatch):
    """A Puma has few solutions for a pose, and fewer with a bounded elbow."""
    starts = counted_projections(monkeypatch)
    robot = load_robot("puma560")
    elbow = robot.joint_names[2]
    q = robot.random_configuration(3)
    bounds = JointBounds({elbow: (q[2] - 0.2, q[2] + 0.2)})
    for more, most in (([], 64), ([bounds], 32)):
        constraints = [PoseTarget("tool0", robot.get_transform(q, "tool0")), *more]
        wanted = ConstraintSet(robot.compiled(), constraints, tightest=1e-6)
        found = list(each_solution(wanted, robot.home_configuration(), timeout=1e4))
        assert 1 < len(found) <= most
        assert all(wanted.met(q) for q in found)
    assert len(starts) < 1000
