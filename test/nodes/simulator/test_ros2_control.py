"""robot_simulator for clients of ros2_control: controllers, states and goals."""

import math

import pytest
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import JointTrajectoryControllerState, SpeedScalingFactor
from control_msgs.srv import QueryTrajectoryState
from controller_manager_msgs.srv import (
    ConfigureController,
    ListControllers,
    ListControllerTypes,
    ListHardwareComponents,
    ListHardwareInterfaces,
    LoadController,
    ReloadControllerLibraries,
    SwitchController,
    UnloadController,
)
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from harness.arm.trajectories import trajectory as trajectory_of
from harness.probe import LATCHED
from rigid_tree_kinematics.nodes.common.requests.message_time import duration_of

ARM, HAND = "panda_arm_controller", "panda_hand_controller"
JOINTS = [f"panda_joint{k}" for k in range(1, 8)]
PANDA = {
    "robot": "panda_hand",
    "controllers": ["", ARM],
    f"{ARM}.joints": JOINTS,
    "gripper_controllers": [HAND],
}
ACTION = f"{ARM}/follow_joint_trajectory"
CODES = FollowJointTrajectory.Result
STRICT, BEST_EFFORT = SwitchController.Request.STRICT, SwitchController.Request.BEST_EFFORT


@pytest.fixture(scope="module")
def panda(shared_network):
    """Return a network with the simulated Panda, whose joint states are ``states``."""
    network = shared_network
    network.states = network.record(JointState, "joint_states")
    network.simulator = network.start("robot_simulator", PANDA)
    network.until(lambda: network.states, "joint states")
    return network


@pytest.fixture(autouse=True)
def reset(panda):
    """The same for all tests, with all controllers, at its initial state."""
    yield
    for name in (ARM, HAND, "joint_state_broadcaster", "gripper_action_controller"):
        for kind in (LoadController, ConfigureController):
            call(panda, kind, name=name)
        switch(panda, on=[name], strictness=BEST_EFFORT)
    assert panda.call(Trigger, "robot_simulator/reset").success


def at(panda):
    state = panda.states[-1]
    positions = dict(zip(state.name, state.position, strict=True))
    return [positions[joint] for joint in JOINTS]


def motion(end, seconds=1.0, joints=JOINTS, **fields):
    return trajectory_of(joints, (seconds, end), **fields)


def send(panda, trajectory, **fields):
    goal = FollowJointTrajectory.Goal(trajectory=trajectory, **fields)
    return panda.send_goal(FollowJointTrajectory, ACTION, goal)


SERVICES = {
    ConfigureController: "configure_controller",
    ListControllers: "list_controllers",
    ListControllerTypes: "list_controller_types",
    ListHardwareComponents: "list_hardware_components",
    ListHardwareInterfaces: "list_hardware_interfaces",
    LoadController: "load_controller",
    ReloadControllerLibraries: "reload_controller_libraries",
    SwitchController: "switch_controller",
    UnloadController: "unload_controller",
}


def call(panda, kind, **fields):
    return panda.call(kind, f"/controller_manager/{SERVICES[kind]}", **fields)


def states(panda):
    return {c.name: c.state for c in call(panda, ListControllers).controller}


def switch(panda, on=(), off=(), strictness=STRICT):
    fields = {"activate_controllers": list(on), "deactivate_controllers": list(off)}
    return call(panda, SwitchController, strictness=strictness, **fields)


def test_rqt_joint_trajectory_controller_finds_and_moves_it(panda):
    """Make the requests of rqt_joint_trajectory_controller in its order.

    utils.py: get_controller_managers, is_controller_manager (all six services by name and type),
    ControllerLister; joint_trajectory_controller.py: _running_jtc_info, _jtc_joint_names,
    _load_jtc, _state_cb, _update_cmd_cb.
    """
    wanted = {
        f"/controller_manager/{name}": [f"controller_manager_msgs/srv/{kind.__name__}"]
        for kind, name in SERVICES.items()
        if "hardware" not in name and kind is not ConfigureController
    }
    panda.until(
        lambda: wanted.items() <= dict(panda.node.get_service_names_and_types()).items(),
        "a controller manager",
    )
    running = [
        c
        for c in call(panda, ListControllers).controller
        if "JointTrajectoryController" in c.type and c.state == "active"
    ]
    assert [c.name for c in running] == [ARM]
    joints = []
    for interface in running[0].required_state_interfaces:
        name, _, quantity = interface.rpartition("/")
        if quantity == "position" and name not in joints:
            joints.append(name)
    assert joints == JOINTS
    received = panda.record(JointTrajectoryControllerState, f"/{ARM}/controller_state", 1)
    publisher = panda.publisher(JointTrajectory, f"/{ARM}/joint_trajectory", 1)
    state = panda.until(lambda: received and received[-1], "the controller's state")
    assert list(state.joint_names) == JOINTS
    target = list(state.feedback.positions)
    assert target == pytest.approx(at(panda))
    target[0] += 0.2
    publisher.publish(motion(target, 0.5))
    panda.until(lambda: max(received[-1].reference.velocities) > 0.1, "motion")
    panda.until(lambda: abs(received[-1].feedback.positions[0] - target[0]) < 1e-9, "arrival")
    assert list(received[-1].output.positions) == pytest.approx(target)
    assert list(received[-1].error.positions) == pytest.approx([0.0] * 7)


def test_trajectories_that_the_controller_rejects(panda):
    # validate_trajectory_msg of joint_trajectory_controller.cpp: Humble :1461, Rolling :1966.
    begin = at(panda)
    moving = motion(begin, velocities=[0.0] * 6 + [0.1])
    for trajectory, words in (
        (motion(begin[:6], joints=JOINTS[:6]), "allow_partial_joints_goal"),
        (motion([0.02], joints=["panda_finger_joint1"]), "allow_partial_joints_goal"),
        (motion([*begin[:6], 0.0], joints=[*JOINTS[:6], "panda_finger_joint1"]), "not one of the"),
        (moving, "allow_nonzero_velocity_at_trajectory_end"),
        (motion(begin, effort=[0.0] * 7), "efforts"),
    ):
        assert not send(panda, trajectory).accepted
        panda.until(lambda words=words: words in panda.simulator.output, words)
    for name in ("allow_partial_joints_goal", "allow_nonzero_velocity_at_trajectory_end"):
        assert panda.set_parameter("robot_simulator", name, True).successful
    assert send(panda, motion(begin[:6], joints=JOINTS[:6])).accepted
    last = send(panda, moving)
    assert last.accepted
    panda.outcome(last)  # before the next test


def test_query_state_samples_the_running_trajectory(panda):
    # query_state_service: Rolling joint_trajectory_controller.cpp:771-815.
    service = f"/{ARM}/query_state"
    now = panda.states[-1].header.stamp
    reply = panda.call(QueryTrajectoryState, service, time=now)
    assert not reply.success
    assert list(reply.name) == JOINTS
    assert list(reply.position) == pytest.approx(at(panda))
    begin = at(panda)
    trajectory = motion([begin[0] + 1.0, *begin[1:]], 100.0)
    trajectory.header.stamp = panda.states[-1].header.stamp
    handle = send(panda, trajectory)
    assert handle.accepted
    middle = trajectory.header.stamp
    middle.sec += 50
    reply = panda.call(QueryTrajectoryState, service, time=middle)
    assert reply.success
    # The simulation lags behind the clock by a tick, and more on a busy machine.
    assert reply.position[0] == pytest.approx(begin[0] + 0.5, abs=0.02)
    assert reply.velocity[0] == pytest.approx(0.01, rel=1e-2)
    middle.sec += 60
    assert not panda.call(QueryTrajectoryState, service, time=middle).success


def test_controllers_and_interfaces_are_listed(panda):
    listed = {c.name: c for c in call(panda, ListControllers).controller}
    grippers = {HAND, "gripper_action_controller", "parallel_gripper_action_controller"}
    assert set(listed) == {"joint_state_broadcaster", ARM, *grippers}
    assert list(listed[ARM].claimed_interfaces) == [f"{joint}/position" for joint in JOINTS]
    assert list(listed[HAND].claimed_interfaces) == ["panda_finger_joint1/position"]
    assert not listed["joint_state_broadcaster"].claimed_interfaces
    interfaces = call(panda, ListHardwareInterfaces)
    assert all(i.is_available and i.is_claimed for i in interfaces.command_interfaces)
    assert len(interfaces.state_interfaces) == 3 * 8
    (component,) = call(panda, ListHardwareComponents).component
    assert (component.type, component.state.label) == ("system", "active")
    types = call(panda, ListControllerTypes)
    assert "joint_trajectory_controller/JointTrajectoryController" in types.types
    assert len(types.types) == len(types.base_classes) == 4


def test_switching(panda):
    # switch_controller_cb of controller_manager.cpp, Rolling :1860-2450.
    handle = send(panda, motion([q + 0.1 for q in at(panda)], 60.0))
    assert handle.accepted
    for strictness, on, ok in (
        (STRICT, ["nobody"], False),
        (BEST_EFFORT, ["nobody"], False),
        (STRICT, [ARM], False),  # it is active
        (BEST_EFFORT, [ARM], True),
    ):
        reply = switch(panda, on=on, strictness=strictness)
        assert reply.ok == ok
    assert not switch(panda, on=["nobody"], off=[ARM]).ok
    assert states(panda)[ARM] == "active"
    assert switch(panda, off=[ARM]).ok
    outcome = panda.outcome(handle)  # on_deactivate: Rolling :1281-1296
    assert outcome.status == GoalStatus.STATUS_ABORTED
    assert outcome.result.error_code == CODES.INVALID_GOAL
    assert states(panda)[ARM] == "inactive"
    assert not send(panda, motion(at(panda))).accepted  # goal_received_callback
    assert switch(panda, on=[ARM, "nobody"], strictness=BEST_EFFORT).ok
    assert panda.outcome(send(panda, motion(at(panda), 0.1))).status == GoalStatus.STATUS_SUCCEEDED
    assert switch(panda, on=[ARM], off=[ARM]).ok  # a restart


def test_a_controller_s_life(panda):
    # As `ros2 control` and the spawner: unload, load, configure, activate.
    assert not call(panda, UnloadController, name=HAND).ok  # it is active
    assert not call(panda, LoadController, name=HAND).ok  # it is loaded
    assert not call(panda, LoadController, name="nobody").ok
    assert switch(panda, off=[HAND]).ok
    goal = GripperCommand.Goal()
    goal.command.position = 0.02
    assert not panda.send_goal(GripperCommand, f"{HAND}/gripper_cmd", goal).accepted
    assert call(panda, UnloadController, name=HAND).ok
    assert HAND not in states(panda)
    assert not switch(panda, on=[HAND]).ok
    assert call(panda, LoadController, name=HAND).ok
    assert states(panda)[HAND] == "unconfigured"
    assert not switch(panda, on=[HAND]).ok
    assert call(panda, ConfigureController, name=HAND).ok
    assert switch(panda, on=[HAND]).ok
    handle = panda.send_goal(GripperCommand, f"{HAND}/gripper_cmd", goal)
    assert panda.outcome(handle).result.reached_goal
    assert not call(panda, ReloadControllerLibraries, force_kill=False).ok
    assert call(panda, ReloadControllerLibraries, force_kill=True).ok
    assert states(panda) == {}


def test_hundreds_of_goals_while_controllers_switch(panda):
    begin = at(panda)
    client = ActionClient(panda.node, FollowJointTrajectory, ACTION)
    panda.until(client.server_is_ready, "the action")
    accepted = 0
    for number in range(0, 300, 5):  # an action server keeps ten requests
        trajectories = [motion([math.nan] * 7, 0.01), *4 * [motion(begin, 0.01)]]
        sent = [
            client.send_goal_async(FollowJointTrajectory.Goal(trajectory=trajectory))
            for trajectory in trajectories
        ]
        if number % 50 == 0:
            assert switch(panda, on=[ARM], off=[ARM]).ok
        handles = [panda.result(goal, "a reply") for goal in sent]
        assert not handles[0].accepted
        accepted += sum(handle.accepted for handle in handles)
    assert accepted == 240  # a restart leaves the controller active
    last = panda.outcome(send(panda, motion(begin, 0.1)))
    assert last.status == GoalStatus.STATUS_SUCCEEDED
    assert "Traceback" not in panda.simulator.output


def test_speed_scaling_as_joint_trajectory_controller_s(panda):
    """Halt a motion by a factor of 0, and finish it at twice the speed; speed_scaling.rst.

    A negative factor is ignored, and goal_time is no limit while time stands still.
    """
    received = panda.record(JointTrajectoryControllerState, f"/{ARM}/controller_state", 1)
    scale = panda.publisher(SpeedScalingFactor, f"/{ARM}/speed_scaling_input", LATCHED)

    def scaled(factor):
        scale.publish(SpeedScalingFactor(factor=factor))

    begin = at(panda)
    tolerance = duration_of(0.1)
    trajectory = motion([begin[0] + 0.5, *begin[1:]], 4.0)
    handle = send(panda, trajectory, goal_time_tolerance=tolerance)
    panda.until(lambda: at(panda)[0] > begin[0] + 0.02, "motion")
    scaled(0.0)
    panda.until(lambda: received and received[-1].speed_scaling_factor == 0.0, "the factor")
    assert list(received[-1].reference.velocities) == [0.0] * 7
    scaled(-1.0)
    scaled(math.nan)

    def rests():
        before = at(panda)
        panda.spin_for(0.2)  # states may be on their way
        return at(panda) == before

    panda.until(rests, "a halt")
    halted = at(panda)
    panda.spin_for(4.5)
    assert at(panda) == halted
    assert halted[0] < begin[0] + 0.4
    scaled(2.0)
    panda.until(lambda: received[-1].reference.velocities[0] > 0.2, "twice the speed")
    assert received[-1].reference.velocities[0] == pytest.approx(2.0 * 0.5 / 4.0, rel=1e-6)
    assert panda.outcome(handle).result.error_code == CODES.SUCCESSFUL
    panda.until(lambda: at(panda)[0] == pytest.approx(begin[0] + 0.5, abs=1e-3), "the goal")
    scaled(1.0)
