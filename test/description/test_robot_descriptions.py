"""Robots of the package robot_descriptions load by its names.

Most tests run on the real package, whose cache is filled with local repositories of the shape of
the real ones, since it would clone them from the internet.
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
def cache(tmp_path, monkeypatch):
    """Let the package clone from nowhere into an empty cache; forget its modules."""
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    forget()
    yield tmp_path / "cache"
    forget()


def forget():
    for name in [name for name in sys.modules if name.startswith("robot_descriptions.")]:
        if name.endswith("_description"):
            del sys.modules[name]


def repository_at(folder):
    """Make a git repository of a folder's files, as the package has cloned it."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    return subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def fetched(cache, monkeypatch):
    """Return a function that puts a folder's files where the package finds a repository."""
    from robot_descriptions._repositories import REPOSITORIES

    def put(name):
        folder = cache / REPOSITORIES[name].cache_path
        folder.mkdir(parents=True)
        return folder

    def ready(folder):
        monkeypatch.setenv("ROBOT_DESCRIPTION_COMMIT", repository_at(folder))

    return put, ready


def test_a_robot_of_a_urdf_file(fetched):
    put, ready = fetched
    folder = put("example-robot-data")
    shutil.copytree(ROBOTS / "panda_description", folder / "robots/panda_description")
    ready(folder)
    robot = load_robot("robot_descriptions:panda_description")
    theirs = read_urdf_file(ROBOTS / "panda_description/urdf/panda.urdf")
    assert robot.body_names == theirs.body_names
    mesh = next(body for body in robot.bodies if body.collisions).collisions[0].geometry
    assert len(load_mesh(mesh).faces) > 10


def test_a_robot_of_a_xacro_file_with_arguments(fetched):
    put, ready = fetched
    folder = put("Universal_Robots_ROS2_Description")
    (folder / "urdf").mkdir()
    (folder / "package.xml").write_text("<package><name>ur_description</name></package>")
    (folder / "urdf/ur.urdf.xacro").write_text(
        '<robot name="$(arg name)" xmlns:xacro="http://wiki.ros.org/xacro">'
        '<xacro:arg name="name" default=""/><xacro:arg name="ur_type" default=""/>'
        '<link name="$(arg ur_type)_base"><visual><geometry><mesh '
        'filename="package://ur_description/base.stl"/></geometry></visual></link></robot>'
    )
    shutil.copy(next(ROBOTS.rglob("*.stl")), folder / "base.stl")
    ready(folder)
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


def test_without_network_the_reason_is_told(cache):
    with pytest.raises(DescriptionError, match=r"robot_descriptions:cf2_description: cannot be f"):
        load_robot("robot_descriptions:cf2_description")


def test_a_robot_for_mujoco_only_is_refused(fetched):
    put, ready = fetched
    folder = put("mujoco_menagerie")
    (folder / "README").write_text("nothing")
    ready(folder)
    with pytest.raises(DescriptionError, match="has no URDF there"):
        load_robot("robot_descriptions:ur5e_mj_description")
