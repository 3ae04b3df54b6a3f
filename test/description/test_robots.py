"""The bundled robots against published numbers, and against Pinocchio on the makers' URDFs."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.description import read_urdf, write_urdf
from rigid_tree_kinematics.description.robots import robots_directory
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import (
    Array,
    inverse,
    matrix_rpy,
    mdh_transform,
    rpy_matrix,
    transform,
)

URDFS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
NAO_VERSIONS = ("nao", "nao_v6", "nao_v5", "nao_v4", "nao_v33", "nao_v32")
H21 = ("nao_v5_h21", "nao_v4_h21", "nao_v33_h21", "nao_v32_h21")
# ALMotion's names of NAO's joints, in the order of "Body".
BODY = (
    "HeadYaw HeadPitch LShoulderPitch LShoulderRoll LElbowYaw LElbowRoll LWristYaw LHand "
    "LHipYawPitch LHipRoll LHipPitch LKneePitch LAnklePitch LAnkleRoll "
    "RHipYawPitch RHipRoll RHipPitch RKneePitch RAnklePitch RAnkleRoll "
    "RShoulderPitch RShoulderRoll RElbowYaw RElbowRoll RWristYaw RHand"
).split()
STAND_INIT = (
    [0, 0, 1.4, 0.3, -1.39, -1.01, 0, 0.25, 0, 0, -0.45, 0.7, -0.35, 0]
    + [0, 0, -0.45, 0.7, -0.35, 0, 1.4, -0.3, 1.39, 1.01, 0, 0.25]
)  # fmt: skip


# -- finding and loading --------------------------------------------------------------------------


def test_all_bundled_robots_load_and_stand_at_home_inside_their_limits() -> None:
    names = list_robots()
    wanted = {"double_pendulum", "panda", "planar_two_link", "puma560", "ur5"}
    assert wanted | set(NAO_VERSIONS) | set(H21) == set(names)
    for name in names:
        robot = load_robot(name)
        home, compiled = robot.home_configuration(), robot.compiled()
        assert (home >= compiled.lower).all(), name
        assert (home <= compiled.upper).all(), name
        assert any(body.visuals for body in robot.bodies), name
        assert sum(body.inertia.mass for body in robot.bodies if body.inertia) > 0, name


@pytest.mark.parametrize("name", list_robots())
@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
def test_a_bundled_robot_survives_the_way_through_urdf(name: str) -> None:
    robot = load_robot(name)
    again = read_urdf(write_urdf(robot))
    assert again.joint_names == robot.joint_names
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = robot.configuration_by_name(robot.random_configuration(rng))
        for body in robot.body_names:
            np.testing.assert_allclose(
                again.get_transform(q, body), robot.get_transform(q, body), atol=1e-13
            )


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'panda'"):
        load_robot("pandas")


@pytest.mark.parametrize("suffix", [".urdf", ".xacro", ".yaml", ".yml"])
def test_a_missing_file_is_named(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(DescriptionError, match=r"robot\..*: no such file"):
        load_robot(tmp_path / f"robot{suffix}")


def test_folders_and_unknown_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="folder"):
        load_robot(str(tmp_path))
    (tmp_path / "robot.sdf").write_text("<sdf/>")
    with pytest.raises(DescriptionError, match=r"ends in one of \.urdf"):
        load_robot(tmp_path / "robot.sdf")


def test_files_of_each_kind_load_by_path(tmp_path: Path) -> None:
    panda = tmp_path / "arm.yaml"
    shutil.copy(robots_directory() / "panda.yaml", panda)
    assert load_robot(panda).name == "panda"
    urdf = (robots_directory() / "double_pendulum.urdf").read_text()
    for name in ("pendulum.urdf", "pendulum.xacro", "pendulum.urdf.xacro"):
        (tmp_path / name).write_text(urdf)
        assert load_robot(str(tmp_path / name)).joint_names == ("joint_A", "joint_B")


def test_the_bundled_robots_are_found_in_an_installed_package(tmp_path: Path) -> None:
    package = Path(sys.modules["rigid_tree_kinematics"].__file__ or "").parent
    library = tmp_path / "lib" / "python3" / "site-packages"
    shutil.copytree(package, library / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    share = tmp_path / "share" / "rigid_tree_kinematics" / "robots"
    shutil.copytree(robots_directory(), share)
    code = "import rigid_tree_kinematics as r; print(r.__file__, r.list_robots())"
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(library), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert str(library) in result.stdout
    assert "nao_v32" in result.stdout


# -- NAO ------------------------------------------------------------------------------------------


def nao_configuration(robot: RigidBodyTree, values: list[float]) -> dict[str, float]:
    """Return ALMotion's 26 values by name, without the joints that this version lacks."""
    by_name = dict(zip(BODY, values, strict=True))
    return {name: by_name[name] for name in robot.joint_names}


def position6d(robot: RigidBodyTree, values: list[float], body: str) -> Array:
    T = robot.get_transform(nao_configuration(robot, values), body, "torso")
    return np.array([*T[:3, 3], *matrix_rpy(T[:3, :3])])


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("Head", [0, 0, 0.1265, 0, 0, 0]),
        ("CameraTop", [0.05871, 0, 0.19014, 0, 0.020944, 0]),
        ("CameraBottom", [0.05071, 0, 0.14424, 0, 0.692896, 0]),
        ("LArm", [0.2187, 0.113, 0.08769, 0, 0, 0]),
        ("RArm", [0.2187, -0.113, 0.08769, 0, 0, 0]),
        ("LLeg", [0, 0.05, -0.33301, 0, 0, 0]),
        ("RLeg", [0, -0.05, -0.33301, 0, 0, 0]),
    ],
)
def test_nao_at_zero_is_where_aldebaran_says(body: str, wanted: list[float]) -> None:
    found = position6d(load_robot("nao_v4"), [0.0] * 26, body)
    if body.endswith("Leg"):
        wanted[2] -= 0.04519 - 0.04511  # the value was taken with the foot height of the URDFs
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_nao_in_stand_init_is_where_aldebaran_says() -> None:
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


def test_the_elbow_of_nao_is_offset_from_version_3_3_on() -> None:
    for version, y in (("nao_v32", 0.098), ("nao_v33", 0.113), ("nao_v6", 0.113)):
        assert position6d(load_robot(version), [0.0] * 26, "LArm")[1] == pytest.approx(y)
    x = position6d(load_robot("nao_v32"), [0.0] * 26, "LArm")[0]
    assert x == pytest.approx(0.09 + 0.05055 + 0.058)


@pytest.mark.parametrize("version", [*NAO_VERSIONS, *H21])
def test_nao_links_are_parallel_to_the_torso_at_zero(version: str) -> None:
    robot = load_robot(version)
    zero = np.zeros(len(robot.joint_names))
    for body in robot.bodies:
        if body.joint.type == "revolute":
            T = robot.get_transform(zero, body.name)
            np.testing.assert_array_equal(T[:3, :3], np.eye(3), err_msg=body.name)


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


@pytest.mark.parametrize(
    ("version", "mass"),
    [("nao_v32", 4.836), ("nao_v33", 5.006), ("nao_v4", 5.195), ("nao", 5.305)],
)
def test_nao_weighs_what_aldebaran_says(version: str, mass: float) -> None:
    robot = load_robot(version)
    bodies = [body for body in robot.bodies if body.inertia]
    assert sum(body.inertia.mass for body in bodies if body.inertia) == pytest.approx(
        mass, abs=1e-3
    )
    for body in bodies:
        mirror = body.name.replace("L", "R", 1) if body.name[0] == "L" else None
        if mirror and body.inertia:
            twin = robot.get_body(mirror).inertia
            assert twin is not None
            flip = np.diag([1.0, -1.0, 1.0])
            np.testing.assert_array_equal(twin.center_of_mass, flip @ body.inertia.center_of_mass)
            np.testing.assert_array_equal(twin.matrix, flip @ body.inertia.matrix @ flip)


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


# -- arms -----------------------------------------------------------------------------------------


def pinocchio_frames(model: pin.Model, positions: dict[str, float]) -> dict[str, Array]:
    q = pin.neutral(model)
    for name, value in positions.items():
        q[model.joints[model.getJointId(name)].idx_q] = value
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    return {frame.name: data.oMf[index].homogeneous for index, frame in enumerate(model.frames)}


def test_panda_frames_are_those_of_the_public_urdf() -> None:
    model = pin.buildModelFromUrdf(str(URDFS / "panda_description/urdf/panda.urdf"))
    robot = load_robot("panda")
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = robot.configuration_by_name(robot.random_configuration(rng))
        wanted = pinocchio_frames(model, q)
        for body in robot.body_names:
            np.testing.assert_allclose(robot.get_transform(q, body), wanted[body], atol=1e-12)


def test_panda_limits_and_inertias_are_those_of_the_public_urdf() -> None:
    robot = load_robot("panda")
    public = load_robot(URDFS / "panda_description/urdf/panda.urdf")
    for name in robot.joint_names:
        assert robot.joint_limits(name) == public.joint_limits(name)
        assert robot.get_joint(name).velocity_limit == public.get_joint(name).velocity_limit
        assert robot.get_joint(name).effort_limit == public.get_joint(name).effort_limit
    for body in robot.bodies:
        ours, theirs = body.inertia, public.get_body(body.name).inertia
        if ours is not None and theirs is not None:
            assert ours.mass == theirs.mass
            np.testing.assert_array_equal(ours.center_of_mass, theirs.center_of_mass)
            np.testing.assert_array_equal(ours.matrix, theirs.matrix)


def test_ur5_moves_like_the_public_urdf() -> None:
    """example-robot-data has the older frames, whose tool0 and base_link are today's.

    Its other links' frames differ from today's by a fixed transform each, the same at every q.
    """
    model = pin.buildModelFromUrdf(str(URDFS / "ur_description/urdf/ur5_robot.urdf"))
    robot = load_robot("ur5")
    rng = np.random.default_rng(3)
    between: dict[str, Array] = {}
    for _ in range(20):
        q = robot.configuration_by_name(robot.random_configuration(rng))
        wanted = pinocchio_frames(model, q)
        # Their right angles and lengths are rounded to about 1e-11.
        for body in ("base", "tool0"):
            np.testing.assert_allclose(robot.get_transform(q, body), wanted[body], atol=1e-9)
        for body in robot.body_names:
            if body in wanted:
                offset = inverse(wanted[body]) @ robot.get_transform(q, body)
                first = between.setdefault(body, offset)
                np.testing.assert_allclose(offset, first, atol=1e-9)
    assert len(between) == 8


def test_ur5_tool_at_zero_is_where_the_published_dh_table_puts_it() -> None:
    # Stretched out along -x in the controller's base frame, tool pointing along -y.
    T = load_robot("ur5").get_transform(np.zeros(6), "tool0", "base")
    wanted = [-0.425 - 0.39225, -0.10915 - 0.0823, 0.089159 - 0.09465]
    np.testing.assert_allclose(T[:3, 3], wanted, atol=1e-14)
    np.testing.assert_allclose(T[:3, 2], [0, -1, 0], atol=1e-14)


@pytest.mark.parametrize(
    ("q", "wanted"),
    [  # printed by the Robotics Toolbox for Python 1.5.0, models.DH.Puma560().fkine(q)
        ([0] * 6, [[1, 0, 0, 0.4521], [0, 1, 0, -0.15005], [0, 0, 1, 1.10363]]),
        (
            [0, math.pi / 4, -math.pi, 0, math.pi / 4, 0],
            [[0, 0, 1, 0.5963031486], [0, 1, 0, -0.15005], [-1, 0, 0, 0.6574757323]],
        ),
        (
            [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            [
                [0.1216976814, -0.606671726, -0.7855820079, 0.2478027469],
                [0.8183638247, 0.5091974688, -0.2664556026, -0.1259401815],
                [0.5616674503, -0.6104648676, 0.5584463454, 1.1462879057],
            ],
        ),
        (
            [-1, 1.5, -2, 0.7, -0.4, 2],
            [
                [0.0026521235, -0.806731489, 0.5909122361, 0.0117170867],
                [0.8260392038, -0.3312769085, -0.4559768018, -0.2959631797],
                [0.563606423, 0.4893259798, 0.6655132496, 1.471756147],
            ],
        ),
    ],
)
def test_puma_is_where_the_robotics_toolbox_puts_it(q: list[float], wanted: list[float]) -> None:
    T = load_robot("puma560").get_transform(q, "tool0")
    np.testing.assert_allclose(T[:3], wanted, atol=1e-9)


def test_the_planar_arm_reaches_what_its_link_lengths_say() -> None:
    T = load_robot("planar_two_link").get_transform([0.3, 0.5], "tool")
    x, y = 0.9 * math.cos(0.3) + 1.2 * math.cos(0.8), 0.9 * math.sin(0.3) + 1.2 * math.sin(0.8)
    np.testing.assert_allclose(T[:3, 3], [x, y, 0], atol=1e-15)


def test_the_double_pendulum_hangs_down_and_swings_about_y() -> None:
    robot = load_robot("double_pendulum")
    assert robot.base_name == "A"
    assert [joint.type for joint in robot.joints] == ["continuous", "continuous"]
    np.testing.assert_allclose(robot.get_transform([0, 0], "C")[:3, 3], [0, 0.045, -0.5])
    swung = robot.get_transform([math.radians(30), 0], "C")[:3, 3]
    np.testing.assert_allclose(swung, [-0.25, 0.045, -0.5 * math.cos(math.radians(30))])
