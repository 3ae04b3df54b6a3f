"""The ends of goals that are cancelled or whose feedback stops."""

import threading
import time
from types import SimpleNamespace

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.time import Time

from rigid_tree_kinematics.nodes.common.process.goals import GRACE, LifeSign, end_goal


def serve(network, slowness):
    """Serve an action whose work ends at once when cancelled; its cancel callback is slow."""
    node = rclpy.create_node("slow_to_cancel", context=network.context)
    cancelled = threading.Event()

    def work(handle):
        stopped = cancelled.wait(5.0)
        end_goal(handle, not stopped, stopped)
        return FollowJointTrajectory.Result()

    def cancel(handle):
        cancelled.set()
        time.sleep(slowness)
        return CancelResponse.ACCEPT

    group = ReentrantCallbackGroup()
    node.action = ActionServer(  # type: ignore[attr-defined]  # kept alive by its node
        node, FollowJointTrajectory, "work", work, callback_group=group, cancel_callback=cancel
    )
    return node


@pytest.mark.parametrize("slowness", [0.0, 0.3])
def test_a_cancelled_goal_is_canceled(network, slowness):
    executor = MultiThreadedExecutor(3, context=network.context)
    node = serve(network, slowness)
    executor.add_node(node)
    spinning = threading.Thread(target=executor.spin)
    spinning.start()
    try:
        handle = network.send_goal(FollowJointTrajectory, "work", FollowJointTrajectory.Goal())
        network.result(handle.cancel_goal_async(), "the cancellation")
        assert network.outcome(handle).status == GoalStatus.STATUS_CANCELED
    finally:
        executor.shutdown()
        spinning.join()
        node.action.destroy()
        node.destroy_node()


def test_silence_is_noticed_in_time_after_the_clock_was_set_back():
    now = 300.0
    clock = SimpleNamespace(now=lambda: Time(nanoseconds=round(1e9 * now)))
    node = SimpleNamespace(get_clock=lambda: clock)
    spoken, silent = (LifeSign(node, 100.0, patience=2.0) for _ in range(2))
    spoken.heard()
    assert [spoken.is_lost, silent.is_lost] == [False, False]
    now = 1.0
    assert [spoken.is_lost, silent.is_lost] == [False, False]
    now = 3.5
    assert [spoken.is_lost, silent.is_lost] == [True, False]
    spoken.heard()
    assert not spoken.is_lost
    now = 1.5 + 100.0 + GRACE
    assert silent.is_lost
