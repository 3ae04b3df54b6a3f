"""Robots whose packages have another name or place: ``package_paths``, and copies."""

import shutil
import warnings
from pathlib import Path

import pytest
import trimesh

from harness.cases import case
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import load_mesh, read_urdf, resolve_mesh_path, write_urdf
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning

LINK = '<link name="base"><collision><geometry><mesh filename="{}"/></geometry></collision></link>'
URDF = f'<robot name="arm">{LINK}</robot>'


@pytest.fixture(autouse=True)
def no_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH", "RIGID_TREE_PACKAGE_PATH"):
        monkeypatch.delenv(variable, raising=False)


def made(path: Path) -> Path:
    """Write a mesh file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    trimesh.creation.box((1, 2, 3)).export(path)
    return path


def test_names_are_found_in_package_paths(tmp_path: Path) -> None:
    mesh = made(tmp_path / "copy/meshes/base.stl")
    (tmp_path / "other").mkdir()
    package = "package://arm_description/meshes/base.stl"
    (tmp_path / "links").mkdir()
    (tmp_path / "links/arm_description").symlink_to(tmp_path / "copy")
    for name, paths in (
        (package, (tmp_path / "other", tmp_path / "copy")),  # the package, under another name
        (package, str(tmp_path / "copy")),
        (package, tmp_path / "links"),  # the folder of the package
        (package, [mesh.parent]),  # the folder of the meshes, like MATLAB's MeshPath
        ("meshes/base.stl", tmp_path / "copy"),
        ("../x/base.stl", mesh.parent),
        ("file:///far/away/base.stl", mesh.parent),
        ("/far/away/base.stl", mesh.parent),
    ):
        with case(f"{name} {paths}"):
            robot = read_urdf(URDF.format(name), package_paths=paths)
            robot = read_urdf(write_urdf(robot))  # other processes find the file, too
            shape = robot.base.collisions[0].geometry
            assert Path(resolve_mesh_path(shape.filename)).samefile(mesh)
            assert load_mesh(shape).volume == pytest.approx(6.0)


def test_package_paths_come_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path / "installed/arm/m.stl")
    mesh = made(tmp_path / "mine/arm/m.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path / "installed"))
    assert resolve_mesh_path("package://arm/m.stl", None, tmp_path / "mine") == mesh


def test_every_format_takes_package_paths(tmp_path: Path) -> None:
    made(tmp_path / "copy/meshes/base.stl")
    name = "package://arm_description/meshes/base.stl"
    (tmp_path / "copy/base.xacro").write_text(f"<robot>{LINK.format(name)}</robot>")
    (tmp_path / "arm.urdf").write_text(URDF.format(name))
    (tmp_path / "arm.urdf.xacro").write_text(
        '<robot name="arm" xmlns:xacro="http://wiki.ros.org/xacro">'
        '<xacro:include filename="$(find arm_description)/base.xacro"/></robot>'
    )
    (tmp_path / "arm.yaml").write_text(
        "robot: arm\nbase: root\n"
        "chains: {arm: {parent: root, joints: [{joint: j, body: base}]}}\n"
        f"bodies: {{base: {{shapes: [{{mesh: '{name}'}}]}}}}\n"
    )
    for file in ("arm.urdf", "arm.urdf.xacro", "arm.yaml"):
        with case(file):
            robot = load_robot(tmp_path / file, package_paths=tmp_path / "copy")
            shape = robot.get_body("base").collisions[0].geometry
            assert len(load_mesh(shape).faces) == 12


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"package_paths: '.*gone' is not a folder"):
        read_urdf(URDF.format("m.stl"), package_paths=tmp_path / "gone")
    with pytest.warns(DescriptionWarning, match=r"not in package_paths: 'package://a/gone.stl'$"):
        robot = read_urdf(URDF.format("package://a/gone.stl"), package_paths=tmp_path)
    assert robot.base.collisions[0].geometry.filename == "package://a/gone.stl"


def test_a_linked_robot_finds_its_package(tmp_path: Path) -> None:
    mesh = made(tmp_path / "arm_description/meshes/base.stl")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "arm_description/urdf").mkdir()
    (tmp_path / "elsewhere/link").symlink_to(tmp_path / "arm_description/urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        name = "package://arm_description/meshes/base.stl"
        assert resolve_mesh_path(name, tmp_path / "elsewhere/link") == mesh


def test_a_copied_robot_finds_its_meshes_with_a_warning(tmp_path: Path) -> None:
    mesh = made(tmp_path / "copy/meshes/base.stl")
    for folder in ("copy", "copy/urdf", "copy/robots/urdf"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        urdf = tmp_path / folder / "arm.urdf"
        urdf.write_text(URDF.format(f"package://arm_of_{len(folder)}/meshes/base.stl"))
        with pytest.warns(DescriptionWarning, match=f"taken from '{tmp_path / 'copy'}'"):
            CollisionChecker(load_robot(urdf))
    # Another version of the package, without this file, hides nothing.
    (tmp_path / "copy/arm_of_16").mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once a package
        CollisionChecker(load_robot(urdf))
    shutil.rmtree(mesh.parent)
    with pytest.raises(DescriptionError, match="package_paths"):
        CollisionChecker(load_robot(urdf))
