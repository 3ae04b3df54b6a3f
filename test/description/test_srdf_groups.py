"""Groups of an SRDF against values read by hand."""

import pytest

from harness.cases import case
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.description.srdf.semantics import default_semantics, read_semantics
from rigid_tree_kinematics.errors import DescriptionError, UnknownNameError

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


def test_what_is_wrong_is_named() -> None:
    state = "<joint name='panda_joint1' value='up'/></group_state>"
    for inside, words in (
        ("<group name='a'><group name='a'/></group>", "loop"),
        ("<group name='a'><group name='b'/></group>", "no group 'b'"),
        ("<group name='a'><joint name='elbow'/></group>", "elbow"),
        ("<group name='a'><chain base_link='panda_link0'/></group>", "tip_link"),
        ("<group name='a'", "not well-formed"),
        (f"<group name='a'/><group_state name='s' group='a'>{state}", "'up' is not a number"),
    ):
        with case(inside), pytest.raises(DescriptionError, match=words):
            read_semantics(f"<robot name='panda'>{inside}</robot>", load_robot("panda"))


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
