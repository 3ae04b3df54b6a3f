"""A goal stopped by its cancellation ends as canceled in every order of threads."""

import threading
import time

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor

from rigid_tree_kinematics.nodes.common.process.goals import end_goal


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
