"""Sends invalid data to a node through all its services, actions, topics and parameters.

The node's interfaces are read from the running graph, so that none is missed. After each round the
node must be running, every request must have a response, and the log must not report a defect.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from action_msgs.srv import CancelGoal
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import serialize_message

from benchmarks.robustness.hostile_values import FLOATS, TEXTS, Worst, type_of
from rigid_tree_kinematics.description.robots import bundled_folder

MANY = QoSProfile(depth=1000)
# Transient local, so that all subscriptions match.
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
UNDER_WAY = 8  # concurrent requests
PATIENCE = 30.0  # s, after which a request is unanswered; the longest time limit sent is 2 s
DISCOVERY = 20.0  # s
APPEARANCE = 300.0  # s, with time to compile kernels
MESSAGES_SHARE, PARAMETERS_SHARE = 0.35, 0.15
CUTS = (0, 1, 3, 4, 8, 11)

# The nodes and their robots. frame_watch is excluded: its tf2 listener logs names without
# escaping them.
VICTIMS = {
    "ik_server": "panda",
    "joint_state_source": "panda",
    "move_group": "panda_hand",
    "nao_bridge": "nao_v6",
    "robot_simulator": "panda",
    "rrt_planner": "panda",
    "servo_node": "panda_hand",
    "tree_state_publisher": "panda",
    "web_viewer": "panda",
}


def victim_parameters(name: str, nao_port: int = 0) -> dict[str, Any]:
    """Return a node's parameters; ``nao_port`` is the port of a simulated NAO."""
    robot = VICTIMS[name]
    if name == "nao_bridge":
        return {"nao_port": nao_port}
    if name == "web_viewer":  # gets its robot from the topic
        return {"port": 0}
    if name in ("move_group", "servo_node"):
        return {"robot": robot, "srdf": str(bundled_folder("robots") / f"{robot}.srdf")}
    return {"robot": robot}


@dataclass
class Outcome:
    """Results of the data sent to a node."""

    requests: int = 0
    messages: int = 0
    unanswered: list[str] = field(default_factory=list)
    slowest: float = 0.0  # s
    slowest_service: str = ""


@dataclass(eq=False)
class _Pending:
    future: Any
    name: str
    begin: float
    client: Any


class Attacker:
    """Sends invalid data to a node.

    Args:
        node: node of this client; only this class spins its ``executor``.
        target: name of the attacked node.
        rng: random generator for the data.
        words, names: see ``Worst``.
    """

    def __init__(
        self,
        node: Node,
        executor: SingleThreadedExecutor,
        target: str,
        rng: random.Random,
        words: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> None:
        self._node = node
        self._executor = executor
        self._target = target
        self._rng = rng
        self._worst = Worst(rng, words, names)
        self._words = list(words)
        self._pending: list[_Pending] = []
        self._clients: dict[str, Any] = {}
        self._publishers: dict[str, Any] = {}
        self._uuids: list[Any] = []
        self.outcome = Outcome()
        self.services = self._found_services()
        self.topics = self._found_topics()
        self._parameters = self._found_parameters()

    # -- interfaces ------------------------------------------------------------------------------

    def _wait(self, condition: Callable[[], Any], seconds: float) -> Any:
        deadline = time.monotonic() + seconds
        while not (value := condition()) and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.02)
        return value

    def _found_services(self) -> dict[str, type]:
        """Return the node's services by name, including those of its actions."""

        def found() -> dict[str, type]:
            try:
                services = self._node.get_service_names_and_types_by_node(self._target, "/")
            except NodeNameNonExistentError:  # one of this name has ended, or is not yet known
                return {}
            return {name: type_of(kinds[0]) for name, kinds in services}

        known = self._node.get_node_names_and_namespaces
        self._wait(lambda: (self._target, "/") in known(), APPEARANCE)
        wanted = f"/{self._target}/set_parameters"
        self._wait(lambda: wanted in found(), DISCOVERY)
        self._wait(lambda: False, 1.0)  # for the rest of discovery
        return found()

    def _found_topics(self) -> dict[str, type]:
        topics = self._node.get_subscriber_names_and_types_by_node(self._target, "/")
        return {name: type_of(kinds[0]) for name, kinds in topics}

    def _found_parameters(self) -> list[str]:
        reply = self.ask(ListParameters, f"/{self._target}/list_parameters")
        names = reply.result.names if reply is not None else []
        return list(names)

    # -- the attack ------------------------------------------------------------------------------

    def attack(self, count: int) -> Outcome:
        """Send ``count`` requests and messages; return the accumulated results."""
        for _ in range(count):
            dice = self._rng.random()
            if dice < PARAMETERS_SHARE:
                self._set_parameter()
            elif dice < PARAMETERS_SHARE + MESSAGES_SHARE and self.topics:
                self._publish()
            else:
                self._request()
            self._executor.spin_once(timeout_sec=0.0)
            self._reap(UNDER_WAY)
        self._reap(0)
        return self.outcome

    def is_answering(self) -> bool:
        """Return whether the node responds to a valid request."""
        request = GetParameters.Request(names=["use_sim_time"])
        return self.ask(GetParameters, f"/{self._target}/get_parameters", request) is not None

    def ask(self, kind: Any, name: str, request: Any = None) -> Any:
        """Return the response to a request; None on timeout."""
        client = self._client(kind, name)
        if not self._wait(client.service_is_ready, DISCOVERY):
            return None
        future = client.call_async(request or kind.Request())
        self._wait(future.done, PATIENCE)
        return future.result() if future.done() else None

    def _request(self) -> None:
        name = self._rng.choice(sorted(self.services))
        kind: Any = self.services[name]
        request = self._worst.message(kind.Request)
        self._adapt(request, kind)
        self._send(kind, name, request)

    def _adapt(self, request: Any, kind: Any) -> None:
        """Use the same goal ids in goals, cancellations and result requests."""
        if hasattr(request, "goal_id"):
            if self._uuids and self._rng.random() < (0.1 if hasattr(request, "goal") else 0.8):
                request.goal_id = self._rng.choice(self._uuids)
            self._uuids = [*self._uuids[-20:], request.goal_id]
        if kind is CancelGoal and self._uuids and self._rng.random() < 0.7:
            request.goal_info.goal_id = self._rng.choice(self._uuids)

    def _set_parameter(self) -> None:
        kind = self._rng.choice((SetParameters, SetParameters, SetParametersAtomically))
        name = "set_parameters" + ("" if kind is SetParameters else "_atomically")
        count = self._rng.choice((1, 1, 1, 2, 3))
        parameters = [self._parameter() for _ in range(count)]
        self._send(kind, f"/{self._target}/{name}", kind.Request(parameters=parameters))

    def _parameter(self) -> Parameter:
        rng = self._rng
        name = (
            rng.choice([*self._parameters * 3, *TEXTS]) if self._parameters else rng.choice(TEXTS)
        )
        value = ParameterValue(
            type=rng.choice((*range(10), *range(10), 10, 200, 255)),
            bool_value=rng.random() < 0.5,
            integer_value=rng.choice((0, 1, -1, 2**63 - 1, -(2**63), 50, 10**9)),
            double_value=rng.choice((*FLOATS, 0.5, 1.0)),
            string_value=rng.choice((*TEXTS, *self._words)),
            double_array_value=[rng.choice(FLOATS) for _ in range(rng.choice((0, 1, 1000)))],
            string_array_value=[rng.choice(TEXTS) for _ in range(rng.choice((0, 1, 3)))],
        )
        if value.type == ParameterType.PARAMETER_BOOL and name == "use_sim_time":
            value.bool_value = False  # a node without a running clock waits forever
        return Parameter(name=name, value=value)

    def _publish(self) -> None:
        name = self._rng.choice(sorted(self.topics))
        kind = self.topics[name]
        if name not in self._publishers:
            publisher: Any = self._node.create_publisher(kind, name, LATCHED)
            self._wait(publisher.get_subscription_count, DISCOVERY)
            self._publishers[name] = publisher
        message: Any = self._worst.message(kind)
        if self._rng.random() < 0.15:
            message = self._damaged(serialize_message(message))
        self._publishers[name].publish(message)
        self.outcome.messages += 1

    def _damaged(self, data: bytes) -> bytes:
        """Return a corrupted message: truncated, or with changed bytes."""
        damaged = bytearray(data)
        if self._rng.random() < 0.5:
            return bytes(damaged[: self._rng.choice((*CUTS, len(damaged) // 2, len(damaged) - 1))])
        for _ in range(self._rng.choice((1, 3, 20))):
            damaged[self._rng.randrange(len(damaged))] = self._rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        return bytes(damaged)

    # -- replies ---------------------------------------------------------------------------------

    def _client(self, kind: Any, name: str) -> Any:
        if name not in self._clients:
            client: Any = self._node.create_client(kind, name, qos_profile=MANY)
            self._clients[name] = client
            self._wait(client.service_is_ready, DISCOVERY)
        return self._clients[name]

    def _send(self, kind: Any, name: str, request: Any) -> None:
        client = self._client(kind, name)
        future = client.call_async(request)
        self.outcome.requests += 1
        self._pending.append(_Pending(future, name, time.monotonic(), client))

    def _reap(self, most: int) -> None:
        """Wait until at most ``most`` requests are pending."""
        while True:
            now = time.monotonic()
            for item in list(self._pending):
                waited = now - item.begin
                # A goal's result arrives when the goal ends.
                waits = item.name.endswith("get_result")
                if item.future.done():
                    if waited > self.outcome.slowest and not waits:
                        self.outcome.slowest, self.outcome.slowest_service = waited, item.name
                elif waited > PATIENCE:
                    item.client.remove_pending_request(item.future)
                    if not waits:
                        self.outcome.unanswered.append(item.name)
                else:
                    continue
                self._pending.remove(item)
            asked = [item for item in self._pending if not item.name.endswith("get_result")]
            if len(asked) <= most:
                return
            self._executor.spin_once(timeout_sec=0.02)
