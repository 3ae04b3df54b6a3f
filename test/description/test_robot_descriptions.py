"""Robots of the package robot_descriptions load by its names.

Most tests run on the real package, which clones its repositories as ever, but by git's rules from
a folder with repositories of the same shape instead of the internet.
"""

import shutil
import subprocess
import sys

import pytest
import robot_descriptions

from harness.example_robots import ROBOTS
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import load_mesh, read_urdf_file
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError


@pytest.fixture
def github(tmp_path, monkeypatch):
    """Let git find GitHub's repositories in a folder, and the package's cache be empty."""
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/github/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/")
    forget()
    yield tmp_path / "github"
    forget()


def forget():
    for name in list(sys.modules):
        if name.startswith("robot_descriptions.") and name.endswith("_description"):
            del sys.modules[name]


@pytest.fixture
def publish(github, monkeypatch):
    """Return a function that makes a repository of a folder, at an address of the package's."""
    from robot_descriptions._repositories import REPOSITORIES

    def made(name, fill):
        folder = github / REPOSITORIES[name].url.removeprefix("https://github.com/")
        folder.mkdir(parents=True)
        fill(folder)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
        for command in (
            ["init", "-q", "-b", "main"],
            ["config", "uploadpack.allowAnySHA1InWant", "true"],
            ["add", "-A"],
            ["commit", "-qm", "all"],
        ):
            subprocess.run([*git, *command], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True)
        monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", head.stdout.decode().strip())

    return made


def test_a_robot_of_a_urdf_file(publish):
    panda = ROBOTS / "panda_description"
    publish(
        "example-robot-data",
        lambda folder: shutil.copytree(panda, folder / "robots/panda_description"),
    )
    robot = load_robot("robot_descriptions:panda_description")
    theirs = read_urdf_file(ROBOTS / "panda_description/urdf/panda.urdf")
    assert robot.body_names == theirs.body_names
    mesh = next(body for body in robot.bodies if body.collisions).collisions[0].geometry
    assert len(load_mesh(mesh).faces) > 10


def fill_with_xacro(folder):
    (folder / "urdf").mkdir()
    (folder / "package.xml").write_text("<package><name>ur_description</name></package>")
    (folder / "urdf/ur.urdf.xacro").write_text(
        '<robot name="$(arg name)" xmlns:xacro="http://wiki.ros.org/xacro">'
        '<xacro:arg name="name" default=""/><xacro:arg name="ur_type" default=""/>'
        '<link name="$(arg ur_type)_base"><visual><geometry><mesh '
        'filename="package://ur_description/base.stl"/></geometry></visual></link></robot>'
    )
    shutil.copy(next(ROBOTS.rglob("*.stl")), folder / "base.stl")


def test_a_robot_of_a_xacro_file_with_arguments(publish):
    publish("Universal_Robots_ROS2_Description", fill_with_xacro)
    robot = load_robot("robot_descriptions:ur10e_description")
    assert (robot.name, robot.base_name) == ("ur10e", "ur10e_base")
    assert len(load_mesh(robot.base.visuals[0].geometry).faces)


def test_a_xacro_file_that_uses_another_package(monkeypatch, tmp_path):
    """A module of the package's shape, beside the real ones: those want two repositories."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules/two_description.py").write_text(
        f"PACKAGE_PATH = {str(tmp_path)!r}\nXACRO_PATH = PACKAGE_PATH + '/two.xacro'\n"
        "XACRO_PACKAGE_PATHS = {'far_away': PACKAGE_PATH + '/elsewhere'}\n"
    )
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/part.xacro").write_text('<robot><link name="part"/></robot>')
    shutil.copy(next(ROBOTS.rglob("*.stl")), tmp_path / "elsewhere/part.stl")
    (tmp_path / "two.xacro").write_text(
        '<robot name="two" xmlns:xacro="http://wiki.ros.org/xacro"><link name="root"><visual>'
        '<geometry><mesh filename="package://far_away/part.stl"/></geometry></visual></link>'
        '<xacro:include filename="$(find far_away)/part.xacro"/><joint name="j" type="fixed">'
        '<parent link="root"/><child link="part"/></joint></robot>'
    )
    path = [*robot_descriptions.__path__, str(tmp_path / "modules")]
    monkeypatch.setattr(robot_descriptions, "__path__", path)
    robot = load_robot("robot_descriptions:two_description")
    assert robot.body_names == ("part",)
    assert len(load_mesh(robot.base.visuals[0].geometry).faces)
    del sys.modules["robot_descriptions.two_description"]


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'ur10e_description'") as caught:
        load_robot("robot_descriptions:ur10e_descripton")
    assert len(caught.value.known) > 150
    with pytest.raises(UnknownNameError):
        load_robot("robot_descriptions:_cache")
    with pytest.raises(UnknownNameError):
        load_robot("robot_descriptions:../os")


def test_missing_network_is_reported(github):
    with pytest.raises(DescriptionError, match=r"robot_descriptions:cf2_description: cannot be d"):
        load_robot("robot_descriptions:cf2_description")


def test_a_robot_for_mujoco_only_is_read_as_mjcf(publish):
    pytest.importorskip("mujoco")

    def fill(folder):
        (folder / "franka_emika_panda").mkdir()
        body = '<body name="link0"><joint name="joint1"/><geom size="1"/></body>'
        text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
        (folder / "franka_emika_panda" / "panda.xml").write_text(text)

    publish("mujoco_menagerie", fill)
    assert load_robot("robot_descriptions:panda_mj_description").joint_names == ("joint1",)
