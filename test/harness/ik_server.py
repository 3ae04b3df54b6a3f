"""An ik_server process, and a node in this process that talks to it over the network."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pinocchio
import rclpy
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState
from tf2_ros import StaticTransformBroadcaster

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.model.transforms import matrix_quaternion

DOMAIN = 1 + os.getpid() % 49  # of this test process; launch tests have theirs above
# A client forgets all but its last ten replies, should more arrive at once, unless told otherwise.
MANY = QoSProfile(depth=100)
PATIENCE = 30.0  # s, far more than anything here takes

Codes = SolveIK.Response


class ServerProcess:
    """ik_server with parameters, started as ``ros2 run`` would start it."""

    def __init__(self, **parameters: object) -> None:
        arguments = [f"-p{name}:={value}" for name, value in parameters.items()]
        arguments = [part for text in arguments for part in (text[:2], text[2:])]
        self._log = tempfile.TemporaryFile("a+")  # noqa: SIM115 - as long as the process
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "rigid_tree_kinematics.nodes.ik_server",
                *(["--ros-args", *arguments] if arguments else []),
            ],
            env={
                **os.environ,
                "ROS_DOMAIN_ID": str(DOMAIN),
                "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            },
            stdout=self._log,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def output(self) -> str:
        self._log.seek(0)
        return self._log.read()

    @property
    def resident_kilobytes(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def wait_for_output(self, text: str) -> None:
        wait_until(lambda: text in self.output, f"'{text}' in the output")

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def running(**parameters: object):
    server = ServerProcess(**parameters)
    try:
        yield server
        # A process that is killed stays in the others' view of the network for many seconds.
        if server.process.poll() is None:
            assert server.stop() == 0, server.output
    finally:
        server.process.kill()
        server.process.wait()


def wait_until(condition, what: str) -> None:
    """Return when a condition holds; fail if it never does."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.01)


class Caller:
    """A node that calls the services; its callbacks run in a thread."""

    def __init__(self, name: str = "ik_caller") -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.node = rclpy.create_node(name, context=self.context)
        self.ik = self.node.create_client(SolveIK, "inverse_kinematics", qos_profile=MANY)
        self.fk = self.node.create_client(ComputeFK, "forward_kinematics", qos_profile=MANY)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        with contextlib.suppress(rclpy.executors.ExternalShutdownException):
            self._executor.spin()

    def close(self) -> None:
        rclpy.shutdown(context=self.context)
        self._thread.join()

    def ready(self) -> Caller:
        """Return this when both services are there."""
        for client in (self.ik, self.fk):
            assert client.wait_for_service(PATIENCE), client.srv_name
        return self

    def start(self, request):
        """Send a request; return what waits for the reply."""
        client = self.ik if isinstance(request, SolveIK.Request) else self.fk
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())

        def reply():
            assert done.wait(PATIENCE), "no reply"
            return future.result()

        return reply

    def call(self, request):
        return self.start(request)()

    def send_transform(self, parent: str, child: str, T: np.ndarray) -> None:
        """Publish a static transform."""
        if not hasattr(self, "_broadcaster"):
            self._broadcaster = StaticTransformBroadcaster(self.node)
        message = TransformStamped()
        message.header.frame_id, message.child_frame_id = parent, child
        pose = pose_stamped(T).pose
        message.transform.translation.x = pose.position.x
        message.transform.translation.y = pose.position.y
        message.transform.translation.z = pose.position.z
        message.transform.rotation = pose.orientation
        self._broadcaster.sendTransform(message)


class Truth:
    """Forward kinematics of a bundled robot by Pinocchio."""

    def __init__(self, name: str) -> None:
        self.tree = load_robot(name)
        self.urdf = write_urdf(self.tree)
        self.model = pinocchio.buildModelFromXML(self.urdf)
        self.data = self.model.createData()

    def pose(self, state: JointState, body: str, base: str | None = None) -> np.ndarray:
        q = pinocchio.neutral(self.model)
        for name, position in zip(state.name, state.position, strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q] = position
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        T = self._frame(body)
        return T if base is None else np.linalg.inv(self._frame(base)) @ T

    def _frame(self, body: str) -> np.ndarray:
        return self.data.oMf[self.model.getFrameId(body)].homogeneous

    def state(self, configuration: np.ndarray) -> JointState:
        return JointState(name=self.tree.position_names, position=configuration.tolist())

    def random_states(self, count: int, seed: int) -> list[JointState]:
        rng = np.random.default_rng(seed)
        return [self.state(self.tree.random_configuration(rng)) for _ in range(count)]

    def is_within_limits(self, state: JointState) -> bool:
        compiled = self.tree.compiled()
        q = np.array(state.position)
        return bool((q >= compiled.lower).all() and (q <= compiled.upper).all())


def pose_stamped(T: np.ndarray, frame: str = "") -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    p, o = message.pose.position, message.pose.orientation
    p.x, p.y, p.z = (float(value) for value in T[:3, 3])
    o.x, o.y, o.z, o.w = (float(value) for value in matrix_quaternion(T[:3, :3]))
    return message


def difference(A: np.ndarray, B: np.ndarray) -> tuple[float, float]:
    """Return the distance of two poses, m and rad."""
    turn = pinocchio.log3(A[:3, :3].T @ B[:3, :3])
    return float(np.linalg.norm(A[:3, 3] - B[:3, 3])), float(np.linalg.norm(turn))
