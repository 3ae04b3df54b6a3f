"""Subscriptions outside the executors, for messages that come a hundred times a second.

An rclpy executor puts together a wait set of all the node's entities, and a task, for every
message, which costs more than what this package does with the message. Here one thread a process
waits for such subscriptions only, and messages arrive as bytes. What is not needed at once may
rest in the middleware's queue: being woken costs more than reading.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

from rigid_tree_kinematics.nodes.common.process import is_alive, report_error

LOOK_PERIOD = 0.5  # s between two looks at whether the context was shut down
# For what is only looked at where it is needed: s that messages may rest, and sensor data's QoS
# with a queue for those of a rest at 2 kHz.
REST = 0.1
RESTING_QOS = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)


class _NotForExecutors(CallbackGroup):
    """A group whose members an executor never finds ready."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        pass


class RawSubscription:
    """Calls ``callback(bytes)`` for each message, from ``start`` to ``stop``.

    All raw subscriptions of a context share one thread: a callback is to be short. What it
    raises is logged and ends nothing.

    Args:
        node: whose subscription it is.
        message_type: of the topic.
        topic: its name.
        callback: is never called twice at the same time.
        qos: with a depth for all messages of a rest.
        rest: s after a message during which the thread looks for no other one; ``catch_up`` takes
            what has come meanwhile.
    """

    def __init__(
        self,
        node: Node,
        message_type: type,
        topic: str,
        callback: Callable[[bytes], None],
        qos: QoSProfile,
        rest: float = 0.0,
    ) -> None:
        self._node = node
        self._message_type = message_type
        self._callback = callback
        self._depth = qos.depth
        self._rest = rest
        self._taking = threading.Lock()
        self.due = 0.0  # on the monotonic clock, when the thread looks again
        self._subscription = node.create_subscription(
            message_type,
            topic,
            callback,
            qos,
            callback_group=_NotForExecutors(),
            raw=True,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self.handle = self._subscription.handle
        self._listener = _Listener.of(node.context)

    def start(self) -> None:
        """Begin to listen."""
        self._listener.add(self)

    def stop(self) -> None:
        """Return when the last callback has ended."""
        self._listener.remove(self)

    def set_rest(self, rest: float) -> None:
        """Let messages rest for another time (s) from now on."""
        self._rest = rest
        self.due = 0.0
        self._listener.look_again()

    def catch_up(self) -> None:
        """Call the callback, in this thread, for all messages that have come."""
        with self._taking:
            for _ in range(self._depth):
                if not self._take():
                    return

    def take(self) -> None:
        """Call the callback for one message, or for all of a rest; then rest."""
        if self._rest:
            self.catch_up()
            self.due = time.monotonic() + self._rest
        else:
            with self._taking:
                self._take()

    def _take(self) -> bool:
        """Take one message and call the callback; return whether there was one."""
        try:
            taken = self.handle.take_message(self._message_type, True)
        except Exception as error:
            self._report(error)
            return False
        if taken is None:
            return False
        try:
            self._callback(taken[0])
        except Exception as error:
            self._report(error)
        return True

    def _report(self, error: Exception) -> None:
        report_error(self._node, self._subscription.topic_name, error)


class _Listener:
    """The thread of one context that waits for raw subscriptions."""

    _of_context: ClassVar[dict[Context, _Listener]] = {}
    _registry_lock = threading.Lock()

    def __init__(self, context: Context) -> None:
        self._context = context
        self._changed = threading.Condition()
        self._members: tuple[RawSubscription, ...] = ()
        self._listened: tuple[RawSubscription, ...] = ()  # those that the thread waits for
        self._wake: GuardCondition | None = None
        self._thread: threading.Thread | None = None

    @classmethod
    def of(cls, context: Context) -> _Listener:
        """Return the listener of a context."""
        with cls._registry_lock:
            return cls._of_context.setdefault(context, cls(context))

    def add(self, member: RawSubscription) -> None:
        """Listen to a subscription."""
        with self._changed:
            self._members = (*self._members, member)
            if self._thread is None:
                self._wake = GuardCondition(None, None, self._context)
                self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
                self._thread.start()
            elif self._wake is not None:
                self._wake.trigger()

    def remove(self, member: RawSubscription) -> None:
        """Return when nothing of a subscription is listened to, or under way, any more."""
        with self._changed:
            self._members = tuple(other for other in self._members if other is not member)
            if threading.current_thread() is self._thread:
                return
            if self._wake is not None:
                self._wake.trigger()
            self._changed.wait_for(lambda: member not in self._listened)

    def look_again(self) -> None:
        """Have the thread look for whom it waits."""
        with self._changed:
            if self._wake is not None:
                self._wake.trigger()

    def _run(self) -> None:
        try:
            while members := self._next_members():
                self._listen(members)
        finally:
            with self._changed:
                self._end()

    def _next_members(self) -> tuple[RawSubscription, ...]:
        """Return what to listen to; nothing when the thread is to end."""
        with self._changed:
            self._listened = self._members if is_alive(self._context) else ()
            if not self._listened:
                self._end()
            self._changed.notify_all()
            return self._listened

    def _end(self) -> None:
        """Forget the thread; the next subscription begins another one."""
        self._listened, self._thread = (), None
        if self._wake is not None:
            self._wake.destroy()
            self._wake = None
        self._changed.notify_all()
        with self._registry_lock:
            self._of_context.pop(self._context, None)

    def _listen(self, members: tuple[RawSubscription, ...]) -> None:
        """Wait for these subscriptions until others are asked for."""
        assert self._wake is not None
        context, wake = self._context.handle, self._wake.handle
        assert context is not None
        wait_set = rclpy_implementation.WaitSet(len(members), 1, 0, 0, 0, 0, context)
        with context, wake, wait_set:
            while members is self._members:
                now = time.monotonic()
                waiting = [member for member in members if member.due <= now]
                rests = [member.due - now for member in members if member.due > now]
                wait_set.clear_entities()
                wait_set.add_guard_condition(wake)
                for member in waiting:
                    wait_set.add_subscription(member.handle)
                wait_set.wait(int(min((LOOK_PERIOD, *rests)) * 1e9))
                ready = wait_set.get_ready_entities("subscription")
                if not ready and not is_alive(self._context):
                    return
                for member in waiting:
                    if member.handle.pointer in ready:
                        member.take()
