"""A simulated NAO, its nao_bridge, and a probe."""

import copy
import itertools
from importlib.util import find_spec

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from sensor_msgs.msg import JointState

from harness.network import Network
from harness.poses import matrix_of
from harness.processes import free_port
from nao_harness.requests import lists
from nao_harness.simulated import SimulatedNao
from rigid_tree_nao.nodes.methods import METHODS

if find_spec("qi") is None:  # not imported: it crashes beside coal
    pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)", allow_module_level=True)

RECENT = 50  # TF messages: a second of them
KINDS = {method.name: method.kind for method in METHODS.values()}
ACTIONS = {method.name: method.action.kind for method in METHODS.values() if method.action}


class Bridge:
    """A robot with a bridge, whose messages are recorded."""

    def __init__(self, directory, namespace="nao", robot=(), **parameters):
        self._robot_arguments = robot
        self.namespace = namespace
        self.network = Network(directory)
        self.port = free_port()
        self._directory = directory
        self._count = itertools.count(1)
        self.start_robot()
        self._start(parameters)

    def _start(self, parameters):
        self.process = self.network.start(
            "nao_bridge", {"nao_port": self.port, **parameters}, self.namespace
        )
        self.states = self.network.record(JointState, f"/{self.namespace}/joint_states")
        self.diagnostics = self.network.record(DiagnosticArray, "/diagnostics")

    def another(self):
        """Return another bridge to the same robot, which a test can kill.

        Its namespace is new: killed nodes remain in the graph for a while.
        """
        made = copy.copy(self)
        made.namespace = f"{self.namespace}_{next(self._count)}"
        made._start({})
        return made

    def start_robot(self):
        self.robot = SimulatedNao(self.port, self._directory, *self._robot_arguments)

    def close(self):
        try:
            self.network.close()
        finally:
            self.robot.end()

    def until(self, condition, what):
        return self.network.until(condition, what)

    # -- services --------------------------------------------------------------------------------

    def client(self, name, kind=None):
        return self.network.client(kind or KINDS[name], f"/{self.namespace}/{name}")

    def start(self, name, /, **fields):
        return self.client(name).call_async(KINDS[name].Request(**fields))

    def call(self, name, /, **fields):
        return self.network.result(self.start(name, **fields), f"reply of {name}")

    def value(self, name, /, **fields):
        reply = self.call(name, **fields)
        assert reply.success, f"{name}: {reply.message}"
        return reply

    def wake_up(self):
        """Wake the robot up and stop its motions."""
        self.until(lambda: self.call("kill_all").success, "the robot")
        if not self.value("robot_is_wake_up").value:
            self.value("wake_up")

    def stand_up(self):
        """Wake the robot up and move it to StandInit."""
        self.wake_up()
        if self.value("get_posture").text != "StandInit":
            self.value("go_to_posture", posture_name="StandInit", speed=1.0)

    def place(self):
        return np.array(self.value("get_robot_position", use_sensors=True).position)

    def walks(self):
        return self.value("move_is_active").value

    def walk_by_topic(self):
        """Publish a velocity, which is obeyed for a moment only, until the robot walks."""
        publisher = self.publisher(Twist, "cmd_vel")
        message = Twist()
        message.linear.x = 0.05

        def walks():
            publisher.publish(message)
            return self.walks()

        self.until(walks, "the walk")
        return publisher

    # -- actions ---------------------------------------------------------------------------------

    def send_goal(self, name, received=None, /, **fields):
        kind = ACTIONS[name]
        return self.network.send_goal(
            kind, f"/{self.namespace}/{name}", kind.Goal(**fields), received
        )

    def result_of(self, handle):
        return self.network.outcome(handle)

    # -- topics ----------------------------------------------------------------------------------

    def publisher(self, kind, topic):
        return self.network.publisher(kind, f"/{self.namespace}/{topic}")

    def sensed(self, joint):
        """Return a joint's sensed angle from the robot."""
        return self.value("get_angles", names=[joint], use_sensors=True).angles[0]

    def read(self, count):
        """Wait for this number of joint states, 50 a second of the robot's; return them."""
        first = len(self.states)
        self.until(lambda: len(self.states) >= first + count, "joint states")
        return self.states[first : first + count]

    def rest(self):
        """Wait until the joints have not moved for a while."""
        self.until(lambda: np.abs([s.velocity for s in self.read(10)]).max() < 1e-6, "a rest")

    def angle(self, joint):
        """Return a joint's angle in the next joint state."""
        (state,) = self.read(1)
        return state.position[state.name.index(joint)]

    def angles(self, joint, first):
        """Return a joint's angles in all joint states since a first one, by its number."""
        return [state.position[state.name.index(joint)] for state in self.states[first:]]

    def frames(self):
        """Return the latest (parent, T_parent_frame) by frame."""
        latest = {}
        for message in [*self.network.static, *self.network.messages[-RECENT:]]:
            for stamped in message.transforms:
                place = stamped.header.frame_id, matrix_of(stamped.transform)
                latest[stamped.child_frame_id] = place
        return latest

    def pose_in_tf(self, frame, root):
        """Return T_root_frame, once all frames between them were received."""

        def chain():
            frames, transforms, name = self.frames(), [np.eye(4)], frame
            while name != root and name in frames:
                name, T_parent = frames[name]
                transforms.insert(0, T_parent)
            return transforms if name == root else None

        return np.linalg.multi_dot([np.eye(4), *self.until(chain, f"{frame} in {root}")])

    def level(self, part):
        """Return the level and message of a part's next diagnostics."""
        count = len(self.diagnostics)

        def received():
            name = f"/{self.namespace}/nao_bridge: {part}"
            statuses = (
                status for message in self.diagnostics[count:] for status in message.status
            )
            return [status for status in statuses if status.name == name]

        status = self.until(received, f"diagnostics of {part}")[-1]
        return status.level, status.message


def slow_turn(seconds):
    return {
        "names": ["HeadYaw"],
        "angle_lists": lists([1.0]),
        "time_lists": lists([seconds]),
        "is_absolute": True,
    }
