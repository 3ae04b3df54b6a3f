"""rrt_planner's action: feedback, cancellation, and many clients."""

import numpy as np
from action_msgs.msg import GoalStatus
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion

from harness.planner import GOAL, START, TIP, state
from harness.poses import pose_stamped

ENDLESS = PlanRequest(planner="aorrtc", start=state(START), goal_states=[state(GOAL)])
ENDLESS.time_limit.sec = 600


def test_action_sends_feedback_and_can_be_cancelled(planner):
    progress = []
    handle = planner.send_goal(ENDLESS, lambda message: progress.append(message.feedback))
    assert handle.accepted
    planner.network.until(lambda: len(progress) >= 3, "feedback")
    assert min(one.nodes for one in progress) > 0
    assert progress[-1].run >= progress[0].run
    assert progress[-1].seconds > progress[0].seconds
    assert planner.network.result(handle.cancel_goal_async()).goals_canceling
    reply = planner.network.outcome(handle).result.reply
    # What was found until then is not thrown away.
    assert reply.code in (PlanReply.SOLVED, PlanReply.CANCELLED)


def test_checks_and_cancellations_do_not_wait_for_long_plans(planner):
    plans = [planner.send_goal(ENDLESS) for _ in range(7)]
    results = [handle.get_result_async() for handle in plans]
    for _ in range(5):
        assert planner.check(START).success
    assert not any(result.done() for result in results)
    # The last ones wait for their turn, the first ones are under way.
    for handle, result in reversed(list(zip(plans, results, strict=True))):
        assert planner.network.result(handle.cancel_goal_async()).goals_canceling
        assert planner.network.result(result).status == GoalStatus.STATUS_CANCELED


def test_a_plan_that_waits_for_tf_can_be_cancelled(planner):
    goal = pose_stamped(planner.robot.get_transform(GOAL, TIP), "nowhere")
    request = PlanRequest(start=state(START), body=TIP, goal_poses=[goal])
    request.time_limit = ENDLESS.time_limit
    handle = planner.send_goal(request)
    planner.network.result(handle.cancel_goal_async())
    result = planner.network.result(handle.get_result_async(), "the end", timeout=30.0)
    assert result.status == GoalStatus.STATUS_CANCELED


def test_an_action_ends_with_a_path(planner):
    handle = planner.send_goal(PlanRequest(start=state(START), goal_states=[state(GOAL)]))
    reply = planner.network.outcome(handle).result.reply
    assert reply.success
    planner.assert_free(reply)


def test_several_requests_at_once_get_their_own_answers(planner):
    goals = [[angle, *START[1:]] for angle in (-1.0, 1.0)] * 8
    requests = [
        PlanRequest(start=state(START), goal_states=[state(goal)], seed=seed)
        for seed, goal in enumerate(goals)
    ]
    futures = [planner.call_async(PlanMotion, request=request) for request in requests]
    for goal, future in zip(goals, futures, strict=True):
        reply = planner.network.result(future).reply
        assert reply.success, reply.message
        np.testing.assert_allclose(reply.trajectory.points[-1].positions, goal, atol=1e-9)
