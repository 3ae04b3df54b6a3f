"""Access control of web_viewer's page."""

import re

import pytest
from sensor_msgs.msg import JointState
from websockets.exceptions import InvalidStatus

from harness.page.client import CAMERA, get, open_line, send, slider

JOINT = "panda_joint1"


class Robot:
    """A simulated robot with its page, and where its first joint is."""

    def __init__(self, network):
        self.network = network
        self.states = network.record(JointState, "joint_states")
        network.start("robot_simulator", {"robot": "panda"})
        network.start("tree_state_publisher", {"robot": "panda"})
        self.viewer = network.start("web_viewer", {"port": 0})
        found = network.until(
            lambda: re.search(r"http://localhost:(\d+)", self.viewer.output), "the page's address"
        )
        self.port = int(found[1])
        network.log_line(self.viewer, "showing robot")
        network.until(lambda: self.states, "joint states")

    def steer(self, to=1.2, **headers):
        """Ask for a slider's move; return where the joint is afterwards, rad."""
        with open_line(self.port, **headers) as line:
            send(line, CAMERA)
            uuid = slider(line, JOINT)
            for goal in (to - 0.1, to):
                send(line, {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": goal}})
            self.network.until(lambda: abs(self.position - to) < 0.01, "the joint's arrival")
        return self.position

    @property
    def position(self):
        return self.states[-1].position[0]


@pytest.fixture(scope="module")
def robot(shared_network):
    return Robot(shared_network)


def test_foreign_pages_cannot_move_the_robot(robot):
    here = f"http://localhost:{robot.port}"
    robot.steer(0.5, origin=here)
    foreign = [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": f"evil.example:{robot.port}"},
        {"host": "evil.example", "origin": "http://evil.example"},  # DNS rebinding
    ]
    for headers in foreign:
        with pytest.raises(InvalidStatus, match="403"):
            robot.steer(**headers)
    assert get(robot.port, Host="evil.example")[0] == 403
    assert robot.position == pytest.approx(0.5, abs=0.01)
    robot.network.log_line(robot.viewer, "rejected a request for the page")
    assert robot.steer(origin=here) == pytest.approx(1.2, abs=0.01)


def test_values_that_no_slider_has_do_not_move_the_robot_beyond_it(robot):
    with open_line(robot.port) as line:
        send(line, CAMERA)
        uuid = slider(line, JOINT)
        for goal in (float("nan"), float("inf"), "text", 1e308):
            send(line, {"type": "GuiUpdateMessage", "uuid": uuid, "updates": {"value": goal}})
        robot.network.until(lambda: robot.position > 2.89, "the joint at its limit, 2.8973 rad")
    assert robot.position <= 2.8974
    assert "Traceback" not in robot.viewer.output
