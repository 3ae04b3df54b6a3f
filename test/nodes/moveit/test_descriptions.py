"""move_group without an SRDF, with MoveIt's parameter for one, and with a robot replaced."""

from __future__ import annotations

from xml.etree import ElementTree

from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetMotionPlan, GetPositionFK
from rcl_interfaces.srv import GetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness.moveit import JOINTS, READY
from harness.network import Network
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder

SEMANTIC = "robot_description_semantic"


def code_of(network: Network, group: str, joint: str) -> int:
    """Return what becomes of a plan for a joint of a group."""
    goal = JointConstraint(joint_name=joint, position=-0.3, tolerance_above=0.1)
    request = MotionPlanRequest(group_name=group)
    request.goal_constraints = [Constraints(joint_constraints=[goal])]
    if joint in JOINTS:  # at the middle of its joints a Panda touches itself
        request.start_state.joint_state = JointState(name=JOINTS, position=READY)
    reply = network.call(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    return int(reply.motion_plan_response.error_code.val)


def told(network: Network) -> list[str]:
    """Return the robot's texts, as pymoveit2 asks for them."""
    names = ["robot_description", SEMANTIC]
    values = network.call(GetParameters, "move_group/get_parameters", names=names).values
    return [value.string_value for value in values]


def test_groups_without_an_srdf_and_another_robot_in_its_place(network):
    semantics = network.hear(String, SEMANTIC, LATCHED)
    network.start("move_group", {"robot": "ur5"})
    tip = "tool0"
    assert code_of(network, tip, "shoulder_lift_joint") == MoveItErrorCodes.SUCCESS
    assert code_of(network, "whole_body", "shoulder_lift_joint") == MoveItErrorCodes.SUCCESS
    urdf, srdf = told(network)
    assert ElementTree.fromstring(urdf).get("name") == "ur5"
    groups = {group.get("name"): group for group in ElementTree.fromstring(srdf)}
    assert groups.keys() >= {tip, "whole_body"}
    assert groups[tip][0].attrib == {"base_link": load_robot("ur5").base_name, "tip_link": tip}
    network.until(lambda: semantics and semantics[-1].data == srdf, "the SRDF on its topic")

    assert network.set_parameter("move_group", "robot", "panda").successful
    assert code_of(network, tip, "shoulder_lift_joint") == MoveItErrorCodes.INVALID_GROUP_NAME
    assert code_of(network, "panda_link8", "panda_joint1") == MoveItErrorCodes.SUCCESS
    assert ElementTree.fromstring(told(network)[0]).get("name") == "panda"

    # What is no robot leaves the one that there is.
    refused = network.set_parameter("move_group", "robot_description", "<robot")
    assert not refused.successful
    reply = network.call(GetPositionFK, "compute_fk", fk_link_names=["panda_link8"])
    assert reply.error_code.val == MoveItErrorCodes.SUCCESS


def test_an_srdf_as_moveits_launch_files_give_it(network):
    text = (bundled_folder("robots") / "panda_hand.srdf").read_text()
    network.start("move_group", {"robot": "panda_hand", SEMANTIC: text})
    assert code_of(network, "panda_arm", "panda_joint1") == MoveItErrorCodes.SUCCESS
    assert told(network)[1] == text


def test_an_srdf_of_another_robot_is_refused_with_the_reason(network):
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    process = network.start("move_group", {"robot": "ur5", "srdf": srdf})
    assert process.wait() != 0
    assert "panda_" in process.output
    assert "Traceback" not in process.output
