"""The gripper of a simulated Panda, moved by unmodified pymoveit2."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import GripperCommand, ParallelGripperCommand
from pymoveit2 import GripperCommand as GripperCommandClient
from pymoveit2 import GripperInterface
from pymoveit2.robots import panda
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness.network import Network
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf

ACTION = "gripper_action_controller/gripper_cmd"
PARALLEL_ACTION = "parallel_gripper_action_controller/gripper_cmd"
FINGERS = ["panda_finger_joint1", "panda_finger_joint2"]
PATIENCE = 30.0  # s


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("gripper"))
    made.start("robot_simulator", {"robot": "panda_hand"})
    yield made
    made.close()


@pytest.fixture
def states(network: Network) -> list[JointState]:
    received = network.record(JointState, "joint_states", qos_profile_sensor_data)
    network.until(lambda: received, "a joint state for a best-effort reader")
    return received


def fingers(network: Network, states: list[JointState]) -> list[float]:
    """Return where the fingers are, by a joint state of a time after this call."""
    now = network.node.get_clock().now()
    network.until(
        lambda: states and Time.from_msg(states[-1].header.stamp) > now, "a joint state of now"
    )
    state = states[-1]
    return [state.position[list(state.name).index(name)] for name in FINGERS]


def command(network: Network, position: float) -> tuple[int, Any]:
    goal = GripperCommand.Goal()
    goal.command.position = position
    handle = network.send_goal(GripperCommand, ACTION, goal)
    answer = network.outcome(handle)
    return answer.status, answer.result


def test_both_fingers_go_together_as_far_as_they_can(network, states):
    status, result = command(network, 0.02)
    assert status == GoalStatus.STATUS_SUCCEEDED
    assert result.reached_goal
    assert not result.stalled
    assert result.position == pytest.approx(0.02, abs=1e-3)
    one, two = fingers(network, states)
    assert one == two == pytest.approx(0.02, abs=1e-6)

    # A position out of reach stalls, and an invalid one is rejected.
    status, result = command(network, 0.1)
    assert status == GoalStatus.STATUS_ABORTED
    assert result.stalled
    assert not result.reached_goal
    assert result.position == pytest.approx(0.04, abs=1e-3)
    before = fingers(network, states)
    status, _ = command(network, float("nan"))
    assert status == GoalStatus.STATUS_ABORTED
    assert fingers(network, states) == before


@pytest.mark.parametrize(
    ("names", "positions", "speeds", "arrives"),
    [
        ([FINGERS[0]], [0.01], [], True),
        ([], [0.03], [0.02], True),  # in 1 s or more
        ([FINGERS[0]], [0.1], [], False),  # out of reach: it stalls
        ([], [], [], False),
        (FINGERS, [0.01, 0.01], [], False),
        (["panda_joint1"], [0.01], [], False),
    ],
)
def test_parallel_gripper_command(network, states, names, positions, speeds, arrives):
    """As parallel_gripper_action_controller_impl.hpp has it; other joints are rejected too."""
    before = fingers(network, states)
    goal = ParallelGripperCommand.Goal()
    goal.command = JointState(name=names, position=positions, velocity=speeds)
    begin = network.node.get_clock().now()
    handle = network.send_goal(ParallelGripperCommand, PARALLEL_ACTION, goal)
    answer = network.outcome(handle)
    expected = GoalStatus.STATUS_SUCCEEDED if arrives else GoalStatus.STATUS_ABORTED
    assert answer.status == expected
    assert answer.result.reached_goal == arrives
    assert answer.result.stalled == (positions == [0.1])
    if arrives:
        assert list(answer.result.state.name) == FINGERS[:1]
        assert list(answer.result.state.position) == pytest.approx(positions, abs=1e-3)
        assert fingers(network, states) == pytest.approx(positions * 2, abs=1e-3)
    elif positions != [0.1]:
        assert fingers(network, states) == before
    if speeds:
        seconds = 1e-9 * (network.node.get_clock().now() - begin).nanoseconds
        assert seconds > abs(positions[0] - before[0]) / speeds[0]


def test_a_cancelled_goal_stops_and_a_new_one_replaces_the_old(network, states):
    command(network, 0.0)
    goal = GripperCommand.Goal()
    goal.command.position = 0.04
    first = network.send_goal(GripperCommand, ACTION, goal)
    second = network.send_goal(GripperCommand, ACTION, goal)
    assert network.outcome(first).status == GoalStatus.STATUS_ABORTED
    assert network.outcome(second).status == GoalStatus.STATUS_SUCCEEDED
    goal.command.position = 0.0
    third = network.send_goal(GripperCommand, ACTION, goal)
    network.result(third.cancel_goal_async(), "a cancelled goal")
    assert network.outcome(third).status == GoalStatus.STATUS_CANCELED


def test_a_goal_ends_when_another_robot_replaces_the_gripper(network):
    network.start("robot_simulator", {"real_time_factor": 0.01}, "other")
    robots = network.publisher(String, "/other/robot_description", LATCHED)
    robots.publish(String(data=write_urdf(load_robot("panda_hand"))))
    goal = GripperCommand.Goal()
    goal.command.position = 0.04
    heard = []
    handle = network.send_goal(GripperCommand, f"/other/{ACTION}", goal, heard.append)
    network.wait_for_discovery("/other/robot_simulator")
    result = handle.get_result_async()
    heard.clear()
    network.until(lambda: len(heard) > 5, "feedback")  # the request for the result came, too
    assert not result.done()
    robots.publish(String(data=write_urdf(load_robot("ur5"))))
    answer = network.result(result, "the goal's result", PATIENCE)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert not answer.result.reached_goal
    action = f"/other/{ACTION}/_action/send_goal"
    network.until(lambda: not network.node.count_services(action), "its end")


def test_pymoveit2_opens_and_closes_it(network, states):
    node = Node("client", context=network.context)
    executor = MultiThreadedExecutor(2, context=network.context)
    executor.add_node(node)
    gripper = GripperInterface(
        node,
        panda.gripper_joint_names(),
        panda.OPEN_GRIPPER_JOINT_POSITIONS,
        panda.CLOSED_GRIPPER_JOINT_POSITIONS,
        callback_group=ReentrantCallbackGroup(),
        # Looking for an action, it destroys a client that rclpy's executor waits for meanwhile.
        interface=GripperCommandClient,
    )
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        for move, position in ((gripper.close, 0.0), (gripper.open, 0.04)):
            assert move()
            assert gripper.wait_until_executed(PATIENCE), gripper.last_failure()
            assert fingers(network, states) == pytest.approx([position] * 2, abs=1e-3)
    finally:
        gripper.destroy()
        executor.shutdown()
        thread.join(PATIENCE)
        node.destroy_node()
