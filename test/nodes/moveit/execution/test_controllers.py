"""A trajectory is split among the controllers that the parameters of move_group name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from action_msgs.msg import GoalStatus
from moveit_msgs.action import ExecuteTrajectory
from moveit_msgs.msg import MoveItErrorCodes
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from harness.arm.controller import Controller
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
    parameters: dict[str, object] = {"robot": "panda_hand", "srdf": srdf}
    parameters |= {MANAGER + key: value for key, value in named.items()}
    made.start("move_group", parameters)
    ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
    controllers = {
        "controllers": ["upper", "lower"],
        "upper.joints": JOINTS[:4],
        "lower.joints": JOINTS[4:6],
        "allow_partial_joints_goal": True,
        "gripper_controllers": ["panda_hand_controller"],
    }
    made.start("robot_simulator", {"robot": "panda_hand", **ready, **controllers})
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared(network: Network) -> Iterator[Controller]:
    made = Controller(network, {}, "wrist")
    yield made
    made.close()


@pytest.fixture
def wrist(shared: Controller) -> Iterator[Controller]:
    """The controller of the last joint, which does as it is told, and well if nothing is said."""
    shared.be_good()
    yield shared
    shared.finish()


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


def at_rest(network: Network) -> dict[str, float]:
    """Return where the joints stand once they have stopped."""

    def stopped() -> dict[str, float] | None:
        before = positions(network)
        network.live(0.5)
        return before if positions(network) == before else None

    return network.until(stopped, "the end of the motion")


def turned(by: float) -> dict[str, float]:
    """Return where the first and the last joint are after a turn that meets nothing."""
    return {JOINTS[k]: READY[k] + by for k in (0, 6)}


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
    wrist.ending = "abort"
    wrist.result.error_code = wrist.result.PATH_TOLERANCE_VIOLATED
    wrist.result.error_string = "it is stuck"
    handle = sent(network, shifted(-0.3), seconds=20)
    network.until(lambda: wrist.goals, "the part of the wrist")
    network.live(0.5)
    wrist.told.set()
    result = network.outcome(handle).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "wrist: it is stuck" in result.error_code.message
    assert abs(at_rest(network)[JOINTS[0]] - shifted(-0.3)[JOINTS[0]]) > 0.05


@pytest.mark.parametrize("answers", [True, False])
def test_where_one_does_not_accept_none_goes_on_and_it_is_named(network, wrist, answers):
    wrist.accepts = not answers
    if not answers:
        wrist.answers.clear()
    before = positions(network)
    result = network.outcome(sent(network, turned(-0.5), seconds=30)).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        said = "refused its part" if answers else "gave no answer"
        assert f"wrist/follow_joint_trajectory {said}" in result.error_code.message
    stopped = at_rest(network)
    assert abs(stopped[JOINTS[0]] - before[JOINTS[0]]) < 0.2
    if not answers:
        wrist.answers.set()
        network.until(lambda: wrist.cancelled, "the end of a part that nobody waits for")
        assert wrist.cancelled == [True]


def test_where_one_dies_the_others_stop_and_it_is_named(network, wrist):
    wrist.tells = True
    handle = sent(network, turned(0.5), seconds=60)
    network.until(lambda: wrist.goals, "the part of the wrist")
    network.live(1.0)
    wrist.dead.set()
    result = network.outcome(handle).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "wrist has fallen silent" in result.error_code.message
    assert abs(at_rest(network)[JOINTS[0]] - turned(0.5)[JOINTS[0]]) > 0.05


def test_stop_stops_all(network, wrist):
    handle = sent(network, shifted(0.4), seconds=20)
    network.until(lambda: wrist.goals, "the part of the wrist")
    network.publisher(String, "trajectory_execution_event").publish(String(data="stop"))
    answer = network.outcome(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.error_code.val == CODE.PREEMPTED
    assert wrist.cancelled == [True]
    at_rest(network)


def test_who_has_left_is_named(network, wrist):
    wrist.close()
    result = network.outcome(sent(network, {JOINTS[6]: 0.5})).result
    assert result.error_code.val == CODE.CONTROL_FAILED
    if hasattr(result.error_code, "message"):
        assert "wrist" in result.error_code.message
