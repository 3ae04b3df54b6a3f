"""Startup of move_group: with or without an SRDF, other robots, joint states, bursts."""

from functools import partial
from xml.etree import ElementTree

import pytest
from moveit_harness.move_group import JOINTS, READY, box
from moveit_msgs.msg import CollisionObject, MoveItErrorCodes
from moveit_msgs.srv import GetMotionPlan
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness.network import Network
from harness.probe import LATCHED
from move_group.cell import BASE, Cell, joints, motion, rows, solved
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder

SEMANTIC = "robot_description_semantic"
SRDF = bundled_folder("robots") / "panda_hand.srdf"
COUNT, PUBLISHERS = 400, 4
WITHIN = 300.0  # s, on a busy machine


def code_of(network: Network, group: str, joint: str) -> int:
    """Return what becomes of a plan for a joint of a group."""
    request = motion(joints({joint: -0.3}, 0.1), group_name=group)
    if joint not in JOINTS:
        request.start_state.joint_state = JointState()
    return int(Cell(network).planned(request).error_code.val)


def descriptions(network: Network) -> list[str]:
    """Return the robot's texts, as pymoveit2 asks for them."""
    names = ["robot_description", SEMANTIC]
    values = network.call(GetParameters, "move_group/get_parameters", names=names).values
    return [value.string_value for value in values]


def test_groups_without_an_srdf_and_another_robot_in_its_place(network):
    semantics = network.record(String, SEMANTIC, LATCHED)
    network.start("move_group", {"robot": "ur5"})
    tip = "tool0"
    assert code_of(network, tip, "shoulder_lift_joint") == MoveItErrorCodes.SUCCESS
    assert code_of(network, "whole_body", "shoulder_lift_joint") == MoveItErrorCodes.SUCCESS
    urdf, srdf = descriptions(network)
    assert ElementTree.fromstring(urdf).get("name") == "ur5"
    groups = {group.get("name"): group for group in ElementTree.fromstring(srdf)}
    assert groups.keys() >= {tip, "whole_body"}
    assert groups[tip][0].attrib == {"base_link": load_robot("ur5").base_name, "tip_link": tip}
    network.until(lambda: semantics and semantics[-1].data == srdf, "the SRDF on its topic")

    assert network.set_parameter("move_group", "robot", "panda").successful
    assert code_of(network, tip, "shoulder_lift_joint") == MoveItErrorCodes.INVALID_GROUP_NAME
    assert code_of(network, "panda_link8", "panda_joint1") == MoveItErrorCodes.SUCCESS
    assert ElementTree.fromstring(descriptions(network)[0]).get("name") == "panda"

    # What is no robot leaves the one that there is.
    rejected = network.set_parameter("move_group", "robot_description", "<robot")
    assert not rejected.successful
    assert Cell(network).fk("panda_link8").error_code.val == MoveItErrorCodes.SUCCESS


def test_an_srdf_of_another_robot_is_rejected_with_the_reason(network):
    process = network.start("move_group", {"robot": "ur5", "srdf": str(SRDF)})
    assert process.wait() != 0
    assert "panda_" in process.output
    assert "Traceback" not in process.output


def test_a_plan_starts_at_the_first_joint_state(network):
    """The SRDF as MoveIt's launch files give it."""
    process = network.start("move_group", {"robot": "panda_hand", SEMANTIC: SRDF.read_text()})
    network.log_line(process, "8 independent joints")
    assert descriptions(network)[1] == SRDF.read_text()
    states = network.publisher(JointState, "joint_states")
    request = motion()
    request.start_state.joint_state = JointState()
    answer = network.call_async(GetMotionPlan, "plan_kinematic_path", motion_plan_request=request)
    network.spin_for(0.3)  # less than it waits for
    assert not answer.done()
    states.publish(JointState(name=JOINTS, position=READY))
    trajectory = solved(network.result(answer, "the plan").motion_plan_response)
    assert rows(trajectory)[0] == pytest.approx(READY)


def test_hundreds_of_objects_before_the_robot_is_loaded(network):
    """Objects that clients publish in bursts: none is lost."""
    qos = QoSProfile(depth=COUNT)
    make = partial(network.node.create_publisher, CollisionObject, "collision_object", qos)
    topics = [make() for _ in range(PUBLISHERS)]
    process = network.start("move_group", {"robot": "panda_hand", "srdf": str(SRDF)})
    network.until(lambda: all(topic.get_subscription_count() for topic in topics), "the node")
    for number in range(COUNT):
        item = box(f"box{number}", BASE, (2.0 + 0.01 * number, 0.0, 0.0), [5e-3] * 3)
        topics[number % PUBLISHERS].publish(item)
    network.until(lambda: len(Cell(network).objects()) == COUNT, "all objects", WITHIN)
    assert "WARN" not in process.output
