"""Robots in SDF have the poses that SDF's frame semantics define."""

import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from harness.example_robots import assert_same_robot
from rigid_tree_kinematics import RigidBodyTree, load_robot
from rigid_tree_kinematics.description import (
    read_description,
    read_sdf,
    read_sdf_file,
    read_urdf,
    write_urdf,
)
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import (
    axis_angle_matrix,
    inverse,
    rpy_matrix,
    transform,
)

Z = "<axis><xyz>0 0 1</xyz></axis>"
FRAMES = """<sdf version="1.12"><model name="frames">
  <link name="base"><pose>1 0 0 0 0 0</pose></link>
  <frame name="mount" attached_to="base"><pose>0 0 0.5 0 0 1.5707963267948966</pose></frame>
  <link name="arm"><pose relative_to="mount">0.2 0 0 0 0 0</pose></link>
  <joint name="turn" type="revolute"><pose relative_to="mount">0.1 0 0 0 0 0</pose>
    <parent>mount</parent><child>arm</child>
    <axis><xyz expressed_in="base">0 1 0</xyz><limit><lower>-2</lower><upper>1</upper>
    <effort>7</effort><velocity>-1</velocity></limit>
    <dynamics><damping>0.2</damping></dynamics></axis></joint>
  <frame name="tip" attached_to="turn"><pose relative_to="arm">0 0 0.3 0 0 0</pose></frame>
  <model name="hand" placement_frame="palm_center">
    <pose relative_to="tip">0 0 0.1 0 0 0</pose>
    <link name="palm"><pose>0 0 0.05 0 0 0</pose></link>
    <frame name="palm_center" attached_to="palm"><pose relative_to="palm">0 0 0.01 0 0 0</pose>
    </frame>
  </model>
  <joint name="wrist" type="fixed"><parent>arm</parent><child>hand::palm</child></joint>
</model></sdf>"""
TYPES = f"""<sdf version="1.11"><model name="types">
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <joint name="spin" type="continuous"><parent>a</parent><child>b</child>{Z}</joint>
  <joint name="screw" type="screw"><parent>b</parent><child>c</child>{Z}
    <screw_thread_pitch>0.5</screw_thread_pitch></joint>
  <joint name="cross" type="universal"><parent>c</parent><child>d</child>
    <axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
  <joint name="ball" type="ball"><parent>d</parent><child>e</child></joint>
  <joint name="slide" type="prismatic"><parent>e</parent><child>f</child><axis><xyz>0 0 2</xyz>
    <limit><lower>-inf</lower><upper>1e16</upper></limit>
    <mimic joint="cross" axis="axis2"><multiplier>2</multiplier><offset>0.1</offset>
    <reference>0.3</reference></mimic></axis></joint>
</model></sdf>"""
ARM = f"""<sdf version="1.8"><model name="arm"><pose>0 0 9 0 0 0</pose><link name="upper"/>
  <link name="fore"><pose>0 0 1 0 0 0</pose></link>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>fore</child>{Z}</joint>
</model></sdf>"""
SHAPES = """<sdf version="1.9"><model name="shapes"><link name="a">
  <inertial><pose>0.1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>
    <inertia><ixx>0.2</ixx><iyy>0.3</iyy><izz>0.4</izz></inertia></inertial>
  <visual name="box"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
    <material><diffuse>1 0 0 0.5</diffuse></material></visual>
  <visual name="part"><geometry><mesh><uri>model://parts/part.obj</uri><scale>1 2 3</scale>
    <submesh><name>lid</name></submesh></mesh></geometry></visual>
  <collision name="capsule"><geometry><capsule><radius>0.1</radius><length>1</length></capsule>
    </geometry></collision>
  <collision name="egg"><geometry><ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid></geometry>
    </collision>
  <collision name="floor"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
  <sensor name="camera" type="camera"/></link><link name="b"/>
  <joint name="weld" type="fixed"><parent>a</parent><child>b</child></joint>
  <plugin name="p" filename="p.so"/></model></sdf>"""
FOLDED = """<sdf version="1.9"><model name="robot"><link name="base"/>
  <include><uri>model://arm</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>
  <joint name="left_mount" type="fixed"><parent>base</parent><child>left::upper</child></joint>
  <include merge="true"><uri>arm</uri><pose>0 -1 0 0 0 0</pose></include>
  <joint name="right_mount" type="fixed"><parent>base</parent><child>upper</child></joint>
</model></sdf>"""


def read(text: str) -> tuple[RigidBodyTree, str]:
    """Return a robot with the text of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DescriptionWarning)
        tree = read_sdf(text)
    return tree, "".join(str(item.message) for item in caught)


def test_poses_follow_the_frames_that_they_name() -> None:
    tree, warning = read(FRAMES)
    assert not warning
    assert tree.base_name == "base"
    assert sorted(tree.body_names) == ["arm", "hand::palm", "hand::palm_center", "mount", "tip"]
    zero = np.zeros(1)
    # The base is the root link, wherever the model has it. mount is turned by 90 degrees.
    R = rpy_matrix(0.0, 0.0, math.pi / 2)
    for body, place in {
        "mount": (0, 0, 0.5),
        "arm": (0, 0.2, 0.5),
        "tip": (0, 0.2, 0.8),
        "hand::palm_center": (0, 0.2, 0.9),
        "hand::palm": (0, 0.2, 0.89),
    }.items():
        truth = transform(place, R)
        assert tree.get_transform(zero, body) == pytest.approx(truth, abs=1e-12), body
    # The joint is at (0, 0.1, 0.5), and its axis is y of the base.
    hinge = transform((0, 0.1, 0.5))
    turn = hinge @ transform(rotation=axis_angle_matrix((0, 1, 0), 0.7)) @ inverse(hinge)
    for body in ("arm", "tip", "hand::palm"):
        truth = turn @ tree.get_transform(zero, body)
        assert tree.get_transform([0.7], body) == pytest.approx(truth, abs=1e-12)


def test_properties_of_joints() -> None:
    joint = read(FRAMES)[0].get_joint("turn")
    assert (joint.type, joint.position_limits) == ("revolute", (-2.0, 1.0))
    assert (joint.effort_limit, joint.velocity_limit) == (7.0, math.inf)
    assert joint.dynamics is not None
    assert joint.dynamics.damping == 0.2


@pytest.mark.parametrize(
    ("version", "flag", "axis"),
    [("1.4", "", "y"), ("1.6", "true", "y"), ("1.6", "0", "x"), ("1.7", "", "x")],
)
def test_axes_of_old_versions_are_in_the_model(version: str, flag: str, axis: str) -> None:
    use = f"<use_parent_model_frame>{flag}</use_parent_model_frame>" if flag else ""
    text = f"""<sdf version="{version}"><model name="m"><link name="a"/>
      <link name="b"><pose>0 0 0 0 0 -1.5707963267948966</pose></link>
      <joint name="j" type="revolute"><parent>a</parent><child>b</child>
      <axis><xyz>1 0 0</xyz>{use}</axis></joint></model></sdf>"""
    found = read(text)[0].get_joint("j").axis
    assert found == pytest.approx({"x": (1, 0, 0), "y": (0, 1, 0)}[axis], abs=1e-12)


def test_joints_that_a_tree_does_not_have_become_several() -> None:
    tree, warning = read(TYPES)
    series = ("cross_axis", "cross_axis2", "ball_x", "ball_y", "ball_z")
    assert tree.joint_names == ("spin", "screw", *series)
    assert tree.get_joint("spin").type == "continuous"
    for joint in ("screw", "cross", "ball"):
        assert f"joint '{joint}'" in warning
    q = np.array([0.1, 0.4, 0.2, -0.3, 0.5, -0.6, 0.7])
    T = transform((0, 0, 0.5 * 0.4 / math.tau), rpy_matrix(0, 0, 0.5))
    assert tree.get_transform(q, "c") == pytest.approx(T, abs=1e-12)
    T = T @ transform(rotation=rpy_matrix(0.2, 0, 0) @ rpy_matrix(0, -0.3, 0))
    assert tree.get_transform(q, "d") == pytest.approx(T, abs=1e-12)
    for k in range(3):
        T = T @ transform(rotation=axis_angle_matrix(np.eye(3)[k], q[4 + k]))
    assert tree.get_transform(q, "e") == pytest.approx(T, abs=1e-12)
    T = T @ transform((0, 0, 2.0 * (-0.3 - 0.3) + 0.1))
    assert tree.get_transform(q, "f") == pytest.approx(T, abs=1e-12)


def test_the_old_thread_pitch_is_left_handed_and_in_radians_per_meter() -> None:
    pitch = "screw_thread_pitch"
    text = TYPES.replace(f"<{pitch}>0.5</{pitch}>", "<thread_pitch>4</thread_pitch>")
    slide = read(text)[0].get_joint("screw_slide")
    assert slide.mimic is not None
    assert slide.mimic.multiplier == -0.25


@pytest.mark.parametrize(
    "pose",
    [
        '<pose degrees="true">1 2 3 90 0 0</pose>',
        '<pose rotation_format="quat_xyzw">1 2 3 0.5 0 0 0.5</pose>',
        "<pose>1 2 3 1.5707963267948966 0 0</pose>",
    ],
)
def test_rotations_are_angles_or_quaternions(pose: str) -> None:
    text = FRAMES.replace("<pose>0 0 0.5 0 0 1.5707963267948966</pose>", pose)
    truth = transform((1, 2, 3), rpy_matrix(math.pi / 2, 0, 0))
    assert read(text)[0].get_transform([0.0], "mount") == pytest.approx(truth, abs=1e-12)


def test_shapes_colors_and_inertias(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    mesh = tmp_path / "parts" / "part.obj"
    mesh.write_text("v 0 0 0\n")
    with pytest.warns(DescriptionWarning) as caught:
        tree = read_sdf(SHAPES, package_paths=tmp_path)
    a = tree.base
    assert [shape.geometry for shape in a.visuals] == [
        Box((1.0, 2.0, 3.0)),
        Mesh(mesh.as_uri(), (1.0, 2.0, 3.0)),
    ]
    assert a.visuals[0].origin[:3, 3].tolist() == [0, 0, 1]
    assert a.visuals[0].material is not None
    assert a.visuals[0].material.color == (1.0, 0.0, 0.0, 0.5)
    assert [shape.geometry for shape in a.collisions] == [
        *(Cylinder(0.1, 1.0), Sphere(0.1), Sphere(0.1)),
        Box((0.2, 0.4, 0.6)),
    ]
    assert a.inertia is not None
    assert (a.inertia.mass, a.inertia.center_of_mass.tolist()) == (2.0, [0.1, 0, 0])
    assert a.inertia.matrix == pytest.approx(np.diag([0.3, 0.2, 0.4]))
    default = tree.get_body("b").inertia
    assert default is not None
    assert (default.mass, default.matrix.tolist()) == (1.0, np.eye(3).tolist())
    warning = str(caught[0].message)
    for remark in ("<submesh> is ignored", "bounding box", "<plane> has no place", "<plugin>"):
        assert remark in warning


def test_included_models_are_nested_or_merged(tmp_path: Path) -> None:
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "model.config").write_text(
        '<model><sdf version="1.8">new.sdf</sdf><sdf version="1.3">old.sdf</sdf></model>'
    )
    (tmp_path / "arm" / "new.sdf").write_text(ARM)
    (tmp_path / "robot.sdf").write_text(FOLDED)
    tree = read_sdf_file(tmp_path / "robot.sdf")
    assert tree.joint_names == ("left::elbow", "elbow")
    zero = np.zeros(2)
    assert tree.get_transform(zero, "left::fore")[:3, 3].tolist() == [0, 1, 1]
    assert tree.get_transform(zero, "fore")[:3, 3].tolist() == [0, -1, 1]
    (tmp_path / "arm" / "new.sdf").write_text(FOLDED.replace("merge", "id"))
    with pytest.raises(DescriptionError, match="more than 20 models in each other"):
        read_sdf_file(tmp_path / "robot.sdf")


def test_the_world_is_the_base_of_models_that_are_fixed_to_it() -> None:
    joint = (
        f'<joint name="foot" type="revolute"><parent>world</parent><child>upper</child>{Z}</joint>'
    )
    tree, _ = read(ARM.replace("</model>", f"{joint}</model>"))
    assert (tree.base_name, tree.joint_names) == ("world", ("foot", "elbow"))
    assert tree.get_transform([0.0, 0.0], "fore")[:3, 3].tolist() == [0, 0, 10]
    static = ARM.replace("<pose>0 0 9", "<static>true</static><pose>0 0 9")
    tree, warning = read(static)
    assert (tree.base_name, tree.joint_names) == ("world", ())
    assert tree.get_transform([], "fore")[:3, 3].tolist() == [0, 0, 10]
    assert "joints of a static model are ignored" in warning


@pytest.mark.parametrize("text", [FRAMES, TYPES, ARM])
def test_the_written_urdf_is_the_same_robot(text: str) -> None:
    tree, _ = read(text)
    again = read_urdf(write_urdf(tree))
    assert again.position_names == tree.position_names
    assert_same_robot(tree, again, 1e-14)
    assert write_urdf(read_urdf(write_urdf(again))) == write_urdf(again)


def test_the_root_element_decides_whatever_the_suffix(tmp_path: Path) -> None:
    for suffix in (".sdf", ".urdf", ".xml"):
        (tmp_path / f"arm{suffix}").write_text(ARM)
        assert load_robot(tmp_path / f"arm{suffix}").name == "arm"
    (tmp_path / "arm.sdf.xacro").write_text(ARM)
    assert load_robot(tmp_path / "arm.sdf.xacro").name == "arm"
    assert read_description(ARM).name == "arm"
    assert read_description('<robot name="r"><link name="a"/></robot>').name == "r"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('relative_to="mount">0.2', 'relative_to="arm">0.2', "'arm' is relative to itself"),
        ('attached_to="turn"', 'attached_to="tip"', "'tip' is attached to itself"),
        ('relative_to="mount">0.2', 'relative_to="mont">0.2', "'mont' is no frame of the model"),
        ("0.2 0 0 0 0 0", "0.2 0 0", "content takes 6 numbers and has 3: .*write <pose>0 0"),
        ("0.2 0 0 0 0 0", "0.2 0 0 0 0 nan", "'nan' is not a finite number"),
        ('type="revolute"', 'type="gearbox"', "'gearbox' cannot be read"),
        ("0 1 0</xyz>", "0 0 0</xyz>", "no direction"),
        ('"1.12"', '"1.1"', "too old"),
        ('link name="arm"', 'link name="turn"', "used twice"),
        ("<parent>arm</parent>", "", "'' is no frame"),
        (
            '<model name="hand"',
            '<include><uri>model://gone</uri></include><model name="hand"',
            "gone",
        ),
        (
            "</model></sdf>",
            '</model><model name="second"/></sdf>',
            "has 2 models: 'frames', 'second'",
        ),
        ("<sdf", "<!DOCTYPE sdf><sdf", "DOCTYPE"),
    ],
)
def test_faults_are_errors_with_line_and_element(old: str, new: str, message: str) -> None:
    assert old in FRAMES
    with pytest.raises(DescriptionError, match=message) as caught:
        read_sdf(FRAMES.replace(old, new, 1))
    assert re.match(r"<text>:\d+: ", str(caught.value))


def test_deep_and_long_chains_end() -> None:
    links = [f'<link name="l{k}"><pose relative_to="l{k + 1}"/></link>' for k in range(1500)]
    text = f'<sdf version="1.9"><model name="m"><static>1</static>{"".join(links)}'
    tree, _ = read(f'{text}<link name="l1500"/></model></sdf>')
    assert len(tree.bodies) == 1501
    models = '<model name="m">' * 50 + '<link name="a"/>' + "</model>" * 50
    with pytest.raises(DescriptionError, match="more than 20 models in each other"):
        read_sdf(f'<sdf version="1.9">{models}</sdf>')
