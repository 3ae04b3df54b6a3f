"""NAO against Aldebaran's numbers and its chained DH table."""

import math

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_rpy, mdh_transform, rpy_matrix, transform

NAO_VERSIONS = ("nao", "nao_v6", "nao_v5", "nao_v4", "nao_v33", "nao_v32")
H21 = ("nao_v5_h21", "nao_v4_h21", "nao_v33_h21", "nao_v32_h21")
# ALMotion's names of NAO's joints, in the order of "Body".
ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll", "WristYaw", "Hand")
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
LIMBS = (("L", ARM), ("L", LEG), ("R", LEG), ("R", ARM))
BODY = ["HeadYaw", "HeadPitch", *(side + joint for side, limb in LIMBS for joint in limb)]
STAND_INIT = [
    *(0, 0, 1.4, 0.3, -1.39, -1.01, 0, 0.25, 0, 0, -0.45, 0.7, -0.35, 0),
    *(0, 0, -0.45, 0.7, -0.35, 0, 1.4, -0.3, 1.39, 1.01, 0, 0.25),
]


def nao_configuration(robot: RigidBodyTree, values: list[float]) -> dict[str, float]:
    """Return ALMotion's 26 values by name, without the joints that this version lacks."""
    by_name = dict(zip(BODY, values, strict=True))
    return {name: by_name[name] for name in robot.joint_names}


def position6d(robot: RigidBodyTree, values: list[float], body: str) -> Array:
    T = robot.get_transform(nao_configuration(robot, values), body, "torso")
    return np.array([*T[:3, 3], *matrix_rpy(T[:3, :3])])


def test_nao_at_zero_agrees_with_aldebarans_data() -> None:
    foot = 0.33301 + 0.04519 - 0.04511  # the value was taken with the foot height of the URDFs
    for body, wanted in {
        "Head": [0, 0, 0.1265, 0, 0, 0],
        "CameraTop": [0.05871, 0, 0.19014, 0, 0.020944, 0],
        "CameraBottom": [0.05071, 0, 0.14424, 0, 0.692896, 0],
        "LArm": [0.2187, 0.113, 0.08769, 0, 0, 0],
        "RArm": [0.2187, -0.113, 0.08769, 0, 0, 0],
        "LLeg": [0, 0.05, -foot, 0, 0, 0],
        "RLeg": [0, -0.05, -foot, 0, 0, 0],
    }.items():
        found = position6d(load_robot("nao_v4"), [0.0] * 26, body)
        np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=body)


def test_nao_in_stand_init_agrees_with_aldebarans_data() -> None:
    robot = load_robot("nao_v4")
    arm = [0.118749, 0.133122, -0.04426, -1.21697, 0.415306, 0.012793]
    np.testing.assert_allclose(position6d(robot, STAND_INIT, "LArm"), arm, atol=1e-5)
    mirrored = np.multiply(arm, [1, -1, 1, -1, 1, -1])
    np.testing.assert_allclose(position6d(robot, STAND_INIT, "RArm"), mirrored, atol=1e-5)
    for leg, side in (("LLeg", 1), ("RLeg", -1)):
        found = position6d(robot, STAND_INIT, leg)
        # The sole is 0.08 mm lower than with the URDFs' foot height, along the tilted shin.
        extra = 0.04519 - 0.04511
        wanted = [0.022542, side * 0.05, -0.31963, 0, -0.1, 0]
        wanted[0] += extra * math.sin(0.1)
        wanted[2] -= extra * math.cos(0.1)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def mdh_chain(
    first: Array, rows: list[tuple[float, float, float, float]], q: list[float]
) -> Array:
    T = first
    for (alpha, a, theta, d), angle in zip(rows, q, strict=True):
        T = T @ mdh_transform(a, alpha, d, theta + angle)
    return T


@pytest.mark.parametrize("version", NAO_VERSIONS)
def test_nao_effectors_are_where_the_table_of_almotion_puts_them(version: str) -> None:
    """The published table, chained by hand here, for random configurations."""
    old = version == "nao_v32"
    elbow, upper, lower = (0.0, 0.09, 0.05055) if old else (0.015, 0.105, 0.05595)
    hand_x, hand_z = (0.058, 0.0159) if old else (0.05775, 0.01231)
    foot = 0.04511 if old else 0.04519
    half = math.pi / 2
    robot = load_robot(version)
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = robot.configuration_by_name(robot.random_configuration(rng))
        q["RHipYawPitch"] = q["LHipYawPitch"]

        def angles(first: str, last: str, q: dict[str, float] = q) -> list[float]:
            return [float(q[name]) for name in BODY[BODY.index(first) : BODY.index(last) + 1]]

        wanted = {}
        rows = [(0.0, 0.0, 0.0, 0.0), (-half, 0.0, -half, 0.0)]
        neck = mdh_chain(transform((0, 0, 0.1265)), rows, angles("HeadYaw", "HeadPitch"))
        wanted["Head"] = neck @ transform(rotation=rpy_matrix(half, 0, 0) @ rpy_matrix(0, half, 0))
        for side, sign in (("L", 1.0), ("R", -1.0)):
            rows = [
                (-half, 0.0, 0.0, 0.0),
                (half, 0.0, half, 0.0),
                (half, sign * elbow, 0.0, upper),
                (-half, 0.0, 0.0, 0.0),
                (half, 0.0, 0.0, lower),
            ]
            arm = angles(f"{side}ShoulderPitch", f"{side}WristYaw")
            end = transform(rotation=rpy_matrix(-half, 0, 0) @ rpy_matrix(0, 0, -half))
            end = end @ transform((hand_x, 0, -hand_z))
            wanted[f"{side}Arm"] = mdh_chain(transform((0, sign * 0.098, 0.1)), rows, arm) @ end
            hip = (-0.75 * math.pi, math.pi / 4) if sign > 0 else (-math.pi / 4, -math.pi / 4)
            rows = [
                (hip[0], 0.0, -half, 0.0),
                (-half, 0.0, hip[1], 0.0),
                (half, 0.0, 0.0, 0.0),
                (0.0, -0.1, 0.0, 0.0),
                (0.0, -0.1029, 0.0, 0.0),
                (-half, 0.0, 0.0, 0.0),
            ]
            leg = angles(f"{side}HipYawPitch", f"{side}AnkleRoll")
            end = transform(rotation=rpy_matrix(0, 0, math.pi) @ rpy_matrix(0, -half, 0))
            end = end @ transform((0, 0, -foot))
            wanted[f"{side}Leg"] = mdh_chain(transform((0, sign * 0.05, -0.085)), rows, leg) @ end
        del q["RHipYawPitch"]
        rep120 = {"LArm": "l_gripper", "RArm": "r_gripper", "LLeg": "l_sole", "RLeg": "r_sole"}
        for body, T in wanted.items():
            np.testing.assert_allclose(robot.get_transform(q, body, "torso"), T, atol=1e-14)
            twin = robot.get_transform(q, rep120.get(body, body), "torso")
            np.testing.assert_allclose(twin, T, atol=1e-14)


def test_nao_links_are_parallel_to_the_torso_at_zero() -> None:
    for version in (*NAO_VERSIONS, *H21):
        robot = load_robot(version)
        for body in robot.bodies:
            if body.joint.type == "revolute":
                T = robot.get_transform(np.zeros(len(robot.joint_names)), body.name)
                words = f"{version}: {body.name}"
                np.testing.assert_array_equal(T[:3, :3], np.eye(3), err_msg=words)


def test_nao_has_the_joints_of_almotion_in_its_order() -> None:
    robot = load_robot("nao")
    moving = [joint.name for joint in robot.joints if joint.type != "fixed"]
    assert moving == BODY
    # One motor moves both: the right one follows the left one.
    assert list(robot.joint_names) == [name for name in BODY if name != "RHipYawPitch"]
    q = robot.configuration_by_name(robot.home_configuration())
    stand = dict(zip(BODY, STAND_INIT, strict=True))
    assert q == {name: stand[name] for name in robot.joint_names}


def test_nao_h21_lacks_wrists_and_hands() -> None:
    gone = {"LWristYaw", "LHand", "RWristYaw", "RHand"}
    for version in H21:
        robot = load_robot(version)
        moving = [joint.name for joint in robot.joints if joint.type != "fixed"]
        assert moving == [name for name in BODY if name not in gone]
        whole = load_robot(version.removesuffix("_h21"))
        for body in ("LArm", "RArm", "l_fingers"):
            np.testing.assert_allclose(
                position6d(robot, [0.0] * 26, body), position6d(whole, [0.0] * 26, body)
            )


def test_nao_has_aldebarans_mass() -> None:
    flip = np.diag([1.0, -1.0, 1.0])
    masses = {"nao_v32": 4.836, "nao_v33": 5.006, "nao_v4": 5.195, "nao": 5.305}
    for version, mass in masses.items():
        robot = load_robot(version)
        inertias = {body.name: body.inertia for body in robot.bodies if body.inertia}
        assert sum(i.mass for i in inertias.values()) == pytest.approx(mass, abs=1e-3), version
        for name, inertia in inertias.items():
            if name.startswith("L"):
                twin = inertias["R" + name[1:]]
                np.testing.assert_array_equal(twin.center_of_mass, flip @ inertia.center_of_mass)
                np.testing.assert_array_equal(twin.matrix, flip @ inertia.matrix @ flip)


def test_nao_limits_differ_between_versions_and_mirror_between_sides() -> None:
    new, old = load_robot("nao"), load_robot("nao_v32")
    assert new.joint_limits("LShoulderRoll") == (-0.3142, 1.3265)
    assert new.joint_limits("RShoulderRoll") == (-1.3265, 0.3142)
    assert old.joint_limits("LElbowRoll") == (-1.5621, -0.0087)
    assert old.joint_limits("RElbowRoll") == (0.0087, 1.5621)
    assert new.joint_limits("LHand") == (0.0, 1.0)
    assert old.get_joint("LWristYaw").velocity_limit == 5.03144
    assert new.get_joint("LWristYaw").velocity_limit == 24.6229
    assert new.get_joint("LHipRoll").effort_limit == 3.348


def test_nao_cameras_of_version_3_differ() -> None:
    found = position6d(load_robot("nao_v33"), [0.0] * 26, "CameraBottom")
    np.testing.assert_allclose(found, [0.0488, 0, 0.15031, 0, 0.6981, 0], atol=4e-5)
    optical = load_robot("nao").get_transform([0.0] * 25, "CameraTop_optical_frame", "CameraTop")
    # REP 103: z looks along the camera's x, x to the right, y down.
    np.testing.assert_allclose(optical[:3, 2], [1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(optical[:3, 0], [0, -1, 0], atol=1e-15)
