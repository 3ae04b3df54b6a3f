"""robot_simulator for its clients: trajectories, error codes, modes, time, services."""

import math
import time

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import (
    JointComponentTolerance,
    JointTolerance,
    JointTrajectoryControllerState,
)
from rigid_tree_interfaces.srv import SetState, StepSimulation
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import (
    JointTrajectory,
    MultiDOFJointTrajectory,
    MultiDOFJointTrajectoryPoint,
)

from harness.arm.trajectories import trajectory as trajectory_of
from harness.probe import LATCHED
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.dynamics import simulate
from rigid_tree_kinematics.nodes.common.requests.message_time import seconds_of

Codes = FollowJointTrajectory.Result
NAMES = list(load_robot("ur5").joint_names)


def trajectory(*points, names=NAMES, **fields):
    """Return a trajectory of (time, positions) points."""
    return trajectory_of(names, *points, **fields)


class Simulator:
    """A simulator in its process, with what it publishes."""

    def __init__(self, network, action="follow_joint_trajectory", **parameters):
        self.network = network
        self.action = action
        self.states = network.record(JointState, "joint_states")
        self.process = network.start("robot_simulator", {"robot": "ur5", **parameters})
        network.until(lambda: self.states, "joint states")

    def call(self, kind, service, **fields):
        return self.network.call(kind, f"robot_simulator/{service}", **fields)

    def send(self, message, received=None, **fields):
        """Send a goal; return its handle and its result's future."""
        goal = FollowJointTrajectory.Goal(trajectory=message, **fields)
        handle = self.network.send_goal(FollowJointTrajectory, self.action, goal, received)
        assert handle.accepted
        return handle, handle.get_result_async()

    def rejects(self, message, words, **fields):
        """Send a goal that is rejected at once, for a reason that the log has."""
        goal = FollowJointTrajectory.Goal(trajectory=message, **fields)
        handle = self.network.send_goal(FollowJointTrajectory, self.action, goal)
        assert not handle.accepted
        self.network.until(lambda: words in self.process.output, words)

    def follow(self, message, **fields):
        """Return status and result of a goal."""
        _, future = self.send(message, **fields)
        outcome = self.network.result(future, "the goal's result")
        return outcome.status, outcome.result

    def now(self):
        """Return where the joints are, from a state that is not older than this call."""
        begin = time.time()
        self.network.until(
            lambda: seconds_of(self.states[-1].header.stamp) > begin, "fresh joint states"
        )
        return np.array(self.states[-1].position)


@pytest.fixture(scope="module")
def shared(shared_network):
    return Simulator(shared_network)


@pytest.fixture
def ur5(shared):
    """The same for all tests, at its initial state."""
    shared.call(Trigger, "reset")
    return shared


def test_a_goal_is_followed_with_feedback_to_its_end(ur5):
    begin = ur5.now()
    received = []
    message = trajectory((0.5, begin + 0.3), (1.0, begin + 0.5))
    status, result = ur5.follow(message, received=received.append)
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Codes.SUCCESSFUL)
    np.testing.assert_allclose(ur5.now(), begin + 0.5, atol=1e-9)
    assert len(received) > 5
    for message in received:
        feedback = message.feedback
        assert list(feedback.joint_names) == NAMES
        passed = seconds_of(feedback.desired.time_from_start)
        expected = np.interp(passed, [0.0, 0.5, 1.0], [0.0, 0.3, 0.5])
        np.testing.assert_allclose(feedback.desired.positions, begin + expected, atol=1e-6)
        np.testing.assert_allclose(feedback.actual.positions, feedback.desired.positions)
        np.testing.assert_allclose(feedback.error.positions, 0.0, atol=1e-9)
        if hasattr(feedback, "index"):  # not in Humble and Jazzy
            ahead = np.searchsorted([0.5, 1.0], [passed - 1e-6, passed + 1e-6])
            assert feedback.index in ahead
    state = ur5.states[-1]
    assert len(state.velocity) == len(state.effort) == 6
    assert max(abs(effort) for effort in state.effort) > 1.0  # the arm is heavy


def test_goals_that_are_wrong_are_rejected_at_once(ur5):
    # goal_received_callback and validate_trajectory_msg of joint_trajectory_controller.cpp: Humble
    # :1251 and :1461, Jazzy :1401 and :1671, Kilted :1397 and :1667, Rolling :1497 and :1966.
    begin = ur5.now()
    end = begin + 0.1
    old = trajectory((1.0, end))
    old.header.stamp.sec = 1000
    for message, words in (
        (trajectory((1.0, [0.0]), names=["nose"]), "nose"),
        (old, "stamp"),
        (trajectory((1.0, end[:5])), "5 positions"),
        (trajectory((1.0, end), (0.5, end)), "increase"),
        (trajectory((1.0, end + 9.0)), "limits"),
        (trajectory(), "no points"),
        (trajectory((1.0, [])), "no positions"),
        (trajectory((1.0, end), effort=[1.0] * 6), "efforts"),
        (trajectory((1.0, [math.nan] * 6)), "not finite"),
    ):
        ur5.rejects(message, words)
    np.testing.assert_allclose(ur5.now(), begin)


def test_derivatives_of_some_points_are_ignored_with_a_warning(network):
    ur5 = Simulator(network)
    message = trajectory((0.1, ur5.now()), (0.2, ur5.now()))
    message.points[0].velocities = [0.0] * 6
    network.publisher(JointTrajectory, "joint_trajectory").publish(message)
    network.log_line(ur5.process, "velocities are ignored, as some points have none")
    message.points[0].velocities = [0.1]
    ur5.rejects(message, "1 velocities for 6 joints")
    message.points[0].velocities = []
    message.points[1].accelerations = [math.nan] * 6
    ur5.rejects(message, "accelerations that are not finite")


def test_tolerances_without_a_meaning_leave_the_default_ones(network):
    # get_segment_tolerances of tolerances.hpp, Humble to Rolling: "Using default tolerances".
    ur5 = Simulator(network, path_tolerance=1.0, goal_time=0.1)
    for name, position in (("nose", 1e-9), (NAMES[0], -0.5)):
        end = ur5.now() + 0.1
        strict = JointTolerance(name=NAMES[0], position=1e-9, velocity=1e-9)
        given = [strict, JointTolerance(name=name, position=position)]
        # No joint is that fast: the path tolerance of the goal would abort it.
        status, result = ur5.follow(trajectory((0.02, end)), path_tolerance=given)
        assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    assert "using the default tolerances" in ur5.process.output


def test_fields_for_planar_and_floating_joints_are_rejected(network):
    ur5 = Simulator(network)  # one of its own: a log has ten lines at once of one place
    begin = ur5.now()
    component = [JointComponentTolerance(joint_name="base", component=1, position=0.1)]
    for field, value in (
        ("multi_dof_trajectory", MultiDOFJointTrajectory(joint_names=["base"])),
        ("multi_dof_trajectory", MultiDOFJointTrajectory(points=[MultiDOFJointTrajectoryPoint()])),
        ("component_path_tolerance", component),
        ("component_goal_tolerance", component),
    ):
        ur5.rejects(trajectory((0.5, begin + 0.1)), f"{field}: not supported", **{field: value})


def test_tolerances_of_path_and_goal(ur5):
    begin = ur5.now()
    # One radian in 0.1 s: the joint's limit of pi rad/s lets it lag behind.
    hurry = trajectory((0.1, begin + np.eye(6)[0]))
    tight = [JointTolerance(name=NAMES[0], position=0.05)]
    _, result = ur5.follow(hurry, path_tolerance=tight)
    assert result.error_code == Codes.PATH_TOLERANCE_VIOLATED
    assert NAMES[0] in result.error_string
    ur5.call(Trigger, "reset")
    _, result = ur5.follow(hurry, goal_time_tolerance=Duration(nanosec=50_000_000))
    assert result.error_code == Codes.GOAL_TOLERANCE_VIOLATED
    ur5.call(Trigger, "reset")
    loose = [JointTolerance(name=NAMES[0], position=-1.0, velocity=-1.0)]
    _, result = ur5.follow(
        hurry, goal_tolerance=loose, goal_time_tolerance=Duration(nanosec=1_000_000)
    )
    assert result.error_code == Codes.SUCCESSFUL
    ur5.call(Trigger, "reset")
    _, result = ur5.follow(hurry)  # the parameters give it five more seconds
    assert result.error_code == Codes.SUCCESSFUL


def test_cancel_and_replacement(ur5):
    begin = ur5.now()
    long_way = trajectory((60.0, begin + 1.0))
    handle, future = ur5.send(long_way)
    ur5.network.until(lambda: ur5.states[-1].position[0] > begin[0] + 0.005, "motion")
    cancelled = ur5.network.result(handle.cancel_goal_async(), "the reply to the request")
    assert cancelled.goals_canceling
    ur5.network.until(future.done, "the cancelled goal's end")
    assert future.result().status == GoalStatus.STATUS_CANCELED
    # goal_cancelled_callback: an empty result, Humble joint_trajectory_controller.cpp:1273-1305.
    assert future.result().result.error_code == Codes.SUCCESSFUL
    stopped = ur5.now()
    np.testing.assert_allclose(ur5.now(), stopped)
    _, first = ur5.send(long_way)
    status, _ = ur5.follow(trajectory((0.2, begin)))
    assert status == GoalStatus.STATUS_SUCCEEDED
    ur5.network.until(first.done, "the end of the goal that was replaced")
    assert first.result().status == GoalStatus.STATUS_ABORTED
    assert "another trajectory replaced it" in first.result().result.error_string
    np.testing.assert_allclose(ur5.now(), begin, atol=1e-9)


def test_trajectories_on_the_topic_are_followed_and_empty_ones_ignored(ur5):
    begin = ur5.now()
    publisher = ur5.network.publisher(JointTrajectory, "joint_trajectory")
    # As rqt's sliders do: one joint, one point, again and again.
    for step in range(1, 6):
        publisher.publish(trajectory((0.1, [begin[2] + 0.02 * step]), names=[NAMES[2]]))
        ur5.now()
    ur5.network.until(lambda: abs(ur5.now()[2] - begin[2] - 0.1) < 1e-9, "arrival")
    publisher.publish(trajectory((60.0, begin + 1.0)))
    ur5.network.until(lambda: ur5.states[-1].velocity[0] > 0.01, "motion")
    # "Empty trajectory received", joint_trajectory_controller.cpp: Humble :1484, Rolling :1996.
    publisher.publish(JointTrajectory())
    ur5.network.until(lambda: "names no joints" in ur5.process.output, "a warning")
    assert ur5.states[-1].velocity[0] > 0.01
    ur5.now()
    assert ur5.states[-1].velocity[0] > 0.01
    publisher.publish(trajectory((0.1, ur5.now())))
    ur5.network.until(lambda: ur5.states[-1].velocity[0] == 0.0, "rest")
    before = len(ur5.process.output)
    publisher.publish(trajectory((1.0, [0.0]), names=["nose"]))
    words = "no independent joint 'nose'"
    ur5.network.until(lambda: words in ur5.process.output[before:], "a warning")
    assert ur5.now()[0] < begin[0] + 0.9


def test_controllers_have_names(network):
    joints = {"arm.joints": NAMES[:1], "wrist.joints": NAMES[5:]}
    ur5 = Simulator(
        network, action="wrist/follow_joint_trajectory", controllers=["arm", "wrist"], **joints
    )
    begin = ur5.now()
    ur5.network.publisher(JointTrajectory, "arm/joint_trajectory").publish(
        trajectory((0.5, begin[:1] + 0.1), names=NAMES[:1])
    )
    status, _ = ur5.follow(trajectory((1.0, begin[5:] + 0.1), names=NAMES[5:]))
    assert status == GoalStatus.STATUS_SUCCEEDED
    np.testing.assert_allclose(ur5.now() - begin, [0.1, 0, 0, 0, 0, 0.1], atol=1e-9)


def test_a_robot_without_a_controllers_joint_is_rejected(network):
    states = network.record(JointState, "joint_states")
    given = {"controllers": ["arm"], "arm.joints": NAMES[:1]}
    process = network.start("robot_simulator", given)
    robots = network.publisher(String, "robot_description", LATCHED)
    robots.publish(String(data=write_urdf(load_robot("ur5"))))
    network.until(lambda: states, "joint states")
    reported = network.record(JointTrajectoryControllerState, "arm/controller_state")
    robots.publish(String(data=write_urdf(load_robot("panda"))))
    network.log_line(process, f"arm.joints: robot 'panda' has no independent joint '{NAMES[0]}'")
    states.clear()
    network.until(lambda: states and list(states[-1].name) == NAMES, "the first robot's states")
    reported.clear()
    state = network.until(lambda: reported and reported[-1], "the controller's state")
    assert list(state.joint_names) == NAMES[:1]


def test_motors_move_it_and_without_them_it_falls(network):
    ur5 = Simulator(network, mode="dynamic")
    begin = ur5.now()
    status, result = ur5.follow(trajectory((0.5, begin + 0.2), (0.8, begin + 0.2)))
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    np.testing.assert_allclose(ur5.now(), begin + 0.2, atol=0.01)
    refused = ur5.network.set_parameter("robot_simulator", "mode", "magic")
    assert not refused.successful
    assert "kinematic, dynamic, free" in refused.reason
    assert ur5.network.set_parameter("robot_simulator", "mode", "free").successful
    # From upright the arm tips over.
    ur5.network.until(lambda: np.abs(ur5.now() - begin - 0.2).max() > 0.2, "a fall")
    assert max(abs(effort) for effort in ur5.states[-1].effort) == 0.0
    ur5.rejects(trajectory((1.0, begin)), "falls freely")
    assert ur5.network.set_parameter("robot_simulator", "mode", "kinematic").successful
    status, _ = ur5.follow(trajectory((1.0, begin)))
    assert status == GoalStatus.STATUS_SUCCEEDED


def test_a_paused_pendulum_steps_by_its_equations_of_motion(network):
    initial = {"initial_positions.joint_A": math.radians(30.0)}
    pendulum = Simulator(
        network, robot="double_pendulum", mode="free", paused=True, rate=50.0, **initial
    )
    np.testing.assert_allclose(pendulum.now(), [math.radians(30.0), 0.0])
    reply = pendulum.call(StepSimulation, "step", duration=Duration(sec=2))
    assert reply.success, reply.message
    assert seconds_of(reply.time) == pytest.approx(2.0)
    tree = load_robot("double_pendulum")
    truth = simulate(tree, [math.radians(30.0), 0.0], [0.0, 0.0], None, 2.0)
    np.testing.assert_allclose(pendulum.now(), truth.positions[-1], atol=1e-9)
    np.testing.assert_allclose(pendulum.states[-1].velocity, truth.velocities[-1], atol=1e-9)
    reply = pendulum.call(StepSimulation, "step", duration=Duration(sec=-1))
    assert reply.code == reply.INVALID_REQUEST
    state = JointState(name=["joint_B"], position=[1.0], velocity=[0.5])
    reply = pendulum.call(SetState, "set_state", state=state)
    assert reply.success, reply.message
    np.testing.assert_allclose(pendulum.now(), [truth.positions[-1, 0], 1.0])
    np.testing.assert_allclose(pendulum.states[-1].velocity, [0.0, 0.5])
    for bad in (
        JointState(name=["joint_C"], position=[1.0]),
        JointState(name=["joint_B"], position=[]),
        JointState(name=["joint_B"], position=[math.nan]),
    ):
        reply = pendulum.call(SetState, "set_state", state=bad)
        assert reply.code == reply.INVALID_REQUEST, reply.message
    np.testing.assert_allclose(pendulum.now(), [truth.positions[-1, 0], 1.0])
    assert pendulum.call(Trigger, "reset").success
    np.testing.assert_allclose(pendulum.now(), [math.radians(30.0), 0.0])
    assert pendulum.call(SetBool, "pause", data=False).success
    network.until(lambda: abs(pendulum.now()[0] - math.radians(30.0)) > 0.1, "a fall")
    reply = pendulum.call(StepSimulation, "step")
    assert reply.code == reply.NOT_PAUSED


def test_the_clock_runs_at_its_factor_and_stamps_the_states(network):
    clocks = []
    network.node.create_subscription(
        Clock, "/clock", lambda m: clocks.append((time.monotonic(), seconds_of(m.clock))), 1000
    )
    ur5 = Simulator(network, publish_clock=True, real_time_factor=4.0)

    def factor():
        """Return the clock's speed over its last hundred messages."""
        passed, simulated = (clocks[-1][k] - clocks[-100][k] for k in (0, 1))
        return simulated / passed

    # Less, or after that more, for moments in which the machine does something else.
    network.until(lambda: len(clocks) > 200 and 3.8 < factor() < 4.2, "the clock's speed")
    stamps = [seconds_of(state.header.stamp) for state in ur5.states]
    assert stamps == sorted(stamps)
    assert set(stamps[10:50]) <= {at for _, at in clocks}
    begin = np.array(ur5.states[-1].position)
    # A stamp in the future, of the simulation's time.
    message = trajectory((1.0, begin + 0.1))
    message.header.stamp.sec = int(clocks[-1][1]) + 4
    status, _ = ur5.follow(message)
    assert status == GoalStatus.STATUS_SUCCEEDED
    # The result may overtake the clock.
    network.until(lambda: clocks[-1][1] > message.header.stamp.sec + 1.0, "the motion's end")


def test_the_robot_comes_from_the_topic_and_may_be_replaced(network):
    states = network.record(JointState, "joint_states")
    process = network.start("robot_simulator", {"initial_positions.elbow_joint": 0.7})
    publisher = network.publisher(String, "robot_description", LATCHED)
    goal = FollowJointTrajectory.Goal(trajectory=trajectory())
    handle = network.send_goal(FollowJointTrajectory, "follow_joint_trajectory", goal)
    assert not handle.accepted
    network.until(lambda: "no robot yet" in process.output, "the reason")
    publisher.publish(String(data=write_urdf(load_robot("ur5"))))
    network.until(lambda: states, "joint states")
    assert states[-1].position[NAMES.index("elbow_joint")] == 0.7
    publisher.publish(String(data="<robot"))
    network.until(lambda: "rejected the robot description" in process.output, "a rejection")
    publisher.publish(String(data=write_urdf(load_robot("panda"))))
    network.until(lambda: "panda_joint1" in states[-1].name, "the other robot's states")
