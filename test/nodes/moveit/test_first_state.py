"""A plan from where the robot is waits for the first joint state."""

from __future__ import annotations

import pytest
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest
from moveit_msgs.srv import GetMotionPlan
from sensor_msgs.msg import JointState

from harness.moveit import JOINTS, READY
from harness.network import Network
from rigid_tree_kinematics.description.robots import bundled_folder


def test_a_plan_begins_at_the_first_joint_state(network: Network) -> None:
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    process = network.start("move_group", {"robot": "panda_hand", "srdf": srdf})
    network.log_line(process, "8 independent joints")
    states = network.publisher(JointState, "joint_states")
    network.until(lambda: states.get_subscription_count() > 0, "the node listens")
    client = network.node.create_client(GetMotionPlan, "plan_kinematic_path")
    network.until(client.service_is_ready, "the service")
    request = MotionPlanRequest(group_name="panda_arm")
    goal = JointConstraint(joint_name="panda_joint1", position=0.3)
    request.goal_constraints = [Constraints(joint_constraints=[goal])]
    answer = client.call_async(GetMotionPlan.Request(motion_plan_request=request))
    network.live(0.3)
    assert not answer.done()
    states.publish(JointState(name=JOINTS, position=READY))
    network.until(answer.done, "the plan")
    trajectory = answer.result().motion_plan_response.trajectory.joint_trajectory
    assert list(trajectory.points[0].positions) == pytest.approx(READY)
