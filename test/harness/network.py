"""A ROS network of a test: nodes in their processes, and a probe."""

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from harness.probe import LATCHED_BY_MANY, Probe
from harness.processes import Process, fresh
from harness.start.domains import Domain
from harness.start.forked import Fork

MEETING = 1  # s, stamp of joint states sent before nodes have discovered the test


class Network(Probe):
    """A domain with nodes in their processes, and a probe that records /tf and /tf_static."""

    def __init__(self, directory: Path) -> None:
        self._domain = Domain()
        super().__init__(self._domain.number)
        self._directory = directory
        self._processes: list[Process] = []
        self.messages: list[TFMessage] = self.record(TFMessage, "/tf", 1000)
        self.static: list[TFMessage] = self.record(TFMessage, "/tf_static", LATCHED_BY_MANY)
        self.stamp = 1000  # s, of the next joint state

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that put a process into this network."""
        return self._domain.environment

    def start(
        self, node: str, parameters: dict[str, Any] | None = None, namespace: str = ""
    ) -> Process:
        """Start a node with these parameters."""
        return self.start_process(node, {"/**": parameters or {}}, namespace)

    def start_process(
        self, executable: str, parameters: dict[str, dict[str, Any]], namespace: str, *words: str
    ) -> Process:
        """Start an executable of the package with parameters by node and arguments."""
        number = len(self._processes)
        path = self._directory / f"parameters_{number}.yaml"
        by_node = {node: {"ros__parameters": own} for node, own in parameters.items()}
        path.write_text(yaml.safe_dump(by_node))
        command = [executable, *words, "--ros-args", "--params-file", str(path)]
        if namespace:
            command += ["-r", f"__ns:=/{namespace}"]
        return self._begin(command, Fork)

    def rejected(self, node: str, parameters: dict[str, Any]) -> str:
        """Start a node with bad parameters; return the one line that it ends with."""
        process = self.start(node, parameters)
        assert process.wait() == 1, (parameters, process.output)
        assert process.output.count("\n") == 1, process.output
        return process.output

    def start_program(self, arguments: list[str]) -> Process:
        """Start a fresh Python with these arguments."""
        return self._begin([sys.executable, *arguments], fresh)

    def _begin(self, command: list[str], how: Callable[..., Any]) -> Process:
        log = self._directory / f"log_{len(self._processes)}"
        process = Process(command, log, self._domain.environment, how)
        self._processes.append(process)
        self.reset_discovery()
        return process

    def report(self) -> str:
        return "\n".join(process.output for process in self._processes)

    def close(self) -> None:
        """Stop all nodes; none of them must have crashed."""
        for process in self._processes:
            if process.is_running:
                process.interrupt()
        try:
            for process in self._processes:
                process.wait()
        finally:
            for process in self._processes:
                process.kill()
            super().close()
            self._domain.close()
        crashed = [process.output for process in self._processes if process.crashed]
        assert not crashed, f"ended by a signal: {crashed}"

    def log_line(self, process: Process, words: str) -> None:
        """Wait until a process has written a text."""
        self.until(lambda: words in process.output, f"'{words}' in the output")

    def send(self, positions: dict[str, float], stamp: int, topic: str = "joint_states") -> None:
        """Publish joint positions once; call ``answer`` before, so that all are connected."""
        message = JointState(name=list(positions), position=list(positions.values()))
        message.header.stamp.sec = stamp
        self.publisher(JointState, topic).publish(message)

    def answer(
        self,
        positions: dict[str, float],
        topic: str = "joint_states",
        stamp: int | None = None,
    ) -> TFMessage:
        """Publish joint positions until the TFMessage with their stamp arrives; return it."""
        self.stamp += 1
        chosen = self.stamp if stamp is None else stamp
        return self.frames_at(chosen, lambda: self.send(positions, chosen, topic))

    def frames_at(self, stamp: int, publish: Callable[[], None] = lambda: None) -> TFMessage:
        """Publish repeatedly until frames of a stamp arrive; return them."""
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
        """Return the stamps (s) of all frames except MEETING, in order of arrival."""
        stamps = [message.transforms[0].header.stamp.sec for message in self.messages]
        return [stamp for stamp in stamps if stamp != MEETING]

    def descriptions(self, topic: str = "robot_description") -> list[str]:
        """Return a list that receives all descriptions."""
        received: list[str] = []
        self.node.create_subscription(
            String, topic, lambda m: received.append(m.data), LATCHED_BY_MANY
        )
        return received
