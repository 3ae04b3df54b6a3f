"""The time limit of a plan covers all steps, and the reply names the unfinished step."""

import re
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from rigid_tree_interfaces.msg import PlanReply

from harness.planner import START, TIP, state
from harness.poses import pose_stamped

LIMIT = 1.0  # s
SLACK = 30.0  # s, for a busy machine


def timed_plan(planner, **fields):
    """Return the reply to a request of 1 s, and how long it took."""
    fields = {"goal_states": [], "time_limit": Duration(sec=1), **fields}
    begin = time.monotonic()
    reply = planner.plan(**fields)
    return reply, time.monotonic() - begin


def test_thousands_of_goals_end_in_time(planner):
    planner.plan()  # the first plan takes longer
    far = np.eye(4)
    far[0, 3] = 5.0
    blocked = state([np.arctan2(-0.18, 0.45), *START[1:]])
    for fields in (
        {"body": TIP, "goal_poses": [pose_stamped(far)] * 10_000},
        {"goal_states": [blocked] * 10_000},
    ):
        reply, seconds = timed_plan(planner, **fields)
        assert seconds < LIMIT + SLACK
        assert reply.code == PlanReply.OUT_OF_TIME, reply.message
        # A busy machine does not even read all goals in time.
        assert re.match(r"time limit of 1 s reached after [\d,]+ of [\d,]+ goal", reply.message)
        assert len(reply.message) < 10_000


def test_goals_that_come_late_do_not_take_the_time_of_the_search(planner):
    reach = planner.robot.get_transform([-1.0, *START[1:]], TIP)
    far = np.eye(4)
    far[0, 3] = 5.0
    poses = [pose_stamped(T) for T in (reach, *[far] * 6_000)]
    limit = Duration(sec=2)
    reply, seconds = timed_plan(planner, body=TIP, goal_poses=poses, time_limit=limit)
    assert seconds < 2.0 + SLACK
    assert reply.success, reply.message
    assert "of 6,001 goals" in reply.dropped_goals[-1]


def test_too_many_goals_are_rejected(planner):
    reply, _ = timed_plan(planner, goal_states=[state([0.0], ["panda_joint1"])] * 100_001)
    assert reply.code == PlanReply.INVALID_REQUEST
    assert "100,001" in reply.message


@pytest.mark.parametrize("seconds", [-1, 601])
def test_time_limits_out_of_range_are_rejected(planner, seconds):
    reply, _ = timed_plan(planner, goal_states=[state(START)], time_limit=Duration(sec=seconds))
    assert reply.code == PlanReply.INVALID_REQUEST
    assert "time_limit" in reply.message
