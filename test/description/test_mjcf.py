"""Robots in MJCF have the poses and the mass matrix that MuJoCo computes."""

import re
import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.example_robots import assert_same_robot
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, LeftOut
from rigid_tree_kinematics.description import load_mesh, mjcf_srdf, read_urdf, write_urdf
from rigid_tree_kinematics.description.urdf import with_joint_frames
from rigid_tree_kinematics.dynamics import mass_matrix
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import Box, Cylinder, Loop, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import rotation_log, rpy_matrix

mujoco = pytest.importorskip("mujoco")

ARM = """<mujoco model="arm">
  <compiler angle="degree" eulerseq="XYZ" meshdir="parts"/>
  <option gravity="0 0 -1.62"/>
  <default>
    <joint damping="0.3" frictionloss="0.1" armature="0.02"/>
    <default class="drawn"><geom contype="0" conaffinity="0" group="2" rgba="1 0 0 1"/></default>
    <default class="solid"><geom group="3"/></default>
  </default>
  <asset><mesh name="part" file="part.obj" scale="1 2 -1"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="gimbal" pos="0.1 0.2 0.3" euler="20 30 40">
      <inertial mass="2" pos="0.1 0 0" fullinertia="0.2 0.25 0.3 0.01 0.02 0.03"/>
      <joint name="yaw" pos="0.1 0.2 -0.1" axis="1 2 3" range="-90 120" ref="25"/>
      <joint name="lift" type="slide" axis="0 1 1" range="-0.2 0.5" ref="0.1"/>
      <joint name="roll" pos="0 0.1 0" axis="1 0 0" actuatorfrcrange="-8 9"/>
      <geom name="shell" class="drawn" type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
      <geom name="core" class="solid" type="capsule" size="0.1 0.2" euler="0 90 0"/>
      <body name="tool" pos="0.5 0 0">
        <joint name="slide" type="slide" axis="0 0 1" range="0 1"/>
        <geom name="ball" type="sphere" size="0.1" mass="1"/>
        <geom name="egg" class="solid" type="ellipsoid" size="0.1 0.2 0.3"/>
        <geom name="part" class="drawn" type="mesh" mesh="part" pos="1 2 3" euler="10 20 30"/>
        <site name="tip" pos="0 0 0.2" euler="30 0 0"/>
      </body>
      <body name="fixed" pos="0 0.5 0"><geom type="cylinder" size="0.1 0.2"/></body>
    </body>
  </worldbody>
  <contact><exclude body1="tool" body2="fixed"/></contact>
  <tendon><fixed name="rope"><joint joint="yaw" coef="1"/></fixed></tendon>
  <actuator><motor name="first" joint="yaw"/><motor name="second" joint="roll"/></actuator>
  <keyframe><key name="home" qpos="0.5 0.2 0.3 0.4"/></keyframe>
</mujoco>"""
FREE = """<mujoco model="free"><worldbody><body name="drone" pos="0 0 1" euler="0 0 30">
  <freejoint name="root"/><geom type="box" size="0.3 0.2 0.1" pos="0.1 0 0"/>
  <body name="arm" pos="0.3 0 0"><joint name="turn" pos="0.1 0 0" axis="0 1 0"/>
  <geom type="sphere" size="0.1" pos="0.3 0 0"/></body></body></worldbody></mujoco>"""
BALL = """<mujoco model="ball"><worldbody><body name="link" pos="0 0 1" euler="0 0 30">
  <joint name="ball" type="ball" pos="0.1 0.2 0.3" damping="2"/>
  <geom type="box" size="0.3 0.2 0.1" pos="0.1 0 0"/></body></worldbody></mujoco>"""
HAND = """<mujoco model="hand"><compiler angle="radian"/><worldbody>
  <body name="a"><joint name="a" range="-1 1" ref="0.2"/><geom size="0.1"/></body>
  <body name="b"><joint name="b" range="-2 3" ref="-0.1"/><geom size="0.1"/></body>
  <body name="c"><joint name="c"/><geom size="0.1"/></body></worldbody>
  <equality><joint joint1="b" joint2="a" polycoef="0.3 -1.5 0 0 0"/>
  <joint name="bent" joint1="c" joint2="a" polycoef="0 1 0.5 0 0"/>
  <connect name="loop" body1="b" body2="c" anchor="0 0 0"/></equality></mujoco>"""
# The bits of d and e do not match, and b is excluded from d.
CHAIN = """<mujoco model="chain"><default><geom size="0.1" margin="9" mass="1"/></default>
  <worldbody><geom type="box" size="0.1 0.1 0.1"/>
  <body name="a" pos="1 0 0"><joint/><geom/><body name="b" pos="1 0 0"><joint/><geom/>
  <body name="c" pos="1 0 0"><geom/><body name="d" pos="1 0 0"><joint/><geom contype="2"/>
  <body name="e" pos="1 0 0"><joint/><geom contype="2"/></body></body></body></body></body>
  </worldbody><contact><exclude body1="d" body2="b"/></contact></mujoco>"""
# A tetrahedron, whose principal axes are those of no coordinate frame.
PART = "v 0 0 0\nv .3 0 0\nv 0 .2 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def load(folder: Path, text: str) -> tuple[RigidBodyTree, str]:
    """Write and load a robot; return it with the text of its warning."""
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "part.obj").write_text(PART)
    (folder / "scene.xml").write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DescriptionWarning)
        tree = load_robot(folder / "scene.xml")
    return tree, "".join(str(item.message) for item in caught)


def simulated(text: str, positions: Array) -> tuple[Any, Any]:
    text = text.replace('meshdir="parts"', "")
    model = mujoco.MjModel.from_xml_string(text, {"part.obj": PART.encode()})
    data = mujoco.MjData(model)
    data.qpos[:] = positions
    mujoco.mj_forward(model, data)
    return model, data


def check_poses(tree: RigidBodyTree, q: Array, model: Any, data: Any) -> None:
    for k in range(model.nbody):
        T = tree.get_transform(q, model.body(k).name)
        assert T[:3, 3] == pytest.approx(data.xpos[k], abs=1e-9)
        assert T[:3, :3] == pytest.approx(data.xmat[k].reshape(3, 3), abs=1e-9)


def full_mass_matrix(model: Any, data: Any) -> Array:
    M = np.zeros((model.nv, model.nv))  # symmetric
    for row, unit in zip(M, np.eye(model.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    return M


def test_joints_in_series_with_anchors_and_references(tmp_path: Path) -> None:
    tree, _ = load(tmp_path, ARM)
    assert tree.joint_names == ("yaw", "lift", "roll", "slide")
    for seed in range(20):
        q = tree.random_configuration(seed)
        model, data = simulated(ARM, q)
        check_poses(tree, q, model, data)
        T = tree.get_transform(q, "tip")
        assert T[:3, 3] == pytest.approx(data.site("tip").xpos, abs=1e-9)
        assert T[:3, :3] == pytest.approx(data.site("tip").xmat.reshape(3, 3), abs=1e-9)
        assert mass_matrix(tree, q) == pytest.approx(full_mass_matrix(model, data), abs=1e-9)


def test_properties_of_joints(tmp_path: Path) -> None:
    tree, _ = load(tmp_path, ARM)
    yaw, roll = tree.get_joint("yaw"), tree.get_joint("roll")
    assert yaw.position_limits == pytest.approx((-np.pi / 2, 2 * np.pi / 3))
    assert tree.joint_limits("lift") == pytest.approx((-0.2, 0.5))
    assert (yaw.armature, yaw.dynamics.damping, yaw.dynamics.friction) == (0.02, 0.3, 0.1)
    assert (roll.type, roll.effort_limit, yaw.effort_limit) == ("continuous", 9.0, np.inf)
    assert tree.home_configuration() == pytest.approx([0.5, 0.2, 0.3, 0.4])
    assert tree.name == "arm"
    assert tree.gravity == pytest.approx([0, 0, -1.62])


def test_a_free_joint_is_floating(tmp_path: Path) -> None:
    tree, warning = load(tmp_path, FREE)
    assert not warning
    assert tree.get_joint("root").type == "floating"
    model, data = simulated(FREE, mujoco.MjModel.from_xml_string(FREE).qpos0)
    check_poses(tree, tree.home_configuration(), model, data)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y, z, w = tree.random_configuration(rng)[3:7]
        place, angle = rng.normal(size=3), rng.uniform(-2, 2)
        q = np.array([*place, x, y, z, w, angle])
        model, data = simulated(FREE, np.array([*place, w, x, y, z, angle]))
        check_poses(tree, q, model, data)
        # MuJoCo's linear velocity is along the world's axes, ours along the body's.
        V = np.eye(7)
        V[:3, :3] = data.body("drone").xmat.reshape(3, 3).T
        ours = V.T @ mass_matrix(tree, q) @ V
        assert ours == pytest.approx(full_mass_matrix(model, data), rel=1e-9, abs=1e-9)


def test_a_ball_joint_becomes_three_revolute_joints(tmp_path: Path) -> None:
    tree, warning = load(tmp_path, BALL)
    assert tree.joint_names == ("ball_x", "ball_y", "ball_z")
    assert tree.body_names == ("ball_x_link", "ball_y_link", "link")
    assert "three revolute joints" in warning
    for q in np.random.default_rng(0).uniform(-1.5, 1.5, (20, 3)):
        R = rpy_matrix(q[0], 0, 0) @ rpy_matrix(0, q[1], 0) @ rpy_matrix(0, 0, q[2])
        quaternion = np.zeros(4)
        mujoco.mju_axisAngle2Quat(quaternion, *_axis_angle(R))
        check_poses(tree, q, *simulated(BALL, quaternion))


def _axis_angle(R: Array) -> tuple[Array, float]:
    vector = rotation_log(R)
    angle = float(np.linalg.norm(vector))
    return vector / angle, angle


def test_linear_couplings_become_mimic_joints(tmp_path: Path) -> None:
    tree, warning = load(tmp_path, HAND)
    assert tree.joint_names == ("a", "c")
    # q_b + 0.1 = 0.3 - 1.5 (q_a - 0.2)
    assert tree.get_joint("b").mimic.offset == pytest.approx(0.5)
    check_poses(tree, np.array([0.7, 0.2]), *simulated(HAND, [0.7, 0.5 - 1.5 * 0.7, 0.2]))
    assert re.search("not linear.* equality 'bent'", warning)
    assert re.search("closed loop.* equality 'loop'", warning)
    assert tree.loops == (Loop("loop", "loop_a", "loop_b", "ball"),)


def test_shapes_are_visual_by_group_and_solid_by_contacts(tmp_path: Path) -> None:
    tree, warning = load(tmp_path, ARM)
    gimbal, tool = tree.get_body("gimbal"), tree.get_body("tool")
    assert [shape.geometry for shape in gimbal.visuals] == [Box((0.2, 0.4, 0.6))]
    assert gimbal.visuals[0].material.color == (1, 0, 0, 1)
    assert [shape.geometry for shape in gimbal.collisions] == [
        *(Cylinder(0.1, 0.4), Sphere(0.1), Sphere(0.1))
    ]
    assert gimbal.collisions[1].origin[:3, 3] == pytest.approx([-0.2, 0, 0])
    assert [shape.name for shape in tool.visuals] == ["ball", "part"]
    assert [shape.geometry for shape in tool.collisions] == [Sphere(0.1), Box((0.2, 0.4, 0.6))]
    assert "bounding box: geom 'egg'" in warning
    assert "left out: geom 'floor'" in warning


def test_meshes_are_where_mujoco_has_them(tmp_path: Path) -> None:
    tree, _ = load(tmp_path, ARM)
    shape = tree.get_body("tool").visuals[1]
    assert isinstance(shape.geometry, Mesh)
    model, data = simulated(ARM, np.zeros(4))
    geom, count = data.geom("part"), model.mesh_vertnum[0]
    truth = model.mesh_vert[:count] @ geom.xmat.reshape(3, 3).T + geom.xpos
    T = tree.get_transform(np.zeros(4), "tool") @ shape.origin
    ours = np.asarray(load_mesh(shape.geometry).vertices) @ T[:3, :3].T + T[:3, 3]
    for point in truth:
        assert np.abs(ours - point).max(axis=1).min() < 1e-6  # MuJoCo's are of single precision


def test_what_has_no_place_is_one_warning(tmp_path: Path) -> None:
    _, warning = load(tmp_path, ARM)
    assert warning.startswith(f"{tmp_path / 'scene.xml'}: the robot is usable, with ")
    assert "actuators are ignored: actuator 'first', actuator 'second'" in warning
    assert "tendons are ignored: tendon 'rope'" in warning


@pytest.mark.parametrize("flag", ["enable", "disable"])
def test_the_file_is_also_the_srdf_of_the_pairs_with_contacts(tmp_path: Path, flag: str) -> None:
    text = CHAIN.replace("<default>", f'<option><flag filterparent="{flag}"/></option><default>')
    tree, _ = load(tmp_path, text)
    model, data = simulated(text, np.zeros(4))  # with a margin at which all bodies touch
    bodies = model.geom_bodyid[np.array(data.contact.geom)]
    truth = {frozenset(model.body(k).name for k in pair) for pair in bodies}
    file = tmp_path / "scene.xml"
    for srdf in (file, mjcf_srdf(file)):
        pairs = CollisionChecker(tree, srdf=srdf).self_pairs
        assert {frozenset(pair) for pair in pairs} == truth
    assert len(truth) == {"enable": 9, "disable": 12}[flag]


def test_excluded_contacts_are_not_checked(tmp_path: Path) -> None:
    tree, _ = load(tmp_path, CHAIN.replace('body1="d"', 'body1="e"'))
    checker = CollisionChecker(tree)
    assert checker.left_out_pairs["b", "e"] is LeftOut.MODEL
    bare, _ = load(tmp_path, re.sub("<contact>.*</contact>", "", CHAIN))
    assert {*CollisionChecker(bare).self_pairs} == {*checker.self_pairs, ("b", "e")}
    for robot in (tree.copy(), tree.subtree("a"), with_joint_frames(tree)):
        assert ("b", "e") in CollisionChecker(robot).left_out_pairs
    assert ("b", "e") in CollisionChecker(tree, checked_pairs=[("e", "b")]).self_pairs
    assert ("b", "e") in CollisionChecker(tree, srdf="<robot name='chain'/>").self_pairs
    with pytest.warns(DescriptionWarning, match="no excluded contacts, of which the robot has 1"):
        write_urdf(tree)


@pytest.mark.filterwarnings("ignore:.*URDF has no (gravity|excluded contacts)")
@pytest.mark.parametrize("text", [ARM, FREE, BALL, HAND, CHAIN], ids=range(5))
def test_the_written_urdf_is_the_same_robot(tmp_path: Path, text: str) -> None:
    tree, _ = load(tmp_path, text)
    assert_same_robot(tree, read_urdf(write_urdf(tree)), 1e-14)


def test_the_root_element_decides_whatever_the_suffix(tmp_path: Path) -> None:
    (tmp_path / "free.urdf").write_text(f"<!-- <robot> -->\n{FREE}")
    assert load_robot(tmp_path / "free.urdf").name == "free"
    (tmp_path / "stand.xml").write_text('<robot name="stand"><link name="floor"/></robot>')
    assert load_robot(tmp_path / "stand.xml").name == "stand"


def test_faults_are_errors_with_mujocos_reason(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"scene.xml: MuJoCo rejects it: .*bodyy"):
        load(tmp_path, FREE.replace("<body", "<bodyy").replace("</body>", "</bodyy>"))


def test_the_script_that_compares_folders_finds_no_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load(tmp_path, ARM)
    geared = FREE.replace("<worldbody>", '<default><joint armature="2"/></default><worldbody>')
    geared = geared.replace('<freejoint name="root"/>', '<joint name="root" type="free"/>')
    for name, text in {"geared": geared, "free": FREE, "ball": BALL, "hand": HAND}.items():
        (tmp_path / f"{name}.xml").write_text(text)
    check = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "check_mjcf.py"))
    assert check["main"]([str(tmp_path)]) == 0
    assert "5 models equal, 0 different" in capsys.readouterr().out
