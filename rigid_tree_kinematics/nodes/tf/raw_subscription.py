"""Subscriptions outside the executors, for topics with hundreds of messages a second.

An rclpy executor builds a wait set of all entities of a node, and a task, for every message: this
costs more than the work on the message. Here one thread per process waits for such subscriptions
only, and messages arrive as bytes. Messages that are not urgent stay in the middleware's queue:
waking a thread costs more than reading.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.guard_condition import GuardCondition
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

from rigid_tree_kinematics.nodes.common import process

REST = 0.1  # s, the longest time in the queue of messages that are read on demand


class _NotForExecutors(CallbackGroup):
    """A callback group that executors skip."""

    def can_execute(self, entity: Any) -> bool:
        return False

    def beginning_execution(self, entity: Any) -> bool:
        return False

    def ending_execution(self, entity: Any) -> None:
        pass


class RawSubscription:
    """Calls ``callback(bytes)`` for each message, from ``start`` to ``stop``, one at a time.

    All raw subscriptions of a context share one thread: callbacks must be short. Their errors are
    logged. After a message, the thread takes no others for up to ``rest`` seconds; ``catch_up``
    takes them. The queue of ``qos`` must last this time.
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
        self._callback = callback
        self._depth = qos.depth
        self._rest = rest
        self._taking = threading.Lock()
        self._due = 0.0  # see due
        self.subscription = node.create_subscription(
            message_type,
            topic,
            callback,
            qos,
            callback_group=_NotForExecutors(),
            raw=True,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._listener = _Listener.of(node.context)

    def start(self) -> None:
        """Start listening."""
        self._listener.add(self)

    def stop(self) -> None:
        """Stop, and wait for the last callback."""
        self._listener.remove(self)

    @property
    def due(self) -> float:
        """The monotonic time at which the thread takes messages again."""
        return self._due if self._rest else 0.0

    def set_rest(self, rest: float) -> None:
        """Set the rest between callbacks (s)."""
        self._rest = rest
        self._due = 0.0
        self._listener.wake_up()

    def catch_up(self) -> None:
        """Call the callback, in this thread, for all messages that have arrived."""
        with self._taking:
            for _ in range(self._depth):
                if not self._take():
                    return

    def take(self) -> None:
        """Call the callback for the messages that have arrived, then rest."""
        rest = self._rest  # which may be changed meanwhile
        if rest:
            self.catch_up()
            # All are due at the same moments: the thread wakes once for them.
            self._due = (time.monotonic() // rest + 1.0) * rest
        else:
            with self._taking:
                self._take()

    def _take(self) -> bool:
        """Take one message and call the callback; return whether there was one."""
        data = None
        try:
            data = process.next_message(self.subscription)
            if data is not None:
                self._callback(data)
        except Exception as error:
            process.report_error(self._node, self.subscription.topic_name, error)
        return data is not None


class _Listener:
    """The thread of one context that waits for raw subscriptions."""

    _of_context: ClassVar[dict[Context, _Listener]] = {}
    _registry_lock = threading.Lock()

    def __init__(self, context: Context) -> None:
        self._context = context
        self._changed = threading.Condition()
        self._members: tuple[RawSubscription, ...] = ()
        self._listened: tuple[RawSubscription, ...] = ()  # that the thread waits for
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
            self.wake_up()

    def remove(self, member: RawSubscription) -> None:
        """Stop listening to a subscription, and wait for its callback."""
        with self._changed:
            self._members = tuple(other for other in self._members if other is not member)
            if threading.current_thread() is self._thread:
                return
            self.wake_up()
            self._changed.wait_for(lambda: member not in self._listened)

    def wake_up(self) -> None:
        """Wake the thread to check when its members are due."""
        with self._changed:
            if self._wake is not None:
                self._wake.trigger()

    def _run(self) -> None:
        try:
            while members := self._next_members():
                self._listen(members)
        except BaseException:
            with self._changed:
                self._end()
            raise

    def _next_members(self) -> tuple[RawSubscription, ...]:
        """Return the subscriptions to wait for; none to end the thread."""
        with self._changed:
            self._listened = self._members if self._context.ok() else ()
            if not self._listened:
                self._end()
            self._changed.notify_all()
            return self._listened

    def _end(self) -> None:
        """Drop the thread; the next subscription starts another one, even before this one ends."""
        self._listened, self._thread = (), None
        if self._wake is not None:
            self._wake.destroy()
            self._wake = None
        self._changed.notify_all()

    def _listen(self, members: tuple[RawSubscription, ...]) -> None:
        """Wait for these subscriptions until there are others."""
        assert self._wake is not None
        listened = [member.subscription for member in members]
        with process.wait_set(self._context, self._wake, listened) as wait:
            while members is self._members:
                now = time.monotonic()
                waiting = [member for member in members if member.due <= now]
                rests = [member.due - now for member in members if member.due > now]
                subscriptions = [member.subscription for member in waiting]
                ready = wait(subscriptions, min((process.WATCHDOG_PERIOD, *rests)))
                if not any(ready) and not self._context.ok():
                    return
                for member, has_message in zip(waiting, ready, strict=True):
                    if has_message:
                        member.take()
