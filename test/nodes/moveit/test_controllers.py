"""A trajectory is split among the controllers that the parameters of move_group name."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from moveit_msgs.action import ExecuteTrajectory
from moveit_msgs.msg import MoveItErrorCodes
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.moveit import FINGER, JOINTS, READY
from harness.network import Network
from rigid_tree_kinematics.description.robots import bundled_folder

MANAGER = "moveit_simple_controller_manager."
CODE = MoveItErrorCodes


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    made = Network(tmp_path_factory.mktemp("controllers"))
    named = {
        "controller_names": ["upper", "lower", "wrist", "panda_hand_controller"],
        "upper.type": "FollowJointTrajectory",
        "upper.action_ns": "follow_joint_trajectory",
        "upper.joints": JOINTS[:4],
        "lower.type": "FollowJointTrajectory",
        "lower.action_ns": "follow_joint_trajectory",
        "lower.joints": JOINTS[4:6],
        "wrist.type": "FollowJointTrajectory",  # the test's own, which fails when told so
        "wrist.action_ns": "follow_joint_trajectory",
        "wrist.joints": JOINTS[6:],
        "panda_hand_controller.type": "GripperCommand",
        "panda_hand_controller.action_ns": "gripper_cmd",
        "panda_hand_controller.joints": [FINGER],
    }
    srdf = str(bundled_folder("robots") / "panda_hand.srdf")
    parameters = {"robot": "panda_hand", "srdf": srdf}
    parameters |= {MANAGER + key: value for key, value in named.items()}
    made.start("move_group", parameters)
    ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
    controllers = {
        "controllers": ["upper", "lower"],
        "gripper_controllers": ["panda_hand_controller"],
    }
    made.start("robot_simulator", {"robot": "panda_hand", **ready, **controllers})
    yield made
    made.close()


class Wrist:
    """A controller of the last joint that stands, and arrives, or fails, when it is told."""

    def __init__(self, network: Network) -> None:
        self.goals: list[FollowJointTrajectory.Goal] = []
        self.told = threading.Event()
        self.fails = False
        self.cancelled = False
        self._node = Node("wrist_node", context=network.context)
        self._executor = MultiThreadedExecutor(3, context=network.context)
        self._executor.add_node(self._node)
        self._action = ActionServer(
            self._node,
            FollowJointTrajectory,
            "wrist/follow_joint_trajectory",
            self._on_goal,
            cancel_callback=self._on_cancel,
            callback_group=ReentrantCallbackGroup(),
        )
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _on_cancel(self, handle):
        self.cancelled = True
        self.told.set()
        return CancelResponse.ACCEPT

    def _on_goal(self, handle):
        self.goals.append(handle.request)
        self.told.wait(30.0)
        result = FollowJointTrajectory.Result()
        if self.cancelled:
            handle.canceled()
        elif self.fails:
            result.error_code = result.PATH_TOLERANCE_VIOLATED
            result.error_string = "it is stuck"
            handle.abort()
        else:
            handle.succeed()
        return result

    def close(self) -> None:
        self.told.set()
        self._executor.shutdown()
        self._thread.join(10.0)
        self._action.destroy()
        self._node.destroy_node()


@pytest.fixture
def wrist(network: Network) -> Iterator[Wrist]:
    made = Wrist(network)
    yield made
    made.close()


def positions(network: Network) -> dict[str, float]:
    heard = network.hear(JointState, "joint_states")
    network.until(lambda: heard, "a joint state")
    return dict(zip(heard[-1].name, heard[-1].position, strict=True))


def sent(network: Network, target: dict[str, float], seconds: int = 1):
    """Send a trajectory from where the joints are."""
    now = positions(network)
    names = list(target)
    points = [
        JointTrajectoryPoint(positions=[now[name] for name in names]),
        JointTrajectoryPoint(positions=list(target.values())),
    ]
    points[1].time_from_start.sec = seconds
    goal = ExecuteTrajectory.Goal()
    goal.trajectory.joint_trajectory = JointTrajectory(joint_names=names, points=points)
    return network.send_goal(ExecuteTrajectory, "execute_trajectory", goal)


def shifted(by: float) -> dict[str, float]:
    return {name: q + by for name, q in zip(JOINTS, READY, strict=True)}


def test_each_controller_gets_its_joints_and_the_gripper_its_position(network, wrist):
    wrist.told.set()
    target = shifted(0.1) | {FINGER: 0.01}
    answer = network.outcome(sent(network, target))
    assert answer.result.error_code.val == CODE.SUCCESS, answer.result.error_code
    reached = positions(network)
    for name in (*JOINTS[:6], FINGER):
        assert reached[name] == pytest.approx(target[name], abs=1.5e-3)
    (part,) = wrist.goals
    assert list(part.trajectory.joint_names) == JOINTS[6:]
    assert list(part.trajectory.points[-1].positions) == [target[JOINTS[6]]]


def test_where_one_fails_all_stop_and_it_is_named(network, wrist):
    wrist.fails = True
    handle = sent(network, shifted(-0.3), seconds=20)
    network.until(lambda: wrist.goals, "the part of the wrist")
    network.live(0.5)
    wrist.told.set()
    result = network.outcome(handle).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "wrist: it is stuck" in result.error_code.message
    stopped = positions(network)
    network.live(0.5)
    assert positions(network) == stopped
    assert abs(stopped[JOINTS[0]] - shifted(-0.3)[JOINTS[0]]) > 0.05


def test_stop_stops_all(network, wrist):
    handle = sent(network, shifted(0.4), seconds=20)
    network.until(lambda: wrist.goals, "the part of the wrist")
    network.publisher(String, "trajectory_execution_event").publish(String(data="stop"))
    answer = network.outcome(handle)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code.val == CODE.PREEMPTED
    assert wrist.cancelled
    stopped = positions(network)
    network.live(0.5)
    assert positions(network) == stopped


def test_joints_of_nobody_are_named(network):
    # The wrist has left with the test before.
    result = network.outcome(sent(network, {JOINTS[6]: 0.5})).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "wrist" in result.error_code.message
