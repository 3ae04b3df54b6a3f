"""Invalid stamps: which ones a node rejects, and its recovery."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from rclpy.time import Time
from rigid_tree_interfaces.srv import SolveIK
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from harness.ik_server import IkServer, JointStates
from harness.poses import pose_stamped, transform_stamped
from harness.probe import LATCHED
from harness.truth import difference
from rigid_tree_kinematics.model.transforms import inverse, transform
from rigid_tree_kinematics.nodes.common.requests.message_time import (
    AHEAD,
    SECOND,
    StampCheck,
    duration_of,
)
from rigid_tree_kinematics.nodes.tf.transform_guard import SILENCE

FUTURE = 2**31 - 1  # s
TIP = "panda_link8"


class Arm:
    """A panda with its ik_server and its frames, and what is published about both."""

    def __init__(self, network):
        self.network = network
        self.panda = JointStates("panda")
        self.server = IkServer(network, robot="panda")
        network.start("tree_state_publisher", {"robot": "panda"})
        self.q = self.panda.tree.home_configuration()
        self.stand()
        self.start_listening()

    def start_listening(self) -> None:
        """Let ik_server listen to TF, which it does from the first target in a frame on."""
        self.network.publisher(TFMessage, "/tf_static", LATCHED).publish(
            TFMessage(transforms=[transform_stamped("panda_link0", "dock", np.eye(4))])
        )
        reply, error = self.call_async("dock", np.eye(4), timeout=0.05)
        assert error < 1e-5, reply.message

    def stand(self, seconds: float = 0.5) -> None:
        """Publish joint states for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.tell(self.panda.tree.position_names, self.q)
            self.network.spin_for(0.02)

    def tell(self, names, positions, seconds: int | None = None) -> None:
        """Publish a joint state of now, or of a stamp."""
        message = JointState(name=list(names), position=[float(value) for value in positions])
        message.header.stamp = self._stamp(seconds)
        self.network.publisher(JointState, "joint_states").publish(message)

    def place(self, frame: str, T, seconds: int | None = None, parent="panda_link0") -> None:
        """Publish a transform of now, or of a stamp."""
        stamped = transform_stamped(parent, frame, T)
        stamped.header.stamp = self._stamp(seconds)
        self.network.publisher(TFMessage, "/tf").publish(TFMessage(transforms=[stamped]))
        self.network.spin_for(0.02)

    def _stamp(self, seconds: int | None):
        if seconds is None:
            return self.network.node.get_clock().now().to_msg()
        return Time(seconds=seconds).to_msg()

    def call_async(self, frame: str, T_base_frame, seconds: int = 0, timeout: float = 1.0):
        """Ask for a pose near the robot in a frame; return reply and error of the solution."""
        near = self.q + 0.1
        T_base_target = self.panda.pose(self.panda.of(near), TIP)
        target = pose_stamped(inverse(T_base_frame) @ T_base_target, frame)
        target.header.stamp.sec = seconds
        limit = duration_of(timeout)
        reply = self.server.call(SolveIK.Request(body=TIP, target=target, timeout=limit))
        if not reply.success:
            return reply, np.inf
        found = self.panda.pose(reply.solutions[0], TIP)
        return reply, max(difference(found, T_base_target))

    def assert_right(self, frame: str, T_base_frame) -> None:
        reply, error = self.call_async(frame, T_base_frame)
        assert error < 1e-5, reply.message

    def link7(self):
        return self.panda.pose(self.panda.of(self.q), "panda_link7")


@pytest.fixture(scope="module")
def arm(shared_network):
    return Arm(shared_network)


def assert_quiet(arm):
    assert "TF_OLD_DATA" not in arm.network.report()
    assert len(arm.network.report().splitlines()) < 60


def test_joint_states_of_the_far_future_do_not_freeze_the_frames_of_the_robot(arm):
    arm.assert_right("panda_link7", arm.link7())
    for _ in range(3):
        arm.tell(["panda_joint1"], [-0.7], FUTURE)
    arm.stand()
    arm.q[0] = 1.0
    for _ in range(3):
        arm.stand()
        arm.tell(arm.panda.tree.position_names, np.zeros(len(arm.q)), FUTURE)  # the last word
        arm.assert_right("panda_link7", arm.link7())
    stamps = {message.transforms[0].header.stamp.sec for message in arm.network.messages}
    assert FUTURE not in stamps
    assert_quiet(arm)


def test_foreign_transforms_of_the_robots_own_frames_change_nothing(arm):
    for seconds in (FUTURE, None, 1):
        arm.place("panda_link7", transform([0.3, 0.0, 0.0]), seconds, "elsewhere")
        arm.assert_right("panda_link7", arm.link7())
    assert_quiet(arm)


def test_a_foreign_frame_is_right_between_transforms_of_the_future_and_the_past(arm):
    """The lies have the frames of the truth, come more often, and come last."""
    for step in range(4):
        T = transform([0.1 * step, 0.2, 0.0])
        arm.place("camera", T)
        for lie in (FUTURE, 1, FUTURE, 2):
            arm.place("camera", transform([5.0, 5.0, 5.0]), lie)
        arm.assert_right("camera", T)
    arm.network.publisher(TFMessage, "/tf").publish(TFMessage())  # about nothing
    arm.assert_right("camera", T)
    assert_quiet(arm)


def test_stamps_that_go_back_are_taken_when_the_newer_ones_end(arm):
    first, second = transform([0.2, 0.0, 0.0]), transform([0.3, 0.0, 0.0])
    arm.place("cart", first)
    arm.place("table", first)
    arm.assert_right("cart", first)
    arm.assert_right("table", first)
    arm.place("cart", second, 100)
    arm.assert_right("cart", first)
    arm.network.spin_for(SILENCE + 0.2)
    arm.place("cart", second, 101)
    arm.assert_right("cart", second)
    arm.assert_right("table", first)  # another frame stays
    assert_quiet(arm)


def test_a_loop_of_frames_is_opened_when_its_wrong_link_does_not_come_again(arm):
    T = transform([0.2, 0.0, 0.0])
    arm.place("panda_link0", T, parent="panda_link3")
    arm.network.spin_for(SILENCE + 0.2)
    arm.stand()
    arm.place("box", T)
    arm.assert_right("box", T)
    assert_quiet(arm)


def test_target_in_the_future_is_rejected_immediately(arm):
    reply, _ = arm.call_async("panda_link7", arm.link7(), FUTURE)
    assert reply.code == SolveIK.Response.INVALID_REQUEST
    assert "ahead of this node's clock, more than 2 s" in reply.message


def test_a_target_from_a_machine_whose_clock_is_ahead_is_relative_to_the_latest_frame(arm):
    arm.stand()
    T = transform([0.4, 0.1, 0.0])
    arm.place("camera_2", T)
    for frame, T_base_frame in (("panda_link7", arm.link7()), ("camera_2", T)):
        reply, error = arm.call_async(frame, T_base_frame, int(time.time() + AHEAD))
        assert error < 1e-5, reply.message


def test_a_past_target_in_an_own_frame_is_where_the_robot_was(arm):
    """The first question about the past asks TF, later ones the joint states."""
    for _ in range(2):
        arm.stand(1.5)
        # A whole second, between two joint states.
        seconds = int(time.time() - 0.1)
        reply, error = arm.call_async("panda_link7", arm.link7(), seconds)
        assert error < 1e-5, reply.message


def test_external_frames_follow_jumps_of_simulated_time(network):
    """Data of a later time is removed; no stamp is accepted before time begins."""
    panda = JointStates("panda")
    server = IkServer(network, robot="panda", use_sim_time=True)
    states = panda.random(1, seed=3)
    T_base_target = panda.pose(states[0], TIP)
    clock = network.publisher(Clock, "/clock")
    frames = network.publisher(TFMessage, "/tf")

    def solution(seconds: int | None, T):
        """Say the time and put the camera there; return where its target is found to be."""
        if seconds is not None:
            clock.publish(Clock(clock=Time(seconds=seconds).to_msg()))
            network.spin_for(0.1)
        stamped = transform_stamped("panda_link0", "camera", T)
        stamped.header.stamp.sec = seconds or 50
        frames.publish(TFMessage(transforms=[stamped]))
        network.spin_for(0.1)
        target = pose_stamped(inverse(T) @ T_base_target, "camera")
        reply = server.call(SolveIK.Request(body=TIP, target=target, timeout=Duration(sec=2)))
        assert reply.success == (seconds is not None), reply.message
        return panda.pose(reply.solutions[0], TIP) if reply.success else None

    solution(None, np.eye(4))  # from now on the server listens
    assert solution(None, np.eye(4)) is None
    network.log_line(server.process, "no time has been received on /clock yet")
    for step, seconds in enumerate((500, FUTURE, 100, 600, 99, 98)):
        found = solution(seconds, transform([0.1 * step, 0.0, 0.0]))
        assert max(difference(found, T_base_target)) < 1e-5


class ManualClock:
    """A node whose clock is set by hand."""

    def __init__(self):
        self.seconds = 0.0

    def get_clock(self):
        return SimpleNamespace(
            now=lambda: SimpleNamespace(nanoseconds=int(self.seconds * SECOND)),
            create_jump_callback=lambda *_, **__: None,
        )


def test_stamps_are_accepted_by_the_nodes_clock_wherever_it_jumps():
    node, jumps = ManualClock(), []
    check = StampCheck(node, lambda: jumps.append(node.seconds))

    def accepted(seconds):
        return not check.problem(int(seconds * SECOND))

    assert accepted(0.0)
    assert "/clock" in check.problem(100 * SECOND)  # simulated time has not begun
    for now in (100.0, 1e9, 50.0, 49.0, 49.0, 200.0):
        node.seconds = now
        assert accepted(now + AHEAD)
        assert not accepted(now + AHEAD + 0.01)
        assert not accepted(FUTURE)
        assert accepted(0.0)
        assert accepted(now - 40.0)
        assert "before zero" in check.problem(-1)
    assert jumps == [50.0, 49.0]
