"""WaitForTopics: waits until every one of several topics has had a message."""

from __future__ import annotations

import contextlib
import random
import string
from collections import deque
from collections.abc import Callable, Iterable
from threading import Event, Thread
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions


class WaitForTopics:
    """Subscribes topics with a node and a context of its own.

    As a context manager it waits, and raises RuntimeError if a topic stays silent.
    """

    def __init__(
        self,
        topic_tuples: Iterable[tuple[str, Any]],
        timeout: float = 5.0,
        messages_received_buffer_length: int = 10,
    ) -> None:
        """Create the node; ``topic_tuples`` are names and message types, ``timeout`` is in s."""
        self.topic_tuples = list(topic_tuples)
        self.timeout = timeout
        self.messages_received_buffer_length = messages_received_buffer_length
        self._messages: dict[str, deque] = {}
        self._subscriptions: list[Any] = []
        self._all_received = Event()
        self._context = rclpy.Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        suffix = "".join(random.choices(string.ascii_uppercase + string.digits, k=10))
        self._node = rclpy.create_node(f"_test_node_{suffix}", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):  # shutdown() was called
            self._executor.spin()

    def wait(self) -> bool:
        """Wait for a message on every topic; return whether all came in time."""
        self._all_received.clear()
        for buffer in self._messages.values():
            buffer.clear()
        for name, message_type in self.topic_tuples:
            if name in self._messages:
                continue
            self._messages[name] = deque(maxlen=self.messages_received_buffer_length)
            self._subscriptions.append(
                self._node.create_subscription(message_type, name, self._receiver(name), 10)
            )
        return self._all_received.wait(self.timeout)

    def _receiver(self, name: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            self._messages[name].append(message)
            if not self.topics_not_received():
                self._all_received.set()

        return receive

    def shutdown(self) -> None:
        """Stop the node."""
        self._context.try_shutdown()
        self._thread.join()
        self._node.destroy_node()

    def topics_received(self) -> set[str]:
        """Return the topics that have had a message."""
        return {name for name, messages in self._messages.items() if messages}

    def topics_not_received(self) -> set[str]:
        """Return the topics that have not had a message."""
        return {name for name, _ in self.topic_tuples} - self.topics_received()

    def received_messages(self, topic_name: str) -> list[Any]:
        """Return the last messages of a topic; raises KeyError if it is not waited for."""
        if topic_name not in self._messages:
            raise KeyError(f"topic {topic_name} is not waited for")
        return list(self._messages[topic_name])

    def __enter__(self) -> WaitForTopics:
        """Wait for all topics."""
        if not self.wait():
            silent = self.topics_not_received()
            self.shutdown()
            raise RuntimeError("no message came in time on: ", silent)
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop the node."""
        self.shutdown()
