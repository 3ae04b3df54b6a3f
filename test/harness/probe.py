"""A node of the test that communicates with the nodes under test."""

import time
from collections.abc import Callable
from typing import Any

import rclpy
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.task import Future

from harness.processes import TIMEOUT
from harness.start.discovery import Discovery

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# For topics with several publishers, such as /tf_static: a depth of 1 would keep one message.
LATCHED_BY_MANY = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# By default a client keeps only ten replies that arrive at once.
MANY = QoSProfile(depth=1000)
ASK_AGAIN = 5.0  # s


class Probe:
    """A node that waits for others; its callbacks run while it waits."""

    def __init__(self, domain: int, name: str = "test_probe") -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self._executor = SingleThreadedExecutor(context=self.context)
        self.node = self.add_node(name)
        self._publishers: dict[str, Any] = {}
        self._clients: dict[str, Any] = {}
        self._actions: dict[str, ActionClient] = {}
        self._discovery = Discovery(self.node, self._wait)
        self._known: set[str] = set()  # names of discovered publishers, clients and actions

    def add_node(self, name: str) -> Node:
        """Return another node with the same executor."""
        node = Node(name, context=self.context)
        self._executor.add_node(node)
        return node

    def close(self) -> None:
        for action in self._actions.values():
            action.destroy()
        for node in self._executor.get_nodes():
            node.destroy_node()
        self._executor.shutdown()
        rclpy.shutdown(context=self.context)

    def until(self, condition: Callable[[], Any], what: str = "", timeout: float = TIMEOUT) -> Any:
        """Spin until the condition is true; return its value."""
        deadline = time.monotonic() + timeout
        while not (value := condition()):
            if time.monotonic() > deadline:
                raise AssertionError(f"never happened: {what or condition}\n{self.report()}")
            self._executor.spin_once(timeout_sec=0.05)
        return value

    def _wait(self, condition: Callable[[], Any], seconds: float) -> None:
        """Spin until the condition is true or the time is over."""
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.05)

    def wait_for_discovery(self, node: str) -> None:
        """Wait until a node, given with its namespace, knows this process's endpoints."""
        self._discovery.wait_for(node)

    def wait_for_discovery_by_all(self) -> None:
        """Wait until all nodes know this process's endpoints."""
        self._discovery.wait_for_all()

    def reset_discovery(self) -> None:
        """Wait for discovery again, after a process was started."""
        self._known.clear()

    def report(self) -> str:
        """Return information for messages of timeouts."""
        return ""

    def spin_for(self, seconds: float) -> None:
        """Spin for a time."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, "time", seconds + TIMEOUT)

    # -- topics ----------------------------------------------------------------------------------

    def record(self, kind: type, topic: str, qos: Any = 100) -> list[Any]:
        """Return a list that receives all messages of a topic."""
        received: list[Any] = []
        self.node.create_subscription(kind, topic, received.append, qos)
        return received

    def publisher(self, kind: type, topic: str, qos: Any = 100) -> Any:
        """Return a publisher once it is discovered by its subscribers."""
        if topic not in self._publishers:
            self._publishers[topic] = self.node.create_publisher(kind, topic, qos)
        made = self._publishers[topic]
        self.until(made.get_subscription_count, f"a subscription of {topic}")
        if topic not in self._known:
            self._discovery.subscribers_of(topic)
            self._known.add(topic)
        return made

    # -- services --------------------------------------------------------------------------------

    def client(self, kind: type, service: str) -> Any:
        """Return a client of a service once it is discovered by the server."""
        if service not in self._clients:
            made = self.node.create_client(kind, service, qos_profile=MANY)
            self._clients[service] = made
        self.until(self._clients[service].service_is_ready, f"service {service}")
        if service not in self._known:
            self._discovery.servers_of(service)
            self._known.add(service)
        return self._clients[service]

    def call_async(self, kind: Any, service: str, request: Any = None, /, **fields: Any) -> Future:
        """Send a request, or one with these fields; return the future of the reply."""
        return self.client(kind, service).call_async(request or kind.Request(**fields))

    def result(self, future: Future, what: str = "a reply", timeout: float = TIMEOUT) -> Any:
        """Return a future's result."""
        self.until(future.done, what, timeout)
        return future.result()

    def call(self, kind: Any, service: str, request: Any = None, /, **fields: Any) -> Any:
        """Return the reply to a request."""
        return self.result(
            self.call_async(kind, service, request, **fields), f"reply of {service}"
        )

    def call_until(
        self, condition: Callable[[Any], Any], kind: Any, service: str, /, **fields: Any
    ) -> Any:
        """Repeat a request until a reply fulfils a condition; return it.

        Only for requests that can be repeated: a server that has not discovered the client yet
        processes a request, but its reply is lost.
        """
        replies: list[Any] = []

        def fulfilled() -> bool:
            future = self.call_async(kind, service, **fields)
            again = time.monotonic() + ASK_AGAIN
            self.until(lambda: future.done() or time.monotonic() > again, "time")
            if future.done():
                replies.append(future.result())
            return future.done() and condition(replies[-1])

        self.until(fulfilled, f"the right reply of {service}")
        return replies[-1]

    def set_parameter(self, node: str, name: str, value: Any) -> SetParametersResult:
        """Set a parameter of a node by its service."""
        message = Parameter(name, value=value).to_parameter_msg()
        return self.call(SetParameters, f"{node}/set_parameters", parameters=[message]).results[0]

    # -- actions ---------------------------------------------------------------------------------

    def send_goal(self, kind: Any, action: str, goal: Any, on_feedback: Any = None) -> Any:
        """Send a goal to an action server once it is available; return its handle."""
        if action not in self._actions:
            self._actions[action] = ActionClient(self.node, kind, action)
        client = self._actions[action]
        self.until(client.server_is_ready, f"action {action}")
        if action not in self._known:
            self._discovery.servers_of(f"{action}/_action/send_goal")
            self._known.add(action)
        sent = client.send_goal_async(goal, feedback_callback=on_feedback)
        return self.result(sent, f"acceptance by {action}")

    def outcome(self, handle: Any) -> Any:
        """Return the status and result of a goal."""
        return self.result(handle.get_result_async(), "the goal's result")
