"""A trajectory is split among the controllers in move_group's parameters."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, ParallelGripperCommand
from moveit_harness.move_group import FINGER, JOINTS, MARGIN, PATIENCE, READY
from sensor_msgs.msg import JointState

from harness.arm.controller import FakeController
from move_group.cell import CODE, Cell, by_name, has_error, single_joint
from rigid_tree_kinematics.nodes import planning

MANAGER = "moveit_simple_controller_manager."
PARTS = {"upper": JOINTS[:4], "lower": JOINTS[4:6], "wrist": JOINTS[6:]}
GRIPPER = "panda_hand_controller"


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    named: dict[str, object] = {"controller_names": [*PARTS, GRIPPER]}
    for name, joints in PARTS.items():  # the wrist is the test's own, which fails when told so
        named[f"{name}.type"] = "FollowJointTrajectory"
        named[f"{name}.action_ns"] = "follow_joint_trajectory"
        named[f"{name}.joints"] = joints
    named |= {f"{GRIPPER}.type": "GripperCommand", f"{GRIPPER}.action_ns": "gripper_cmd"}
    named[f"{GRIPPER}.joints"] = [FINGER]
    parameters = {MANAGER + key: value for key, value in named.items()} | {MARGIN: PATIENCE}
    made = Cell.started(tmp_path_factory.mktemp("controllers"), **parameters)
    made.start_robot(
        controllers=["upper", "lower"],
        **{f"{name}.joints": PARTS[name] for name in ("upper", "lower")},
        allow_partial_joints_goal=True,
        gripper_controllers=[GRIPPER],
    )
    yield made
    made.network.close()


@pytest.fixture(scope="module")
def shared(cell: Cell) -> Iterator[FakeController]:
    made = FakeController(cell.network, {}, "wrist")
    yield made
    made.close()


@pytest.fixture
def wrist(shared: FakeController) -> Iterator[FakeController]:
    """The controller of the last joint, which does as it is told, and well if nothing is said."""
    shared.reset()
    yield shared
    shared.finish()


def sent(cell: Cell, target: dict[str, float], seconds: int = 1):
    """Send a trajectory from where the joints are."""
    now = at_rest(cell)
    trajectory = single_joint("", 0.0, 0.0, seconds=seconds)
    trajectory.joint_names = list(target)
    trajectory.points[0].positions = [now[name] for name in target]
    trajectory.points[1].positions = list(target.values())
    return cell.execute(trajectory)


def at_rest(cell: Cell) -> dict[str, float]:
    """Return where the joints stand once they have stopped."""
    received = cell.network.record(JointState, "joint_states")

    def stopped() -> bool:
        return len(received) > 20 and received[-1].position == received[-20].position

    cell.network.until(stopped, "the end of the motion")
    return by_name(received[-1])


def turned(by: float) -> dict[str, float]:
    """Return where the first and the last joint are after a turn that meets nothing."""
    return {JOINTS[k]: READY[k] + by for k in (0, 6)}


def shifted(by: float) -> dict[str, float]:
    return {name: q + by for name, q in zip(JOINTS, READY, strict=True)}


def test_each_controller_gets_its_joints_and_the_gripper_its_position(cell, wrist):
    wrist.finishing.set()
    target = shifted(0.1) | {FINGER: 0.01}
    assert cell.outcome(sent(cell, target)).val == CODE.SUCCESS
    reached = at_rest(cell)
    for name in (*JOINTS[:6], FINGER):
        assert reached[name] == pytest.approx(target[name], abs=1.5e-3)
    (part,) = wrist.goals
    assert list(part.trajectory.joint_names) == JOINTS[6:]
    assert list(part.trajectory.points[-1].positions) == [target[JOINTS[6]]]


def under_way(cell: Cell, wrist: FakeController) -> None:
    """Wait until the wrist has its part, and the first joint moves."""
    cell.network.until(lambda: wrist.goals, "the part of the wrist")
    states = cell.network.record(JointState, "joint_states")

    def moves():
        return states and abs(states[-1].velocity[0]) > 1e-3

    cell.network.until(moves, "the motion")


def test_where_one_fails_all_stop_and_it_is_named(cell, wrist):
    wrist.ending = "abort"
    wrist.result.error_code = wrist.result.PATH_TOLERANCE_VIOLATED
    wrist.result.error_string = "it is stuck"
    handle = sent(cell, shifted(-0.3), seconds=20)
    under_way(cell, wrist)
    wrist.finishing.set()
    assert has_error(cell.outcome(handle), CODE.CONTROL_FAILED, "wrist: it is stuck")
    assert abs(at_rest(cell)[JOINTS[0]] - shifted(-0.3)[JOINTS[0]]) > 0.05


@pytest.mark.parametrize("answers", [True, False])
def test_rejecting_controller_stops_the_others_and_is_named(cell, wrist, answers):
    wrist.accepts = not answers
    if not answers:
        wrist.answers.clear()
    before = at_rest(cell)
    said = "rejected its part" if answers else "did not reply"
    error = cell.outcome(sent(cell, turned(-0.5), seconds=30))
    assert has_error(error, CODE.CONTROL_FAILED, f"wrist/follow_joint_trajectory {said}")
    stopped = at_rest(cell)
    assert abs(stopped[JOINTS[0]] - before[JOINTS[0]]) < 0.2
    if not answers:
        wrist.answers.set()
        cell.network.until(lambda: wrist.cancelled, "the end of an abandoned part")
        assert wrist.cancelled == [True]


def test_failing_controller_stops_the_others_and_is_named(cell, wrist):
    wrist.sends_feedback = True
    handle = sent(cell, turned(0.5), seconds=60)
    under_way(cell, wrist)
    cell.network.spin_for(1.0)  # for feedback of all
    wrist.dead.set()
    assert has_error(
        cell.outcome(handle), CODE.CONTROL_FAILED, "wrist has stopped sending feedback"
    )
    assert abs(at_rest(cell)[JOINTS[0]] - turned(0.5)[JOINTS[0]]) > 0.05


def test_stop_stops_all(cell, wrist):
    handle = sent(cell, shifted(0.4), seconds=20)
    cell.network.until(lambda: wrist.goals, "the part of the wrist")
    cell.stop()
    answer = cell.network.outcome(handle)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.error_code.val == CODE.PREEMPTED
    assert wrist.cancelled == [True]
    at_rest(cell)


def test_a_missing_controller_is_named(cell, wrist):
    wrist.close()
    assert has_error(cell.outcome(sent(cell, {JOINTS[6]: 0.5})), CODE.CONTROL_FAILED, "wrist")


@pytest.mark.parametrize("most", [(20.0, 0.1), (0.0, 0.0)])
def test_parallel_gripper_command_controller_handle_lines_100_to_135(most):
    """One joint with its last position, and limits above 0 only."""
    effort, velocity = most
    hand = planning.Controller(
        "hand/gripper_cmd", "hand", (FINGER,), ParallelGripperCommand, effort, velocity
    )
    motion = FollowJointTrajectory.Goal(trajectory=single_joint(FINGER, 0.0, 0.03))
    command = hand.part(motion, [FINGER]).command
    assert (list(command.name), list(command.position)) == ([FINGER], [0.03])
    assert tuple(command.velocity) == (most[1:] if velocity else ())
    assert tuple(command.effort) == (most[:1] if effort else ())
    result = ParallelGripperCommand.Result(stalled=True, state=JointState(position=[0.02]))
    answer = SimpleNamespace(status=GoalStatus.STATUS_ABORTED, result=result)
    failure = hand.failure(answer)
    assert failure is not None
    assert failure[0] == "hand: stalled at 0.02"
