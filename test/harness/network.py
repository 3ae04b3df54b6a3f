"""A ROS network of the test's own, nodes in real processes, and ears for what they publish."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from rcl_interfaces.msg import Parameter, SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter as RclpyParameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MEETING = 1  # s, stamp of a first joint state, repeated until node and test have met
TIMEOUT = 20.0  # s; a bound for what never happens, not a time that anything takes


class Process:
    """One node in its own process, with what it says."""

    def __init__(self, module: str, directory: Path, number: int, arguments: list[str]) -> None:
        self._log = directory / f"log_{number}"
        command = [sys.executable, "-m", f"rigid_tree_kinematics.nodes.{module}", *arguments]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)

    @property
    def output(self) -> str:
        return self._log.read_text()

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """Ask the process to end; return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(how)
        return self.wait()

    def wait(self) -> int:
        try:
            return self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise


class Network:
    """A node of the test with ears on /tf, /tf_static and the descriptions."""

    latched = LATCHED

    def __init__(self, directory: Path) -> None:
        self.node = Node("test_network")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._directory = directory
        self._processes: list[Process] = []
        self.messages: list[TFMessage] = []
        self.static: list[TFMessage] = []
        self.node.create_subscription(TFMessage, "/tf", self.messages.append, 1000)
        self.node.create_subscription(TFMessage, "/tf_static", self.static.append, LATCHED)
        self._publishers: dict[str, Any] = {}
        self.stamp = 1000  # s, of the next joint state

    def start(
        self, module: str, parameters: dict[str, Any] | None = None, namespace: str = ""
    ) -> Process:
        """Start a node with these parameters."""
        number = len(self._processes)
        path = self._directory / f"parameters_{number}.yaml"
        path.write_text(yaml.safe_dump({"/**": {"ros__parameters": parameters or {}}}))
        arguments = ["--ros-args", "--params-file", str(path)]
        if namespace:
            arguments += ["-r", f"__ns:=/{namespace}"]
        process = Process(module, self._directory, number, arguments)
        self._processes.append(process)
        return process

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Spin until the condition is true; return its value."""
        deadline = time.monotonic() + TIMEOUT
        while not (value := condition()):
            if time.monotonic() > deadline:
                logs = "\n".join(process.output for process in self._processes)
                pytest.fail(f"never happened: {what or condition}\n{logs}")
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def publisher(self, message_type: type, topic: str, qos: Any = 100) -> Any:
        """Return a publisher that somebody listens to."""
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(message_type, topic, qos)
        made = self._publishers[topic]
        self.until(made.get_subscription_count, f"a subscription of {topic}")
        return made

    def send(self, positions: dict[str, float], stamp: int, topic: str = "joint_states") -> None:
        """Publish joint positions once; ``answer`` before it makes sure that all are connected."""
        message = JointState(name=list(positions), position=list(positions.values()))
        message.header.stamp.sec = stamp
        self.publisher(JointState, topic).publish(message)

    def answer(
        self,
        positions: dict[str, float],
        topic: str = "joint_states",
        stamp: int | None = None,
    ) -> TFMessage:
        """Publish joint positions until the TFMessage with their stamp comes; return it."""
        self.stamp += 1
        chosen = self.stamp if stamp is None else stamp
        return self.frames_at(chosen, lambda: self.send(positions, chosen, topic))

    def frames_at(self, stamp: int, publish: Callable[[], None] = lambda: None) -> TFMessage:
        """Publish, again where nothing comes back, until there are frames of this stamp."""
        turn = itertools.count()

        def found() -> TFMessage | None:
            if next(turn) % 10 == 0:  # spin_once waits for at most 50 ms
                publish()
            for message in self.messages:
                if message.transforms[0].header.stamp.sec == stamp:
                    return message
            return None

        return self.until(found, f"frames of stamp {stamp}")

    def stamps(self) -> list[int]:
        """Return the stamps (s) of all frames but those of MEETING, in order of arrival."""
        stamps = [message.transforms[0].header.stamp.sec for message in self.messages]
        return [stamp for stamp in stamps if stamp != MEETING]

    def call(self, service_type: type, name: str, request: Any) -> Any:
        """Return the reply of a service."""
        client = self.node.create_client(service_type, name)
        self.until(client.service_is_ready, f"service {name}")
        future = client.call_async(request)
        self.until(future.done, f"answer of {name}")
        self.node.destroy_client(client)
        return future.result()

    def set_parameter(self, node: str, name: str, value: Any) -> SetParametersResult:
        """Set a parameter through the node's service."""
        parameter: Parameter = RclpyParameter(name, value=value).to_parameter_msg()
        request = SetParameters.Request(parameters=[parameter])
        return self.call(SetParameters, f"{node}/set_parameters", request).results[0]

    def descriptions(self, topic: str = "robot_description") -> list[str]:
        """Return a list that grows with every description heard."""
        heard: list[str] = []
        self.node.create_subscription(String, topic, lambda m: heard.append(m.data), LATCHED)
        return heard

    def close(self) -> None:
        codes = [process.end() for process in self._processes]
        self._executor.shutdown()
        self.node.destroy_node()
        assert not any(code < 0 for code in codes), f"nodes ended by signals: {codes}"


def poses_in(*messages: TFMessage) -> dict[str, np.ndarray]:
    """Return every frame of these messages in the root frame, as 4x4."""
    links = {
        stamped.child_frame_id: (stamped.header.frame_id, matrix_of(stamped.transform))
        for message in messages
        for stamped in message.transforms
    }

    def pose(frame: str) -> np.ndarray:
        if frame not in links:
            return np.eye(4)
        parent, T_parent_frame = links[frame]
        return pose(parent) @ T_parent_frame

    return {frame: pose(frame) for frame in links}


def matrix_of(message: Any) -> np.ndarray:
    shift, turn = message.translation, message.rotation
    rotation = quaternion_matrix([turn.x, turn.y, turn.z, turn.w])
    return transform([shift.x, shift.y, shift.z], rotation)
