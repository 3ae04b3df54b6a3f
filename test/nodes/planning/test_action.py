"""rrt_planner's action: feedback, cancellation, and many clients."""

import numpy as np
from action_msgs.msg import GoalStatus
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion

from harness.planner import GOAL, START, state


def test_action_sends_feedback_and_can_be_cancelled(planner):
    request = PlanRequest(planner="aorrtc", start=state(START), goal_states=[state(GOAL)])
    request.time_limit.sec = 600
    told = []
    handle = planner.send_goal(request, lambda message: told.append(message.feedback))
    assert handle.accepted
    planner.network.until(lambda: len(told) >= 3, "feedback")
    first, last = ((one.run, one.nodes) for one in (told[0], told[-1]))
    assert last > first
    assert min(one.nodes for one in told) > 0
    assert told[-1].seconds > told[0].seconds
    assert planner.network.result(handle.cancel_goal_async()).goals_canceling
    reply = planner.network.outcome(handle).result.reply
    # What was found until then is not thrown away.
    assert reply.code in (PlanReply.SOLVED, PlanReply.CANCELLED)


def test_checks_and_cancellations_pass_long_plans_by(planner):
    request = PlanRequest(planner="aorrtc", start=state(START), goal_states=[state(GOAL)])
    request.time_limit.sec = 600
    plans = [planner.send_goal(request) for _ in range(7)]
    results = [handle.get_result_async() for handle in plans]
    for _ in range(5):
        assert planner.check(START).success
    assert not any(result.done() for result in results)
    # The last ones wait for their turn, the first ones are under way.
    for handle, result in reversed(list(zip(plans, results, strict=True))):
        assert planner.network.result(handle.cancel_goal_async()).goals_canceling
        assert planner.network.result(result).status == GoalStatus.STATUS_CANCELED


def test_an_action_ends_with_a_path(planner):
    handle = planner.send_goal(PlanRequest(start=state(START), goal_states=[state(GOAL)]))
    reply = planner.network.outcome(handle).result.reply
    assert reply.success
    planner.assert_free(reply)


def test_several_clients_at_once_each_get_their_own_answer(planner):
    goals = [[angle, *START[1:]] for angle in np.linspace(-1.0, 1.0, 9) if abs(angle) > 0.8]
    futures = [
        (
            goal,
            planner.ask(
                PlanMotion,
                request=PlanRequest(start=state(START), goal_states=[state(goal)], seed=seed),
            ),
        )
        for seed in range(8)
        for goal in goals
    ]
    for goal, future in futures:
        reply = planner.network.result(future).reply
        assert reply.success, reply.message
        np.testing.assert_allclose(reply.trajectory.points[-1].positions, goal, atol=1e-9)
