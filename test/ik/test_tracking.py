"""A tracker follows smoothly: speeds within limits, no jumps, arrival at a resting target."""

import numpy as np
import pinocchio as pin
import pytest

from harness.truth import Truth
from rigid_tree_kinematics import InverseKinematics, Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik import IKStatus, IKTracker, MultiIKTracker, PlaneBarrier
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

DT = 0.01
START = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785, 0.0])


@pytest.fixture
def ik(panda):
    return InverseKinematics(panda.tree, "panda_link8")


def follow(tracker, targets):
    """The configurations of all steps, whose speeds are checked on the way."""
    limit = tracker.ik.compiled.velocity_limit * DT + 1e-12
    path = [tracker.configuration]
    results = []
    for T in targets:
        results.append(tracker.step(T, DT))
        path.append(results[-1].configuration)
        assert (np.abs(path[-1] - path[-2]) <= limit).all()
        assert (path[-1] >= tracker.ik.compiled.lower).all()
        assert (path[-1] <= tracker.ik.compiled.upper).all()
    return np.array(path), results


def test_slow_target_is_met_at_every_step(ik, panda):
    T, t = panda.pose(START, "panda_link8"), DT * np.arange(400)
    shifts = 0.1 * np.column_stack((np.sin(t), 1 - np.cos(t), 0.5 * np.sin(2 * t)))
    path, results = follow(IKTracker(ik, START), [transform(shift) @ T for shift in shifts])
    assert all(result.status is IKStatus.CONVERGED for result in results)
    assert np.abs(np.diff(path, axis=0)).max() < 0.01


def test_jump_of_the_target_is_followed_at_the_speed_limit_until_it_is_met(ik, panda):
    goal = START + np.array([0.8, -0.3, 0.2, 0.4, -0.3, 0.5, 0.6, 0.0])
    T = panda.pose(goal, "panda_link8")
    _, results = follow(IKTracker(ik, START), [T] * 200)
    assert results[0].status is IKStatus.FOLLOWING
    assert "Following" in results[0].message
    assert results[-1].status is IKStatus.CONVERGED
    assert results[-1].position_error <= 1e-6


def test_target_beyond_reach_and_back(ik, panda):
    """The arm stretches, stays bounded, and is on the target again when that returns."""
    T = panda.pose(START, "panda_link8")
    heights = 0.8 * np.sin(np.pi * np.minimum(np.arange(800), 600) / 600) ** 2
    targets = [transform((0.0, 0.0, height)) @ T for height in heights]
    _, results = follow(IKTracker(ik, START), targets)
    assert results[300].status is IKStatus.FOLLOWING
    assert results[300].position_error > 0.1


def test_joints_come_to_rest_at_a_target_out_of_reach(ik, panda):
    T = transform((0.5, 0.0, -0.2)) @ panda.pose(START, "panda_link8")
    path, results = follow(IKTracker(ik, START), [T] * 300)
    assert results[-1].position_error > 0.1
    np.testing.assert_allclose(path[-1], path[-2], atol=1e-6)


def test_weights_are_along_the_axes_of_the_target(panda):
    """Only the position along one of them matters, and the tip has other axes."""
    ik = InverseKinematics(panda.tree, "panda_link8", weights=(0, 0, 0, 1, 0, 0))
    tracker = IKTracker(ik, START)
    T = panda.pose(START, "panda_link8") @ transform((0.0, 0.0, 0.1), rpy_matrix(0.5, 0.7, 0.2))
    _, results = follow(tracker, [T] * 100)
    assert results[-1].status is IKStatus.CONVERGED
    offset = np.linalg.inv(T) @ panda.pose(results[-1].configuration, "panda_link8")
    assert abs(offset[0, 3]) <= 1e-6
    assert np.abs(offset[1:3, 3]).max() > 1e-3


def test_barriers_stop_the_tip_in_front_of_a_plane(ik, panda):
    T = panda.pose(START, "panda_link8")
    barrier = PlaneBarrier("panda_link8", (0.0, 0.0, 1.0), T[2, 3] - 0.05)
    tracker = IKTracker(ik, START, barriers=[barrier])
    path, results = follow(tracker, [transform((0.1, 0.0, -0.1)) @ T] * 200)
    assert results[-1].status is IKStatus.FOLLOWING
    places = np.array([panda.pose(q, "panda_link8")[:3, 3] for q in path]) - T[:3, 3]
    assert places[:, 2].min() >= -0.05 - 1e-6
    np.testing.assert_allclose(places[-1], (0.1, 0.0, -0.05), atol=1e-3)


def test_path_through_a_wrist_singularity(ur5):
    """Joint 5 passes zero; near it the exact joint speeds are unbounded, ours are not."""
    ik = InverseKinematics(ur5.tree, "tool0")
    start = np.array([0.3, -1.0, 1.2, 0.4, 0.3, 0.7])
    targets = []
    for k in range(300):
        q = start.copy()
        q[4] -= 0.6 * min(k, 200) / 200
        T = ur5.pose(q, "tool0")
        T[:3, 3] += (0.0, 1e-3, 0.0)  # past the singularity, not through it
        targets.append(T)
    _, results = follow(IKTracker(ik, start), targets)
    assert results[-1].status is IKStatus.CONVERGED


def follow_accelerated(ik, targets, a):
    """Follow with accelerations checked at every step; the target is at rest at the end."""
    tracker = IKTracker(ik, START)
    path, results = follow(tracker, targets)
    v = np.diff(path, axis=0, prepend=path[:1])[:, :7] / DT
    excess = np.abs(np.diff(v, axis=0)) / (a * DT)
    assert excess.max() <= 1.0 + 1e-6
    return path, results, excess


def accelerated(panda, limits):
    tree = panda.tree.copy()
    for number, limit in enumerate(limits, start=1):
        tree.get_joint(f"panda_joint{number}").acceleration_limit = limit
    return InverseKinematics(tree, "panda_link8")


A = np.array([3.0, 2.0, 4.0, 3.0, 5.0, 6.0, 6.0])  # rad/s^2


def test_accelerations_are_limited_and_a_smooth_target_is_met(panda):
    ik = accelerated(panda, A)
    T, t = panda.pose(START, "panda_link8"), DT * np.arange(400)
    shifts = 0.05 * np.column_stack((1 - np.cos(t), 1 - np.cos(2 * t), 1 - np.cos(t)))
    _, results, _ = follow_accelerated(ik, [transform(shift) @ T for shift in shifts], A)
    assert np.mean([result.status is IKStatus.CONVERGED for result in results]) > 0.97
    assert max(result.position_error for result in results) < 1e-4


def test_accelerations_are_limited_when_the_target_jumps(panda):
    ik = accelerated(panda, A)
    for seed in range(10):
        goal = START + np.r_[np.random.default_rng(seed).uniform(-0.8, 0.8, 7), 0.0]
        goal = np.clip(goal, ik.compiled.lower, ik.compiled.upper)
        T = panda.pose(goal, "panda_link8")
        path, results, excess = follow_accelerated(ik, [T] * 400, A)
        assert results[-1].status is IKStatus.CONVERGED, seed
        assert excess.max() > 0.99
        np.testing.assert_allclose(path[-1], path[-2], atol=1e-6)


def test_accelerations_are_limited_with_targets_anywhere_at_any_time(panda):
    """Also at the joints' limits: ``follow`` checks them."""
    ik, rng = accelerated(panda, A), np.random.default_rng(5)
    poses = [panda.pose(panda.tree.random_configuration(rng), "panda_link8") for _ in range(60)]
    follow_accelerated(ik, [T for T in poses for _ in range(20)], A)


def test_a_single_joint_stops_on_its_goal_without_overshoot():
    tree = RigidBodyTree()
    tree.add_body(RigidBody("cart", Joint("slide", "prismatic", (1, 0, 0), (-9, 1.5))), "base")
    joint = tree.get_joint("slide")
    joint.velocity_limit, joint.acceleration_limit = 1.0, 2.0
    tracker = IKTracker(InverseKinematics(tree, "cart"))
    for place in (1.0, 1.5):
        positions = [
            tracker.step(transform((place, 0, 0)), 0.01).configuration[0] for _ in range(170)
        ]
        assert max(positions) <= place + 1e-5
        assert positions[-1] == pytest.approx(place, abs=1e-6)
    tracker.reset([0.0])
    times = [tracker.step(transform((1.0, 0, 0)), 0.01).success for _ in range(170)]
    # In 49 steps at 1 m/s, and 50 each to get there and to stop, by 0.02 m/s a step.
    assert 49 + 50 + 50 - 1 <= times.index(True) <= 49 + 50 + 50


def test_speed_scale_and_joints_without_limits():
    tree = RigidBodyTree()
    tree.add_body(RigidBody("cart", Joint("slide", "prismatic", (1, 0, 0), (-9, 9))), "base")
    ik = InverseKinematics(tree, "cart")
    tracker = IKTracker(ik, unlimited_speed=1.0, speed_scale=0.5)
    T = transform((1.0, 0.0, 0.0))
    assert tracker.step(T, 0.1).configuration == pytest.approx([0.05])
    for _ in range(19):
        result = tracker.step(T, 0.1)
    assert result.success
    tracker.reset([3.0])
    assert tracker.configuration == pytest.approx([3.0])


def test_floating_joint_turns_at_its_speed():
    tree = RigidBodyTree()
    tree.add_body(RigidBody("drone", Joint("free", "floating")), "base")
    tracker = IKTracker(InverseKinematics(tree, "drone"), unlimited_speed=1.0)
    T = transform((0.0, 0.0, 0.0), rpy_matrix(0.0, 0.0, 2.0))
    before = tree.home_configuration()
    for step in range(25):
        q = tracker.step(T, 0.1).configuration
        turn = 2 * np.arccos(min(1.0, abs(before[3:] @ q[3:])))
        assert turn <= 0.1 + 1e-9
        before = q
        if step < 19:
            assert turn == pytest.approx(0.1)
    assert tree.get_transform(q, "drone") == pytest.approx(T, abs=1e-6)


# Of each type its own, so that no joint can move at another's without being seen.
SPEEDS = {"prismatic": 0.11, "floating": 0.23, "revolute": 0.37, "planar": 0.53}


@pytest.mark.parametrize(
    "order",
    [
        ("prismatic", "floating", "revolute", "planar"),
        ("floating", "revolute", "prismatic"),
        ("planar", "revolute", "floating"),
        ("revolute", "floating", "planar", "floating", "prismatic"),
    ],
)
def test_floating_joints_among_others_and_all_at_their_own_speeds(order):
    tree = RigidBodyTree()
    parent = "base"
    for number, kind in enumerate(order):
        joint = Joint(f"j{number}", kind, limits=(-9, 9) if kind == "prismatic" else None)
        joint.velocity_limit = SPEEDS[kind]
        joint.set_fixed_transform(transform((0.3, 0.1, 0.2), rpy_matrix(0.4, -0.3, 0.2)))
        parent = tree.add_body(RigidBody(f"b{number}", joint), parent).name
    robot = Truth(tree)
    compiled = robot.compiled
    tracker = IKTracker(InverseKinematics(tree, parent))
    T = tree.get_transform(tree.random_configuration(3), parent)
    fastest = dict.fromkeys(compiled.joint_names, 0.0)
    before = robot.positions(tracker.configuration)
    for _ in range(1000):
        result = tracker.step(T, 0.1)
        q = robot.positions(result.configuration)
        velocity = pin.difference(robot.model, before, q) / 0.1
        for name in compiled.joint_names:
            joint = robot.model.joints[robot.model.getJointId(name)]
            rates = velocity[joint.idx_v : joint.idx_v + joint.nv]
            turned = np.linalg.norm(rates[3:]) if joint.nv == 6 else abs(rates[-1])
            slid = np.abs(q - before)[joint.idx_q : joint.idx_q + 3] / 0.1
            fastest[name] = max(fastest[name], turned, slid.max() if joint.nv > 1 else 0.0)
        before = q
        if result.status is IKStatus.CONVERGED:
            break
    assert result.success
    assert tree.get_transform(result.configuration, parent) == pytest.approx(T, abs=1e-5)
    for name, speed in fastest.items():
        assert speed <= SPEEDS[tree.get_joint(name).type] * (1 + 1e-9), name
    # Somebody is at its limit until the target is near.
    assert any(
        speed == pytest.approx(SPEEDS[tree.get_joint(name).type])
        for name, speed in fastest.items()
    )


def test_bad_targets_leave_the_joints_where_they_are(ik):
    tracker = IKTracker(ik, START)
    result = tracker.step(np.full((4, 4), np.nan), DT)
    assert result.status is IKStatus.INVALID_INPUT
    assert (result.configuration == START).all()
    for dt in (0.0, -1.0, float("nan")):
        with pytest.raises(ConfigurationError, match="time step"):
            tracker.step(np.eye(4), dt)
    with pytest.raises(ModelError):
        IKTracker(ik, speed_scale=0.0)
    with pytest.raises(ConfigurationError):
        IKTracker(ik, np.zeros(3))


def test_several_bodies_follow_their_targets_together():
    """Both hands move at once, without a compromise, and one of them stays."""
    tree = load_robot("nao")
    hands = [InverseKinematics(tree.compiled(), hand) for hand in ("l_gripper", "r_gripper")]
    tracker, truth = MultiIKTracker(hands), Truth(tree)
    start = tracker.configuration
    left = tree.compiled().slot_of("LShoulderPitch")[0]
    stays = truth.pose(start, "r_gripper")
    for k in range(60):
        goal = start.copy()
        goal[left] += 0.4 * np.sin(0.05 * k) ** 2
        targets = [truth.pose(goal, ik.body) for ik in hands]
        results = tracker.step(targets, DT)
        assert all(result.status is IKStatus.CONVERGED for result in results)
        q = results[1].configuration
        np.testing.assert_allclose(truth.pose(q, "l_gripper"), targets[0], atol=1e-6)
        np.testing.assert_allclose(truth.pose(q, "r_gripper"), stays, atol=1e-6)
    with pytest.raises(ModelError, match="same compiled robot"):
        MultiIKTracker([hands[0], InverseKinematics(load_robot("ur5"), "tool0")])
    with pytest.raises(ModelError, match="target"):
        tracker.step([np.zeros((4, 4)), stays], DT)
