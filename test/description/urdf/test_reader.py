"""All elements and attributes of URDF are read."""

import math
import sys
import warnings

import numpy as np
import pytest

from rigid_tree_kinematics.description import read_urdf, read_urdf_file
from rigid_tree_kinematics.errors import DescriptionWarning
from rigid_tree_kinematics.model import (
    Box,
    Calibration,
    Cylinder,
    JointDynamics,
    Loop,
    Mesh,
    Mimic,
    SafetyController,
    Sphere,
)

FULL = """
<?xml version="1.0"?>
<robot name="all" version="1.1">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <verbose value="hello"/>
  <joint name="lift" type="prismatic">
    <parent link="base"/><child link="tower"/>
    <origin xyz="1e-3 +.5 -2." rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 0 2"/>
    <limit lower="-0.25" upper="0.75" effort="100" velocity="2"/>
    <calibration rising="0.1" falling="-0.2"/>
    <dynamics damping="0.5" friction="0.25"/>
    <safety_controller soft_lower_limit="-0.2" soft_upper_limit="0.7" k_position="15"
                       k_velocity="10"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="tower"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="5" velocity="3"/>
    <mimic joint="lift" multiplier="2" offset="0.5"/>
  </joint>
  <joint name="spin" type="continuous">
    <parent link="base"/><child link="wheel"/>
    <limit effort="7" velocity="8" lower="1" upper="2"/>
  </joint>
  <joint name="slide" type="planar">
    <parent link="base"/><child link="cart"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="fly" type="floating"><parent link="base"/><child link="drone"/></joint>
  <joint name="weld" type="fixed">
    <parent link="arm"/><child link="tool"/><axis xyz="0 0 0"/>
    <limit lower="0" upper="0" effort="0" velocity="0"/>
  </joint>
  <link name="base">
    <inertial><origin xyz="1 2 3"/><mass value="4"/>
      <inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>
    <visual name="hull"><origin xyz="0 0 1" quat_xyzw="0 0 1 1"/>
      <geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
    <visual><geometry><cylinder radius="0.5" length="2"/></geometry>
      <material name="wood"><color rgba="0 0.5 0 0.5"/><texture filename="wood.png"/></material>
    </visual>
    <collision name="ball"><geometry><sphere radius="0.5"/></geometry></collision>
    <collision><origin rpy="1 0 0"/><geometry>
      <mesh filename="package://a/b.stl" scale="1 -2 0.001"/></geometry></collision>
  </link>
  <link name="tool"/><link name="arm"/><link name="tower"/><link name="cart"/><link name="drone"/>
  <link name="wheel"><visual><geometry><mesh filename="w.dae"/></geometry>
    <material name="wood"/></visual></link>
</robot>
"""


@pytest.fixture
def full():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # all of it is valid
        return read_urdf(FULL, directory="/descriptions")


def test_bodies_come_depth_first_in_document_order(full):
    assert full.name == "all"
    assert full.base_name == "base"
    assert full.body_names == ("tower", "arm", "tool", "wheel", "cart", "drone")
    assert [body.parent.name for body in full.bodies] == ["base", "tower", "arm"] + ["base"] * 3


def test_joint_types_axes_and_origins(full):
    types = {joint.name: joint.type for joint in full.joints}
    assert types == {
        "lift": "prismatic",
        "swing": "revolute",
        "spin": "continuous",
        "slide": "planar",
        "fly": "floating",
        "weld": "fixed",
    }
    lift = full.get_joint("lift")
    np.testing.assert_array_equal(lift.axis, (0, 0, 1))
    np.testing.assert_allclose(
        lift.joint_to_parent,
        [[0, -1, 0, 0.001], [1, 0, 0, 0.5], [0, 0, 1, -2], [0, 0, 0, 1]],
        atol=1e-16,
    )
    np.testing.assert_array_equal(full.get_joint("spin").axis, (1, 0, 0))  # URDF's default
    np.testing.assert_array_equal(full.get_joint("slide").axis, (0, 1, 0))


def test_joint_details(full):
    lift, spin = full.get_joint("lift"), full.get_joint("spin")
    assert lift.position_limits == (-0.25, 0.75)
    assert (lift.effort_limit, lift.velocity_limit) == (100, 2)
    assert lift.calibration == Calibration(rising=0.1, falling=-0.2)
    assert lift.dynamics == JointDynamics(damping=0.5, friction=0.25)
    assert lift.safety_controller == SafetyController(-0.2, 0.7, 15, 10)
    assert full.get_joint("swing").mimic == Mimic("lift", 2.0, 0.5)
    assert spin.position_limits == (-math.inf, math.inf)
    assert (spin.effort_limit, spin.velocity_limit) == (7, 8)
    assert full.get_joint("fly").effort_limit == math.inf


def test_inertia_shapes_and_materials(full):
    base = full.base
    assert base.inertia.mass == 4
    np.testing.assert_array_equal(base.inertia.center_of_mass, (1, 2, 3))
    np.testing.assert_array_equal(
        base.inertia.matrix, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]
    )
    hull, barrel = base.visuals
    assert (hull.name, hull.geometry) == ("hull", Box((1, 2, 3)))
    np.testing.assert_allclose(hull.origin[:3], [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]])
    assert (hull.material.name, hull.material.color) == ("red", (1, 0, 0, 1))
    assert barrel.geometry == Cylinder(0.5, 2)
    assert (barrel.material.color, barrel.material.texture) == ((0, 0.5, 0, 0.5), "wood.png")
    ball, mesh = base.collisions
    assert (ball.name, ball.geometry) == ("ball", Sphere(0.5))
    assert mesh.geometry == Mesh("package://a/b.stl", (1, -2, 0.001), "/descriptions")
    # A material that another link defined in place can be referred to.
    assert full.get_body("wheel").visuals[0].material == barrel.material


def test_a_capsule_is_a_cylinder_with_two_half_spheres():
    text = """<robot name="r" version="1.1"><link name="a">
      <collision name="bone"><origin xyz="1 0 0" rpy="1.5707963267948966 0 0"/>
        <geometry><capsule radius="0.1" length="0.3"/></geometry></collision>
      <visual><geometry><capsule radius="0.1" length="0.3"/></geometry></visual></link></robot>"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = read_urdf(text)
    barrel, *balls = tree.base.collisions
    assert (barrel.geometry, [ball.geometry for ball in balls]) == (
        Cylinder(0.1, 0.3),
        [Sphere(0.1)] * 2,
    )
    assert {shape.name for shape in tree.base.collisions} == {"bone"}
    ends = [ball.origin[:3, 3] for ball in balls]
    np.testing.assert_allclose(ends, [(1, 0.15, 0), (1, -0.15, 0)], atol=1e-15)
    assert len(tree.base.visuals) == 3


LIMITS = """<robot name="r" version="{}"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="slow" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="2" acceleration="3" deceleration="2.5" jerk="40"/></joint>
  <joint name="fast" type="continuous"><parent link="b"/><child link="c"/>
    <limit acceleration="7"/></joint></robot>"""


def test_limits_of_urdf_1_2():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # effort and velocity are optional
        tree = read_urdf(LIMITS.format("1.2"))
    slow, fast = tree.joints
    assert (slow.acceleration_limit, slow.deceleration_limit, slow.jerk_limit) == (3, 2.5, 40)
    assert (fast.acceleration_limit, fast.deceleration_limit) == (7, 7)  # as in urdfdom
    assert (fast.jerk_limit, fast.effort_limit, fast.velocity_limit) == (math.inf,) * 3
    with pytest.warns(DescriptionWarning, match="acceleration is part of URDF 1.2"):
        assert read_urdf(LIMITS.format("1.0")).joints[0].acceleration_limit == 3


def test_armature_is_an_attribute_of_dynamics():
    tree = read_urdf(FULL.replace('friction="0.25"', 'armature="0.125"'))
    assert tree.get_joint("lift").armature == 0.125
    assert tree.get_joint("lift").dynamics == JointDynamics(0.5, 0.0)


def test_loops_of_urdf_plus():
    loops = """
      <loop name="turn" type="continuous">
        <predecessor link="arm"><origin xyz="1 2 3"/></predecessor>
        <successor link="wheel"><origin rpy="0 0 1.5707963267948966"/></successor>
        <axis xyz="0 -2 0"/></loop>
      <loop name="glue" type="fixed"><predecessor link="cart"/><successor link="drone">
        <origin xyz="0 0 0" rpy="0 0 0"/></successor></loop>
      <loop name="rail" type="prismatic"/></robot>"""
    with pytest.warns(DescriptionWarning, match="prismatic joint that closes a loop is ignored"):
        tree = read_urdf(FULL.replace("</robot>", loops))
    turn, glue = tree.loops
    assert (turn, glue.frame, glue.other) == (
        Loop("turn", "turn_a", "turn_b", "revolute"),
        "cart",
        "drone",
    )
    q = tree.home_configuration()
    first = tree.get_transform(q, "turn_a", "arm")
    assert first[:3, 3].tolist() == [1, 2, 3]
    assert first[:3, 2] == pytest.approx([0, -1, 0])  # the axis
    # The axis is one of the origin's frame, which is turned about z.
    assert tree.get_transform(q, "turn_b", "wheel")[:3, 2] == pytest.approx([1, 0, 0])


def test_soft_limits_bound_positions_like_in_moveit():
    """jointBoundsFromURDF of MoveIt's RobotModel: the soft limits, clipped to the limits."""
    text = """<robot name="r"><link name="a"/><link name="b"/>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="-1" upper="2" effort="1" velocity="1"/><safety_controller {}/></joint>
      </robot>"""
    for soft, low, high in (
        ('soft_lower_limit="-0.5" soft_upper_limit="0.5" k_velocity="1"', -0.5, 0.5),
        ('soft_lower_limit="-5" soft_upper_limit="0.5" k_velocity="1"', -1, 0.5),
        ('soft_lower_limit="0.5" k_velocity="1"', 0.5, 2),
        ('k_velocity="1"', -1, 2),
    ):
        joint = read_urdf(text.format(soft)).get_joint("j")
        assert (joint.position_limits, joint.soft_limits) == ((-1, 2), (low, high)), soft


def test_the_largest_float_means_no_limit():
    largest = repr(sys.float_info.max)
    text = f"""<robot name="r"><link name="a"/><link name="b"/>
      <joint name="j" type="prismatic"><parent link="a"/><child link="b"/>
      <limit lower="-{largest}" upper="1" effort="{largest}" velocity="3"/></joint></robot>"""
    joint = read_urdf(text).get_joint("j")
    assert joint.position_limits == (-math.inf, 1)
    assert (joint.effort_limit, joint.velocity_limit) == (math.inf, 3)


def test_infinite_limits_mean_no_limit():
    """As Isaac Sim's URDF exporter writes them; urdfdom rejects such files."""
    text = """<robot name="r"><link name="a"/><link name="b"/>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
      <limit lower="-inf" upper="{}" effort="+Infinity" velocity="INF"/></joint></robot>"""
    for upper, value in (("inf", math.inf), ("2", 2.0)):
        with pytest.warns(DescriptionWarning, match="lower '-inf' is read as unlimited"):
            joint = read_urdf(text.format(upper)).get_joint("j")
        assert joint.position_limits == (-math.inf, value)
        assert (joint.effort_limit, joint.velocity_limit) == (math.inf, math.inf)


def test_files_are_read_in_their_encoding_with_their_folder(tmp_path):
    path = tmp_path / "robot.urdf"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1"):
        declared = encoding.removesuffix("-sig")
        text = f'<?xml version="1.0" encoding="{declared}"?><robot name="r"><link name="Füß"/>'
        path.write_bytes(f"{text}</robot>".encode(encoding))
        assert read_urdf_file(path).base_name == "Füß", encoding
    path.write_text(FULL.strip())
    mesh = read_urdf_file(path).get_body("wheel").visuals[0].geometry
    assert mesh == Mesh("w.dae", directory=str(tmp_path))


def test_a_chain_deeper_than_the_recursion_limit_is_read():
    count = sys.getrecursionlimit() + 100
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/>'
        "</joint>"
        for i in range(count)
    )
    tree = read_urdf(f'<robot name="long">{joints}{links}</robot>')
    assert len(tree.bodies) == count
    assert tree.bodies[-1].name == f"l{count}"


def test_elements_nested_without_end_are_survived():
    depth = 50_000
    text = f'<robot name="r"><link name="a"/>{"<x>" * depth}{"</x>" * depth}</robot>'
    with pytest.warns(DescriptionWarning, match="unknown element <x>"):
        read_urdf(text)
