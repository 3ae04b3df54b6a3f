"""A planner that has just started, asked before it has heard where the robot is."""

import threading

from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState

from harness.planner import GOAL, START, Planner, state


def test_a_plan_begins_at_the_first_joint_state(network):
    planner = Planner(network)
    publisher = network.publisher(JointState, "joint_states")  # the planner knows of it now
    threading.Timer(0.7, lambda: publisher.publish(state(START))).start()
    request = PlanRequest(goal_states=[state(GOAL)])
    reply = planner.call(PlanMotion, request=request).reply
    assert reply.success, reply.message
    assert list(reply.trajectory.points[0].positions) == START
