"""NaoMotionModel against Pinocchio, and relations between spaces.

That the tree below it has Aldebaran's numbers is tested in test/description/table/test_nao.py.
"""

import math

import numpy as np
import pinocchio
import pytest

from harness.truth import Truth
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError, UnknownNameError
from rigid_tree_kinematics.model.transforms import matrix_rpy
from rigid_tree_nao import NaoMotionModel
from rigid_tree_nao.errors import NaoError

LEG = [0, 0, -0.45, 0.7, -0.35, 0]  # of StandInit


@pytest.fixture
def model():
    return NaoMotionModel("V4")


def moved(model, seed):
    """Put the model into a random posture with one foot on the ground, somewhere in the world."""
    body, rng = model.body, np.random.default_rng(seed)
    model.set_angles("Body", rng.uniform(body.lower, body.upper))
    model.place_robot(*rng.uniform(-1.0, 1.0, 3))
    return model


def matrix(values):
    return np.reshape(values, (4, 4))


def test_a_transform_is_the_position_in_rows(model):
    moved(model, 3)
    for space in (0, 1, 2):
        T = matrix(model.get_transform("RArm", space, True))
        position = model.get_position("RArm", space, True)
        np.testing.assert_allclose(T[:3, 3], position[:3])
        np.testing.assert_allclose(matrix_rpy(T[:3, :3]), position[3:])
        np.testing.assert_allclose(T[3], [0, 0, 0, 1])


def test_spaces_differ_by_where_the_torso_is(model):
    for seed in range(5):
        moved(model, seed)
        names = ("LArm", "CameraTop", "RAnkleRoll", "LFsrFL", "Torso")
        for space in (1, 2):
            T_space_torso = matrix(model.get_transform("Torso", space, False))
            for name in names:
                in_torso = matrix(model.get_transform(name, 0, False))
                found = matrix(model.get_transform(name, space, False))
                np.testing.assert_allclose(found, T_space_torso @ in_torso, atol=1e-12)


def test_the_robots_space_is_between_the_feet(model):
    for seed in range(5):
        moved(model, seed)
        left, right = (matrix(model.get_transform(leg, 2, False)) for leg in ("LLeg", "RLeg"))
        np.testing.assert_allclose(left[:3, 3] + right[:3, 3], 0.0, atol=1e-12)
        # x is the feet's mean heading, and the foot that bears is level: z is vertical.
        headings = [math.atan2(T[1, 0], T[0, 0]) for T in (left, right)]
        assert sum(headings) == pytest.approx(0.0, abs=1e-9)
        level = [abs(T[2, 2] - 1.0) < 1e-12 for T in (left, right)]
        assert any(level)


def test_the_robots_position_is_where_it_was_put(model):
    assert np.allclose(model.get_robot_position(True), 0.0)
    model.place_robot(0.3, -0.2, 2.5)
    np.testing.assert_allclose(model.get_robot_position(True), [0.3, -0.2, 2.5], atol=1e-12)
    np.testing.assert_allclose(model.get_next_robot_position(), [0.3, -0.2, 2.5], atol=1e-12)
    assert model.get_robot_velocity() == [0.0, 0.0, 0.0]


def test_a_crouch_lowers_the_torso_over_a_robot_that_stays(model):
    model.place_robot(0.3, -0.2, 1.0)
    height = model.get_position("Torso", 1, True)[2]
    joints = [f"{leg}{joint}" for leg in "LR" for joint in ("HipPitch", "KneePitch", "AnklePitch")]
    model.set_angles(joints, [-0.9, 1.6, -0.7] * 2)
    np.testing.assert_allclose(model.get_robot_position(True), [0.3, -0.2, 1.0], atol=1e-9)
    assert model.get_position("Torso", 1, True)[2] < height - 0.03
    np.testing.assert_allclose(model.get_position("LLeg", 1, True)[2:5], 0.0, atol=1e-12)


def test_the_foot_that_bears_stays_when_the_other_is_lifted(model):
    left = model.get_position("LLeg", 1, True)
    model.set_angles(["RHipPitch", "RKneePitch"], [-1.0, 1.2])
    np.testing.assert_allclose(model.get_position("LLeg", 1, True), left, atol=1e-12)
    assert model.get_position("RLeg", 1, True)[2] > 0.01
    assert len(model.get_support_polygon(1, True)) == 4
    # Reach down with the lifted leg's side: the other foot takes over.
    model.set_angles("Legs", [*model.get_angles("LLeg", True)[:2], -1.0, 1.2, -0.2, 0.0, *LEG])
    assert model.get_position("RLeg", 1, True)[2] == pytest.approx(0.0, abs=1e-12)


def test_poses_and_center_of_mass_are_pinocchios():
    for seed in range(3):
        for version in ("V6", "V4", "V33", "V32"):
            model = moved(NaoMotionModel(version), seed)
            truth = Truth(model.body.free_tree, root=pinocchio.JointModelFreeFlyer())
            q = model.body.configuration(model.sensors)
            for name, body in model.body.bodies.items():
                T = matrix(model.get_transform(name, 0, True))
                np.testing.assert_allclose(T, truth.pose(q, body, "torso"), atol=1e-12)
            center = pinocchio.centerOfMass(truth.model, truth.data, truth.positions(q))
            np.testing.assert_allclose(model.get_com("Body", 0, True), center, atol=1e-12)
            total = sum(inertia.mass for inertia in truth.model.inertias)
            assert model.get_mass("Body") == pytest.approx(total)


def test_the_whole_is_the_sum_of_its_parts(model):
    moved(model, 1)
    parts = ["Torso", "Head", "LArm", "RArm", "LLeg", "RLeg"]
    masses = [model.get_mass(part) for part in parts]
    assert sum(masses) == pytest.approx(model.get_mass("Body"))
    centers = [model.get_com(part, 1, True) for part in parts]
    mean = np.average(centers, axis=0, weights=masses)
    np.testing.assert_allclose(mean, model.get_com("Body", 1, True), atol=1e-12)
    links = sum(model.get_mass(joint) for joint in model.get_body_names("LLeg"))
    assert links == pytest.approx(model.get_mass("LLeg"))
    for name in ("Joints", "Com"):
        assert model.get_mass(name) == model.get_mass("Body")
        assert model.get_com(name, 1, True) == model.get_com("Body", 1, True)


def test_sensors_may_differ_from_commands(model):
    model.set_angles("LArm", [0.5] * 6)
    before = model.get_position("LArm", 0, False)
    assert model.get_position("LArm", 0, True) == before
    model.set_sensor_angles(["LShoulderPitch"], [0.7])
    assert model.get_position("LArm", 0, False) == before
    assert model.get_position("LArm", 0, True) != before
    assert model.get_angles("LShoulderPitch", True) == [0.7]
    assert model.get_angles("LShoulderPitch", False) == [0.5]


def test_both_hips_turn_by_one_motor_with_two_sensors(model):
    model.set_angles("RHipYawPitch", -0.4)
    assert model.get_angles("LHipYawPitch", False) == [-0.4]
    model.set_angles(["RHipYawPitch", "LHipYawPitch"], [0.1, -0.2])
    assert model.get_angles(["RHipYawPitch", "LHipYawPitch"], False) == [-0.2, -0.2]
    right = model.get_position("RLeg", 0, True)
    model.set_sensor_angles("LHipYawPitch", -0.25)
    assert model.get_position("RLeg", 0, True) == right


def test_names_are_almotions(model):
    body = model.get_body_names("Body")
    assert (len(body), body[0], body[7], body[8], body[25]) == (
        *(26, "HeadYaw"),
        *("LHand", "LHipYawPitch", "RHand"),
    )
    assert model.get_body_names("Chains") == ["Head", "LArm", "LLeg", "RLeg", "RArm"]
    assert model.get_joint_names("Actuators") == ["LHand", "RHand"]
    assert len(model.get_body_names("Joints")) == 24
    assert model.get_body_names("JointActuators") == body
    assert model.get_body_names("Arms") == body[2:8] + body[20:]
    assert "CameraTop" in model.get_sensor_names()
    summary = model.get_summary()
    assert all(name in summary for name in body)


def test_h21_has_no_hands():
    model = NaoMotionModel("V4", "H21")
    assert len(model.get_body_names("Body")) == 22
    assert model.get_body_names("LArm")[-1] == "LElbowRoll"
    assert len(model.get_position("LArm", 0, True)) == 6
    with pytest.raises(UnknownNameError, match="H25"):
        NaoMotionModel("V6", "H21")


def test_limits_are_the_published_ones(model):
    assert model.get_limits("LShoulderRoll") == [[-0.3142, 1.3265, 7.19407, 1.7835]]
    assert model.get_limits("Legs")[0] == [-1.145303, 0.740810, 4.16174, 3.348]
    assert len(model.get_limits("Body")) == 26
    assert NaoMotionModel("V32").get_limits("LShoulderRoll")[0][:2] == [0.0087, 1.6494]


def test_support_polygon_contains_the_center_of_mass_of_a_standing_robot(model):
    corners = np.array(model.get_support_polygon(1, True))
    assert len(corners) == 5  # of eight sensors, three lie inside or on an edge
    center = np.array(model.get_com("Body", 1, True)[:2])
    edges = np.roll(corners, -1, axis=0) - corners
    inwards = edges[:, 0] * (center - corners)[:, 1] - edges[:, 1] * (center - corners)[:, 0]
    assert (inwards > 0.0).all()


def test_invalid_input_is_rejected(model):
    for call, error, words in (
        (lambda m: NaoMotionModel("V9"), UnknownNameError, "V6"),
        (lambda m: m.get_angles("LWing", True), NaoError, "LWing"),
        (lambda m: m.get_position("LWing", 0, True), NaoError, "LWing"),
        (lambda m: m.get_position("LArm", 3, True), NaoError, "space 3"),
        (
            lambda m: m.set_angles("Head", [0.1]) or m.set_angles("Head", [1, 2, 3]),
            NaoError,
            "3 angles",
        ),
        (lambda m: m.set_angles(["HeadYaw", "Head"], [1, 2, 3]), NaoError, "twice"),
        (lambda m: m.set_angles("HeadYaw", math.nan), ConfigurationError, "finite"),
        (lambda m: m.get_com("LHand", 0, True), NaoError, "no mass"),
        (lambda m: m.get_angles([], True), NaoError, "no joint"),
    ):
        before = model.get_angles("Body", False)[2:]
        with pytest.raises(error, match=words) as caught:
            call(model)
        assert isinstance(caught.value, RigidTreeError)
        assert model.get_angles("Body", False)[2:] == before


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("HeadYow", "HeadYaw"),
        ("headyaw", "HeadYaw"),
        ("LSholderPitch", "LShoulderPitch"),
        ("RKneePich", "RKneePitch"),
        ("LArms", "LArm"),
        ("body", "Body"),
        ("RWristYawn", "RWristYaw"),
    ],
)
def test_an_unknown_name_names_the_most_similar_one(name, meant):
    nao = NaoMotionModel("V6")
    with pytest.raises(NaoError, match=f"'{name}'; did you mean '{meant}'"):
        nao.get_angles(["HeadYaw", name], False)
    if meant in nao.body.bodies:
        with pytest.raises(NaoError, match=f"'{name}'; did you mean '{meant}'"):
            nao.get_position(name, 0, False)


def test_an_h21_says_that_it_has_no_wrists_and_hands():
    nao = NaoMotionModel("V5", "H21")
    for joint in ("LWristYaw", "RHand"):
        with pytest.raises(NaoError, match=f"an H21 has no joint '{joint}'"):
            nao.get_angles(joint, False)
