"""More plans than there are threads: short requests, stops and cancellations come through."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MotionPlanRequest, MoveItErrorCodes
from moveit_msgs.srv import GetStateValidity

from harness.moveit import JOINTS, READY, post_in_the_way, start_move_group
from harness.network import Network

LONG = 100.0  # s


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("busy"))
    start_move_group(made)
    yield made
    made.close()


def plan(network: Network):
    """Have a plan made that takes LONG; return the goal's handle."""
    joint = JointConstraint(joint_name=JOINTS[0], position=1.5)
    joint.tolerance_above = joint.tolerance_below = 1e-3
    request = MotionPlanRequest(group_name="panda_arm", allowed_planning_time=LONG)
    request.planner_id = "RRTstarkConfigDefault"
    request.goal_constraints = [Constraints(joint_constraints=[joint])]
    request.start_state.joint_state.name = list(JOINTS)
    request.start_state.joint_state.position = list(READY)
    goal = MoveGroup.Goal(request=request)
    goal.planning_options.plan_only = True
    goal.planning_options.planning_scene_diff = post_in_the_way()
    return network.send_goal(MoveGroup, "move_action", goal)


def test_short_requests_and_cancellations_pass_long_plans_by(network):
    plans = [plan(network) for _ in range(8)]
    results = [handle.get_result_async() for handle in plans]
    network.live(1.0)
    asked = [
        network.ask(GetStateValidity, "check_state_validity", group_name="panda_arm")
        for _ in range(20)
    ]
    for future in asked:
        assert network.result(future, "a validity", LONG / 2.0).valid
    assert not any(result.done() for result in results)
    # The last ones wait for their turn, the first ones are under way.
    for handle, result in reversed(list(zip(plans, results, strict=True))):
        network.result(handle.cancel_goal_async(), "a cancellation", LONG / 2.0)
        answer = network.result(result, "a result", LONG / 2.0)
        assert answer.status == GoalStatus.STATUS_CANCELED
        assert answer.result.error_code.val == MoveItErrorCodes.PREEMPTED
