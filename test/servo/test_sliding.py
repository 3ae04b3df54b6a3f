"""Sliding along joint limits and obstacles. Pinocchio and coal judge the distances."""

import numpy as np
import pinocchio as pin
import pytest

from benchmarks.robustness.random_steps import Reference
from harness.example_robots import two_hands
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.servo import Servo, ServoSettings, ServoStatus

READY = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398])
TIP = "panda_link8"
ROBOT = load_robot("panda")
COMPILED = ROBOT.compiled()
REFERENCE = Reference(ROBOT)
TABLE = Box((0.6, 2.0, 0.1)), transform((0.6, 0.0, 0.2))
WALLS = [
    TABLE,
    (Box((0.1, 0.1, 1.0)), transform((0.45, 0.4, 0.8))),
    (Box((0.1, 0.1, 1.0)), transform((0.45, -0.4, 0.8))),
]


def scene_of(boxes) -> Scene:
    return Scene([Obstacle.of(f"box{k}", *box) for k, box in enumerate(boxes)])


def panda(boxes=(), **settings) -> Servo:
    checker = CollisionChecker(ROBOT, scene_of(boxes)) if boxes else None
    servo = Servo(ROBOT, ROBOT.joint_names, TIP, ServoSettings(**settings), checker)
    servo.reset(READY)
    return servo


class Distances:
    """The least distances by coal of a tree to boxes, and of its bodies to each other."""

    def __init__(self, reference: Reference, boxes, checker: CollisionChecker) -> None:
        self._reference = reference
        self._shapes = reference.judge(list(boxes), checker).shapes[0]
        self._data = self._shapes.createData()
        count = len(self._shapes.geometryObjects) - len(boxes)
        self._of_boxes = np.array([p.second >= count for p in self._shapes.collisionPairs])

    def __call__(self, q: np.ndarray) -> tuple[float, float]:
        model = self._reference.model
        place = self._reference.positions(q)
        pin.computeDistances(model, model.createData(), self._shapes, self._data, place)
        found = np.array([result.min_distance for result in self._data.distanceResults])
        own, scene = found[~self._of_boxes], found[self._of_boxes]
        return float(own.min(initial=np.inf)), float(scene.min(initial=np.inf))


def test_where_nothing_is_in_the_way_the_motion_is_that_of_halting():
    arms = [panda(when_blocked=choice) for choice in ("halt", "slide")]
    rng = np.random.default_rng(0)
    for k in range(600):
        if k % 150 == 0:
            start = READY + rng.normal(scale=0.1, size=7)
            command = np.r_[rng.uniform(-0.08, 0.08, 3), rng.uniform(-0.2, 0.2, 3)]
            joints = rng.uniform(-0.3, 0.3, 7)
            for arm in arms:
                arm.reset(start)
        steps = [
            arm.step_joints(joints) if k % 300 < 150 else arm.step_twist(command) for arm in arms
        ]
        assert {step.status for step in steps} == {ServoStatus.NO_WARNING}
        one, other = (REFERENCE.positions(arm.configuration) for arm in arms)
        tips = []
        for q in (one, other):
            data = REFERENCE.model.createData()
            pin.framesForwardKinematics(REFERENCE.model, data, q)
            tips.append(data.oMf[REFERENCE.model.getFrameId(TIP)].homogeneous)
        np.testing.assert_allclose(*tips, atol=2e-5)


def test_it_slides_over_a_table_where_it_would_halt():
    gone = {}
    for choice in "halt", "slide":
        servo = panda([TABLE], when_blocked=choice, scene_distance=0.03)
        distances = Distances(REFERENCE, [TABLE], servo.checker)
        start, least, speeds = servo.tip_pose(), np.inf, []
        for k in range(500):
            if k % 4 == 0:
                servo.update_distances()
            step = servo.step_twist([0.0, 0.06, -0.2, 0.0, 0.0, 0.0])
            least = min(least, distances(servo.configuration)[1])
            speeds.append(step.velocities)
        assert "near 'box0'" in step.message
        assert least > (0.03 if choice == "slide" else 0.0)
        gone[choice] = servo.tip_pose()[:3, 3] - start[:3, 3]
    assert step.status is ServoStatus.DECELERATE_FOR_COLLISION
    assert least < 0.032
    assert gone["slide"][1] == pytest.approx(0.06 * 5.0, abs=0.02)
    assert gone["halt"][1] < 0.15
    assert np.abs(np.diff(speeds[300:], axis=0)).max() < 0.01  # steady, rad/s in a step


def test_a_joint_at_its_limit_does_not_stop_the_others_or_the_tip():
    """The elbow reaches its margin while the tip moves back and down."""
    gone = {}
    for choice in "halt", "slide":
        servo = panda(when_blocked=choice)
        low, high = COMPILED.lower + 0.1, COMPILED.upper - 0.1
        for _ in range(300):
            step = servo.step_twist([-0.1, 0.0, -0.1, 0.0, 0.0, 0.0])
            assert (step.positions > low - 2e-3).all()
            assert (step.positions < high + 2e-3).all()
        gone[choice] = step.positions
        assert step.status is ServoStatus.JOINT_BOUND
        assert "panda_joint4" in step.message
        assert step.moves is (choice == "slide")
    servo = panda(when_blocked="slide")
    for _ in range(400):
        step = servo.step_joints([1.5, 0, 0.2, 0, 0, 0, 0])
    assert step.positions[0] == pytest.approx(COMPILED.upper[0] - 0.1, abs=3e-3)
    np.testing.assert_allclose(step.velocities, [0, 0, 0.2, 0, 0, 0, 0], atol=1e-3)


@pytest.mark.parametrize("jerk", [0.0, 40.0])
def test_no_command_causes_a_collision_or_exceeds_a_limit(jerk):
    rng = np.random.default_rng(7)
    servo = panda(WALLS, jerk_limit=jerk, when_blocked="slide")
    distances = Distances(REFERENCE, WALLS, servo.checker)
    before, least, slid = np.zeros(7), np.full(2, np.inf), 0
    for k in range(2000):
        if k % 60 == 0:
            twist = np.r_[rng.uniform(-1, 1, 3), rng.uniform(-1.5, 1.5, 3)]
            rates = rng.uniform(-1.5, 1.5, 7)
        step = servo.step_twist(twist) if k % 120 < 60 else servo.step_joints(rates)
        slid += step.message.startswith("Close to a collision, sliding along")
        assert (np.abs(step.velocities) <= COMPILED.velocity_limit + 1e-12).all()
        assert (np.abs(step.velocities - before) <= 0.05 + 1e-12).all()
        assert (step.positions > COMPILED.lower + 0.1 - 3e-3).all()
        assert (step.positions < COMPILED.upper - 0.1 + 3e-3).all()
        least = np.minimum(least, distances(servo.configuration))
        before = step.velocities
    assert slid > 100
    assert (least > (0.005, 0.01)).all()  # of 0.01 and 0.02 m; braking takes the rest


@pytest.mark.parametrize("choice", ["halt", "slide"])
def test_two_arms_that_are_driven_into_each_other(choice):
    """Both tips are to go 0.35 m inwards and 0.1 m up; OInK's rise 88 and 112 mm."""
    tree = two_hands()
    sides = "left", "right"
    apart = [(f"{side}_panda_link5", f"{side}_panda_link7") for side in sides]  # always near
    settings = ServoSettings(
        period=0.002,
        linear_speed=1.0,
        acceleration_limit=10.0,
        self_distance=0.02,
        when_blocked=choice,
    )
    arms = []
    for side in sides:
        checker = CollisionChecker(tree, disabled_pairs=apart)
        joints = [f"{side}_{name}" for name in ROBOT.joint_names]
        arms.append(Servo(tree, joints, f"{side}_{TIP}", settings, checker))
        arms[-1].reset([*READY, 0.03, *READY, 0.03])
    distances = Distances(Reference(tree), [], checker)
    starts, least = [arm.tip_pose() for arm in arms], np.inf
    for k in range(1500):
        share = min(k / 1000, 1.0)
        share = share * share * (3.0 - 2.0 * share)
        for arm, other, T, inwards in zip(arms, arms[::-1], starts, (-0.35, 0.35), strict=True):
            arm.update_other_joints(other.configuration)
            if k % 20 == 0:
                arm.update_distances()
            step = arm.step_pose(transform((0.0, share * inwards, 0.1 * share)) @ T)
        if k % 10 == 0:
            least = min(least, distances(arms[1].configuration)[0])
    risen = [1e3 * (arm.tip_pose() - T)[2, 3] for arm, T in zip(arms, starts, strict=True)]
    if choice == "slide":
        assert least >= 0.02
        assert min(risen) > 99.0
    else:
        assert least > 0.0
        assert not step.moves
    assert "'left_panda_hand' near 'right_panda_hand'" in step.message


def test_an_unknown_choice_is_rejected():
    with pytest.raises(ConfigurationError, match="halt or slide"):
        ServoSettings(when_blocked="bounce")
