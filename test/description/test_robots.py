"""The bundled robots against published numbers, and against Pinocchio on the original URDFs."""

import math
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from harness.example_robots import ROBOTS
from harness.processes import run
from harness.truth import example_truth
from rigid_tree_kinematics import list_robots, load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError
from rigid_tree_kinematics.model.transforms import inverse

NAO_VERSIONS = ("nao", "nao_v6", "nao_v5", "nao_v4", "nao_v33", "nao_v32")
H21 = ("nao_v5_h21", "nao_v4_h21", "nao_v33_h21", "nao_v32_h21")


# -- finding and loading --------------------------------------------------------------------------


def test_all_bundled_robots_load_and_stand_at_home_inside_their_limits() -> None:
    names = list_robots()
    wanted = {"double_pendulum", "panda", "panda_hand", "planar_two_link", "puma560", "ur5"}
    assert wanted | set(NAO_VERSIONS) | set(H21) == set(names)
    for name in names:
        robot = load_robot(name)
        home, compiled = robot.home_configuration(), robot.compiled()
        assert (home >= compiled.lower).all(), name
        assert (home <= compiled.upper).all(), name
        assert any(body.visuals for body in robot.bodies), name
        assert sum(body.inertia.mass for body in robot.bodies if body.inertia) > 0, name
        # RViz gives the first visual's color to all (ros2/rviz#1293), red without a material.
        for body in robot.bodies:
            assert all(visual.material for visual in body.visuals), (name, body.name)
            colors = list(dict.fromkeys(visual.material.name for visual in body.visuals))
            if len(colors) > 1:
                assert colors[0] not in ("joint", "accent", "dark", "steel"), (name, body.name)


def test_an_unknown_name_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'panda'"):
        load_robot("pandas")


def test_a_file_in_a_ros_package_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my_arm" / "robots"
    folder.mkdir(parents=True)
    shutil.copy(bundled_folder("robots") / "panda.yaml", folder / "arm.yaml")
    monkeypatch.setenv("RIGID_TREE_PACKAGE_PATH", str(tmp_path))
    assert load_robot("package://my_arm/robots/arm.yaml").name == "panda"
    with pytest.raises(DescriptionError, match=r"none\.yaml: no such file"):
        load_robot("package://my_arm/robots/none.yaml")
    with pytest.raises(DescriptionError, match="package 'other' was not found"):
        load_robot("package://other/arm.yaml")


def test_missing_files_folders_and_unknown_suffixes_are_rejected(tmp_path: Path) -> None:
    for name in ("robot.urdf", "robot.xacro", "robot.yaml", "robot.yml"):
        with pytest.raises(DescriptionError, match=f"{name}: no such file"):
            load_robot(tmp_path / name)
    with pytest.raises(DescriptionError, match="folder"):
        load_robot(str(tmp_path))
    (tmp_path / "robot.txt").write_text("<sdf/>")
    with pytest.raises(DescriptionError, match=r"must end in one of \.urdf"):
        load_robot(tmp_path / "robot.txt")


def test_files_of_each_kind_load_by_path(tmp_path: Path) -> None:
    panda = tmp_path / "arm.yaml"
    shutil.copy(bundled_folder("robots") / "panda.yaml", panda)
    assert load_robot(panda).name == "panda"
    urdf = (bundled_folder("robots") / "double_pendulum.urdf").read_text()
    for name in ("pendulum.urdf", "pendulum.xacro", "pendulum.urdf.xacro"):
        (tmp_path / name).write_text(urdf)
        assert load_robot(str(tmp_path / name)).joint_names == ("joint_A", "joint_B")


def test_the_bundled_robots_are_found_in_an_installed_package(tmp_path: Path) -> None:
    package = Path(sys.modules["rigid_tree_kinematics"].__file__ or "").parent
    library = tmp_path / "lib" / "python3" / "site-packages"
    shutil.copytree(package, library / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    share = tmp_path / "share" / "rigid_tree_kinematics" / "robots"
    shutil.copytree(bundled_folder("robots"), share)
    code = "import rigid_tree_kinematics as r; print(r.__file__, r.list_robots())"
    environment = {"PYTHONPATH": str(library), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"}
    result = run(sys.executable, "-c", code, cwd=tmp_path, env=environment, check=True)
    assert str(library) in result.stdout
    assert "nao_v32" in result.stdout


# -- arms -----------------------------------------------------------------------------------------


PANDA, UR5 = "panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"


def test_panda_frames_are_those_of_the_public_urdf() -> None:
    truth = example_truth(PANDA)
    for name in ("panda", "panda_hand"):
        robot = load_robot(name)
        for seed in range(20):
            q = robot.random_configuration(seed)
            theirs = np.append(q, 0.0)[:8]  # with the fingers' joint
            for body in robot.body_names:
                found, wanted = robot.get_transform(q, body), truth.pose(theirs, body)
                np.testing.assert_allclose(found, wanted, atol=1e-12, err_msg=f"{name}: {body}")


@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
def test_panda_limits_and_inertias_are_those_of_the_public_urdf() -> None:
    public = load_robot(ROBOTS / PANDA)
    for name in ("panda", "panda_hand"):
        robot = load_robot(name)
        for joint in robot.joint_names:
            ours, theirs = robot.get_joint(joint), public.get_joint(joint)
            for key in ("position_limits", "velocity_limit", "effort_limit"):
                assert getattr(ours, key) == getattr(theirs, key), (name, joint)
        for body in robot.bodies:
            inertia, wanted = body.inertia, public.get_body(body.name).inertia
            if inertia is not None and wanted is not None:
                assert inertia.mass == wanted.mass
                np.testing.assert_array_equal(inertia.center_of_mass, wanted.center_of_mass)
                np.testing.assert_allclose(inertia.matrix, wanted.matrix, rtol=1e-12)


def test_ur5_moves_like_the_public_urdf() -> None:
    """example-robot-data has the older frames, whose tool0 and base_link are today's.

    Its other links' frames differ from today's by a fixed transform each, the same at every q.
    """
    truth, robot = example_truth(UR5), load_robot("ur5")
    known = [body for body in robot.body_names if body in {f.name for f in truth.model.frames}]
    assert len(known) == 8
    between: dict[str, np.ndarray] = {}
    for seed in range(20):
        q = robot.random_configuration(seed)
        for body in known:
            found, wanted = robot.get_transform(q, body), truth.pose(q, body)
            offset = inverse(wanted) @ found
            # Their right angles and lengths are rounded to about 1e-11.
            first = between.setdefault(body, offset)
            np.testing.assert_allclose(offset, first, atol=1e-9)
            if body in ("base", "tool0"):
                np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_ur5_tool_at_zero_is_where_the_published_dh_table_puts_it() -> None:
    # Stretched out along -x in the controller's base frame, tool pointing along -y.
    T = load_robot("ur5").get_transform(np.zeros(6), "tool0", "base")
    wanted = [-0.425 - 0.39225, -0.10915 - 0.0823, 0.089159 - 0.09465]
    np.testing.assert_allclose(T[:3, 3], wanted, atol=1e-14)
    np.testing.assert_allclose(T[:3, 2], [0, -1, 0], atol=1e-14)


def test_puma_is_where_the_robotics_toolbox_puts_it() -> None:
    """As printed by the Robotics Toolbox for Python 1.5.0, models.DH.Puma560().fkine(q)."""
    for q, *rows in (
        ([0] * 6, [1, 0, 0, 0.4521], [0, 1, 0, -0.15005], [0, 0, 1, 1.10363]),
        (
            [0, math.pi / 4, -math.pi, 0, math.pi / 4, 0],
            *([0, 0, 1, 0.5963031486], [0, 1, 0, -0.15005], [-1, 0, 0, 0.6574757323]),
        ),
        (
            [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            [0.1216976814, -0.606671726, -0.7855820079, 0.2478027469],
            [0.8183638247, 0.5091974688, -0.2664556026, -0.1259401815],
            [0.5616674503, -0.6104648676, 0.5584463454, 1.1462879057],
        ),
        (
            [-1, 1.5, -2, 0.7, -0.4, 2],
            [0.0026521235, -0.806731489, 0.5909122361, 0.0117170867],
            [0.8260392038, -0.3312769085, -0.4559768018, -0.2959631797],
            [0.563606423, 0.4893259798, 0.6655132496, 1.471756147],
        ),
    ):
        T = load_robot("puma560").get_transform(q, "tool0")
        np.testing.assert_allclose(T[:3], rows, atol=1e-9)


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
