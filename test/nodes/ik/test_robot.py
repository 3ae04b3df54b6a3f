"""Sources of ik_server's robot and current state, including invalid ones."""

import signal

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from harness.ik_server import IkServer, JointStates
from harness.poses import pose_stamped
from harness.probe import LATCHED
from harness.truth import difference

Codes = SolveIK.Response


def test_no_robot_then_one_then_another_and_an_invalid_one_rejected(network):
    panda, ur5 = JointStates("panda"), JointStates("ur5")
    request = SolveIK.Request(
        body="panda_link8",
        target=pose_stamped(panda.pose(panda.random(1, seed=1)[0], "panda_link8")),
    )
    server = IkServer(network)
    reply = server.call(request)
    assert (reply.success, reply.code) == (False, Codes.NO_ROBOT)
    assert "/robot_description" in reply.message
    assert server.call(ComputeFK.Request()).code == ComputeFK.Response.NO_ROBOT

    publisher = network.publisher(String, "robot_description", LATCHED)
    publisher.publish(String(data=panda.urdf))
    network.log_line(server.process, "robot 'panda'")
    assert server.call(request).success

    publisher.publish(String(data=panda.urdf.replace('<joint name="panda_joint3"', "<joint")))
    network.log_line(server.process, "rejected the robot description")
    assert "robot 'panda' is kept" in server.process.output
    assert server.call(request).success

    publisher.publish(String(data=ur5.urdf))
    network.log_line(server.process, "robot 'ur5'")
    tip = ur5.tree.compiled().body_names[-1]
    T = ur5.pose(ur5.random(1, seed=2)[0], tip)
    reply = server.call(SolveIK.Request(body=tip, target=pose_stamped(T)))
    assert reply.success, reply.message
    assert max(difference(ur5.pose(reply.solutions[0], tip), T)) < 1.1e-6
    reply = server.call(request)
    assert reply.code == Codes.INVALID_REQUEST
    assert "ur5" in reply.message


def test_the_robot_may_change_while_requests_are_worked_on(network):
    """Each answer belongs to one of the two robots, whole; nothing else goes wrong."""
    panda, ur5 = JointStates("panda"), JointStates("ur5")
    server = IkServer(network, robot="panda")
    codes = set()
    for turn in range(6):
        name = ("ur5", "panda")[turn % 2]
        change = Parameter("robot", value=name).to_parameter_msg()
        changed = network.call_async(
            SetParameters, "ik_server/set_parameters", parameters=[change]
        )
        for truth, state in zip([panda, ur5] * 5, panda.random(10, seed=3), strict=True):
            body = truth.tree.compiled().body_names[-1]
            request = ComputeFK.Request(bodies=[body])
            if truth is panda:
                request.joint_state = state
            reply = server.call(request)
            codes.add(reply.code)
            assert reply.code in (0, ComputeFK.Response.INVALID_REQUEST), reply.message
        assert network.result(changed, "the change of the robot").results[0].successful
    assert codes == {0, ComputeFK.Response.INVALID_REQUEST}
    assert server.process.is_running


def test_the_current_state_is_the_seed_and_comes_in_parts(network):
    panda = JointStates("panda")
    state = panda.random(1, seed=4)[0]
    server = IkServer(network, robot="panda")
    publisher = network.publisher(JointState, "joint_states", qos_profile_sensor_data)

    def pose_now():
        pose = server.call(ComputeFK.Request(bodies=["panda_link8"])).poses[0].pose
        return np.array([pose.position.x, pose.position.y, pose.position.z])

    def expect(positions, names=None):
        """Publish until the server has it: best effort may lose a message."""
        message = JointState(name=names or list(state.name), position=positions)
        T = panda.pose(JointState(name=state.name, position=known.values()), "panda_link8")

        def arrived():
            publisher.publish(message)
            return np.abs(pose_now() - T[:3, 3]).max() < 1e-9

        network.until(arrived, "the joint state in the server")

    known = dict.fromkeys(state.name, 0.0)
    known.update(zip(state.name, panda.tree.home_configuration(), strict=True))
    for part in (slice(0, 3), slice(3, 7)):
        names = list(state.name)[part]
        known.update(zip(names, state.position[part], strict=True))
        # Joints of somebody else's are no matter.
        expect([*state.position[part], 1.0], [*names, "gripper_of_another_robot"])

    publisher.publish(JointState(name=["panda_joint1"], position=[float("nan")]))
    network.log_line(server.process, "positions that are not finite: panda_joint1 = nan")
    known["panda_joint4"] = state.position[3] + 0.01
    bad_and_good = [float("nan"), known["panda_joint4"]]
    expect(bad_and_good, ["panda_joint1", "panda_joint4"])
    known["panda_joint2"] = float(np.clip(state.position[1] + 0.01, -1.7, 1.7))
    expect([known["panda_joint2"]], ["panda_joint2"])

    request = SolveIK.Request(
        body="panda_link8", target=pose_stamped(panda.pose(state, "panda_link8"))
    )
    reply = server.call(request)
    assert reply.success, reply.message
    assert np.abs(np.array(reply.solutions[0].position) - state.position).max() < 0.1


def test_several_solutions_are_distinct_and_the_nearest_comes_first(network):
    ur5 = JointStates("ur5")
    tip = ur5.tree.compiled().body_names[-1]
    server = IkServer(network, robot="ur5")
    for seed in ur5.random(3, seed=5):
        T = ur5.pose(seed, tip)
        reply = server.call(
            SolveIK.Request(body=tip, target=pose_stamped(T), seed=seed, max_solutions=4)
        )
        assert reply.success, reply.message
        assert 2 <= len(reply.solutions) <= 4
        found = np.array([solution.position for solution in reply.solutions])
        assert np.linalg.norm(found - seed.position, axis=1).argmin() == 0
        for solution in reply.solutions:
            assert max(difference(ur5.pose(solution, tip), T)) < 1.1e-6


def test_equal_requests_get_equal_answers(network):
    panda = JointStates("panda")
    T = panda.pose(panda.random(1, seed=6)[0], "panda_link8")
    answers = []
    for _ in range(2):
        server = IkServer(network, robot="panda", random_seed=7)
        request = SolveIK.Request(body="panda_link8", target=pose_stamped(T))
        answers.append(list(server.call(request).solutions[0].position))
        server.process.end()
    assert answers[0] == answers[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_cleanly_when_asked_to(network, number):
    server = IkServer(network, robot="panda")
    # A request that waits must not hold the end up.
    request = SolveIK.Request(body="panda_link8")
    request.target.header.frame_id = "atlantis"
    request.timeout.sec = 3600
    server.call_async(request)
    network.spin_for(0.2)
    assert server.process.end(number) == 0
    assert "Traceback" not in server.process.output
