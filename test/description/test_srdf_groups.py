"""Groups of an SRDF against values read by hand."""

import warnings
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from harness.cases import case
from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.description.srdf import (
    default_semantics,
    group_urdf,
    read_semantics,
)
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning, UnknownNameError

ARM = tuple(f"panda_joint{number}" for number in range(1, 8))


def test_the_pandas_groups_states_and_tips() -> None:
    robot = load_robot("panda_hand")
    semantics = read_semantics(bundled_folder("robots") / "panda_hand.srdf", robot)
    joints = {name: group.joints for name, group in semantics.groups.items()}
    finger = ("panda_finger_joint1",)
    assert joints == {
        "panda_arm": ARM,
        "arm": ARM,
        "hand": finger,
        "gripper": finger,
        "panda_hand": finger,
        "panda_arm_hand": ARM + finger,
    }
    for name in ("panda_arm", "arm"):
        assert semantics.group(name).tip == "panda_link8"
    assert semantics.group("hand").states["open"] == {"panda_finger_joint1": 0.035}
    assert semantics.group("panda_arm").states.keys() == {"ready", "extended", "transport"}
    assert semantics.world_frames == {"world"}


def test_without_an_srdf_every_chain_is_a_group() -> None:
    semantics = default_semantics(load_robot("panda_hand"))
    assert semantics.group("panda_hand_tcp").joints == ARM
    assert semantics.group("whole_body").joints == (*ARM, "panda_finger_joint1")
    with pytest.raises(UnknownNameError, match="whole_bodi"):
        semantics.group("whole_bodi")


def nested(levels: int, times: int) -> str:
    """Return groups that contain the next one several times."""
    text = ""
    for k in range(levels):
        inner = times * f"<group name='g{k + 1}'/>"
        text += f"<group name='g{k}'>{inner}</group>"
    return text + f"<group name='g{levels}'><joint name='panda_joint2'/></group>"


def test_groups_that_share_groups_are_read_once() -> None:
    srdf = f"<robot name='panda'>{nested(60, 2)}</robot>"
    assert read_semantics(srdf, load_robot("panda")).group("g0").joints == ("panda_joint2",)


def test_namespaces_are_ignored_and_the_first_of_equal_groups_counts() -> None:
    groups = "".join(f"<group name='a'><joint name='panda_joint{k}'/></group>" for k in (1, 2))
    srdf = f"\n<?xml version='1.0'?><robot name='panda' xmlns='http://x'>{groups}</robot>"
    with pytest.warns(DescriptionWarning, match="second group 'a' is left out"):
        semantics = read_semantics(srdf, load_robot("panda"))
    assert semantics.group("a").joints == ("panda_joint1",)


def test_what_is_wrong_is_named() -> None:
    for inside, words in (
        ("<group name='a'><group name='a'/></group>", "loop"),
        ("<group name='a'><chain base_link='panda_link0'/></group>", "tip_link"),
        ("<group name='a'", "not well-formed"),
        (nested(200, 1), "more than 100 nested groups"),
        ("\ud800", "not well-formed"),
    ):
        with case(inside), pytest.raises(DescriptionError, match=words):
            read_semantics(f"<robot name='panda'>{inside}</robot>", load_robot("panda"))


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<group_state name='s' group='a'><joint name='elbow' value='1'/></group_state>", "elbow"),
        (
            "<group_state name='s' group='a'><joint name='panda_joint1' value='pi'/>"
            "</group_state>",
            "'pi' is not a number",
        ),
        ("<group_state name='s' group='b'/>", "no group 'b'"),
        ("<end_effector name='e' parent_group='a' parent_link='tool'/>", "no link 'tool'"),
    ],
)
def test_unknown_names_in_states_and_end_effectors_are_left_out(inside: str, words: str) -> None:
    srdf = f"<robot name='panda'><group name='a'><joint name='panda_joint1'/></group>{inside}"
    with pytest.warns(DescriptionWarning, match=words):
        semantics = read_semantics(f"{srdf}</robot>", load_robot("panda"))
    group = semantics.group("a")
    assert (group.tip, group.states.get("s", {})) == ("panda_link1", {})


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("<joint name='elbow'/>", "no joint 'elbow'"),
        ("<link name='hand'/>", "no body 'hand'"),
        ("<chain base_link='panda_link0' tip_link='hand'/>", "no body 'hand'"),
        ("<chain base_link='hand' tip_link='panda_link8'/>", "no body 'hand'"),
        ("<group name='b'/>", "no group 'b'"),
    ],
)
def test_unknown_names_in_groups_are_left_out(part: str, words: str) -> None:
    """As in srdfdom (Model::loadGroups), such as for a configuration of an arm with a hand."""
    srdf = f"""<robot name='panda'><group name='a'>{part}<joint name='panda_joint1'/></group>
        <group name='all'><group name='a'/></group></robot>"""
    with pytest.warns(DescriptionWarning, match=f"group 'a': .*{words}.* is left out"):
        semantics = read_semantics(srdf, load_robot("panda"))
    assert [semantics.group(name).joints for name in ("a", "all")] == 2 * [("panda_joint1",)]
    assert semantics.group("a").tip in load_robot("panda").compiled().body_names


def test_a_virtual_joint_in_a_group_is_left_out() -> None:
    """As in the PR2's SRDF in moveit_resources, whose group base is the virtual joint."""
    srdf = """<robot name="panda"><virtual_joint name="world_joint" type="planar"
        parent_frame="odom" child_link="panda_link0"/>
      <group name="base"><joint name="world_joint"/></group>
      <group name="all"><group name="base"/><joint name="panda_joint1"/></group>
      <group_state name="home" group="all"><joint name="world_joint" value="0 0 0"/>
        <joint name="panda_joint1" value="0.5"/></group_state></robot>"""
    groups = read_semantics(srdf, load_robot("panda_hand")).groups
    assert groups["base"].joints == ()
    assert groups["all"].joints == ("panda_joint1",)
    assert groups["all"].states == {"home": {"panda_joint1": 0.5}}


MOBILE = """<robot name="mobile"><link name="odom"/><link name="body"/><link name="eye"/>
  <link name="hand"/>
  <joint name="base" type="planar"><parent link="odom"/><child link="body"/></joint>
  <joint name="gaze" type="floating"><parent link="body"/><child link="eye"/></joint>
  <joint name="arm" type="continuous"><parent link="body"/><child link="hand"/></joint></robot>"""


def test_states_of_joints_with_several_positions() -> None:
    """As in srdfdom and MoveIt's RobotModel: all values, or the joint is left out."""
    tree = read_urdf(MOBILE)
    joints = "".join(f'<joint name="{name}"/>' for name in ("base", "gaze", "arm"))
    values = {"base": "1 2 0.5", "gaze": "1 2 3 0 0 0 1", "arm": "0.3"}

    def state(**changed: str) -> str:
        rows = (f'<joint name="{k}" value="{v}"/>' for k, v in (values | changed).items())
        return f'<robot name="mobile"><group name="all">{joints}</group>' + (
            f'<group_state name="dock" group="all">{"".join(rows)}</group_state></robot>'
        )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        semantics = read_semantics(state(), tree)
    dock = semantics.group("all").state("dock")
    assert dock == {"base": (1, 2, 0.5), "gaze": (1, 2, 3, 0, 0, 0, 1), "arm": 0.3}
    np.testing.assert_array_equal(
        tree.configuration(dock), list(semantics.states["dock"].values())
    )
    assert tuple(semantics.states["dock"]) == tree.position_names
    with pytest.warns(
        DescriptionWarning, match=r"joint 'base' takes 3 value\(s\), not 1. It is le"
    ):
        assert "base" not in read_semantics(state(base="1"), tree).group("all").state("dock")
    with pytest.warns(DescriptionWarning, match=r"joint 'arm' takes 1 value\(s\), not 2"):
        read_semantics(state(arm="1 2"), tree)


def test_encodings_and_byte_order_marks(tmp_path: Path) -> None:
    """XML 1.0, 4.3.3 and appendix F: a declared encoding, or a mark; the same as for URDF."""
    body = '<robot name="panda"><!-- für --><group name="arm"><joint name="panda_joint1"/></group>'
    path = tmp_path / "robot.srdf"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"):
        declared = encoding.removesuffix("-sig")
        text = f'<?xml version="1.0" encoding="{declared}"?>\n{body}</robot>'
        path.write_bytes(text.encode(encoding))
        for srdf in (path, str(path), text, f"\ufeff{text}", f"\n {text}"):
            semantics = read_semantics(srdf, load_robot("panda"))
            assert list(semantics.groups) == ["arm"], (encoding, srdf)
            assert "für" in semantics.text
    for data in (
        b'<?xml version="1.0" encoding="martian"?><robot/>',
        b"<robot>\xfc</robot>",
    ):
        path.write_bytes(data)
        with pytest.raises(DescriptionError, match="cannot read the SRDF"):
            read_semantics(path, load_robot("panda"))


# -- the URDF of a group in another library ------------------------------------------------------


ROBOT = """<robot name="two">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="base"/>
  <link name="left">
    <visual><geometry><sphere radius="1"/></geometry><material name="red"/></visual>
  </link>
  <link name="right"/><link name="hand"/>
  <joint name="l" type="fixed"><parent link="base"/><child link="left"/></joint>
  <joint name="r" type="fixed"><parent link="base"/><child link="right"/></joint>
  <joint name="h" type="fixed"><parent link="right"/><child link="hand"/></joint>
</robot>"""


def test_an_arm_is_cut_out_with_its_fixed_joints():
    robot = load_robot("panda_hand")
    truth = Truth(robot)
    semantics = read_semantics(bundled_folder("robots") / "panda_hand.srdf", robot)
    arm = semantics.group("panda_arm")
    part = pinocchio.buildModelFromXML(group_urdf(truth.urdf, "panda_arm", arm.members))
    data = part.createData()
    assert (part.name, part.nq) == ("panda_arm", 7)
    assert list(part.names)[1:] == list(arm.joints)
    for seed in range(5):
        q = robot.random_configuration(seed)
        pinocchio.framesForwardKinematics(part, data, q[:7])
        found = data.oMf[part.getFrameId("panda_link8")].homogeneous
        np.testing.assert_allclose(found, truth.pose(q, "panda_link8"), atol=1e-12)


def test_a_branch_begins_at_its_own_link_and_brings_its_colours():
    part = group_urdf(ROBOT, "one", ["l"])
    assert [word in part for word in ("red", "blue", "hand")] == [True, False, False]
    assert '<link name="base" />' in part
    for joints, words in (([], "none"), (["l", "h"], "start at base, right"), (["x"], "none")):
        with pytest.raises(DescriptionError, match=words):
            group_urdf(ROBOT, "some", joints)


def test_followers_and_fixed_joints_are_members_of_groups():
    robot = load_robot("panda_hand")
    semantics = read_semantics(bundled_folder("robots") / "panda_hand.srdf", robot)
    hand = semantics.group("hand")
    assert hand.joints == ("panda_finger_joint1",)
    assert {"panda_finger_joint1", "panda_finger_joint2"} < set(hand.members)
    assert len(semantics.group("panda_arm").members) > 7
    whole = default_semantics(robot).group("whole_body")
    assert set(whole.members) == {body.joint.name for body in robot.bodies}
