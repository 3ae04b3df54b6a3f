"""The parts of rclpy that are used here and not documented; all others are its public interface.

``test/nodes/common/rclpy_private_names.json`` lists which distributions have these names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rclpy.context import Context
from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.impl import rcutils_logger
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.signals import (
    get_current_signal_handlers_options,
    install_signal_handlers,
    uninstall_signal_handlers,
)
from rclpy.subscription import Subscription

if TYPE_CHECKING:  # nodes without actions do not load them
    from rclpy.action.server import ServerGoalHandle

NAMES = (
    "action.server.ServerGoalHandle._update_state",
    "context.handle.ok",
    "executors.Executor._make_handler",
    "executors.MultiThreadedExecutor._executor",
    "guard_condition.GuardCondition.handle",
    "impl.rclpy_implementation.GoalEvent.CANCEL_GOAL",
    "impl.rclpy_implementation.WaitSet",
    "impl.rclpy_implementation.WaitSet.add_guard_condition",
    "impl.rclpy_implementation.WaitSet.add_subscription",
    "impl.rclpy_implementation.WaitSet.clear_entities",
    "impl.rclpy_implementation.WaitSet.get_ready_entities",
    "impl.rclpy_implementation.WaitSet.wait",
    "impl.rcutils_logger.RcutilsLogger",
    "impl.rcutils_logger.RcutilsLogger.log",
    "impl.rcutils_logger._internal_callers",
    "signals.get_current_signal_handlers_options",
    "signals.install_signal_handlers",
    "signals.uninstall_signal_handlers",
    "subscription.Subscription.handle.pointer",
    "subscription.Subscription.handle.take_message",
)


Logger = RcutilsLogger
remove_signal_handlers = uninstall_signal_handlers  # and end their thread


def leave_out_generator() -> None:
    """Have message packages load without the generator of messages: 8 MB and 0.1 s less.

    They import it with their type support, and do without it where it is not installed.
    """
    sys.modules.setdefault("rosidl_generator_py.generate_py_impl", None)  # type: ignore[arg-type]


def is_alive(context: Context) -> bool:
    """Return whether a context has not been shut down.

    Unlike ``Context.ok`` this takes no lock, which may be held while another thread waits for this
    one.
    """
    handle = context.handle
    return handle is not None and bool(handle.ok())


def skip_as_caller(path: str) -> None:
    """Have rclpy attribute log lines to the callers of a file, not to the file itself."""
    rcutils_logger._internal_callers.append(path)


@contextmanager
def without_signal_handlers() -> Iterator[None]:
    """Remove rclpy's handlers of signals for a while."""
    options = get_current_signal_handlers_options()
    uninstall_signal_handlers()
    try:
        yield
    finally:
        install_signal_handlers(options)


def replace_threads(executor: MultiThreadedExecutor, threads: ThreadPoolExecutor) -> None:
    """Have an executor use these threads."""
    executor._executor.shutdown(wait=False)
    executor._executor = threads


def shut_down_threads(executor: MultiThreadedExecutor, wait: bool) -> None:
    """End the threads of an executor."""
    executor._executor.shutdown(wait=wait)


class HandlerHook(Executor):
    """An executor with a hook around the functions that take and handle messages."""

    def wrapped(
        self, entity: Any, node: Node, take: Callable[[Any], Any], rest: Sequence[Any]
    ) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        """Return the functions to use for an entity; ``rest`` is empty since Jazzy."""
        return take, rest

    def _make_handler(
        self, entity: Any, node: Node, take: Callable[[Any], Any], *rest: Any
    ) -> Any:
        taking, handling = self.wrapped(entity, node, take, rest)
        return super()._make_handler(entity, node, taking, *handling)


def mark_as_canceling(handle: ServerGoalHandle[Any, Any, Any]) -> None:
    """Have a goal canceled by the server itself; its client did not ask for it."""
    handle._update_state(rclpy_implementation.GoalEvent.CANCEL_GOAL)


def take_bytes(subscription: Subscription[Any], message_type: type) -> bytes | None:
    """Return the next serialised message of a subscription, None if there is none."""
    taken = subscription.handle.take_message(message_type, True)
    return None if taken is None else bytes(taken[0])


class WaitSet:
    """Waits for subscriptions and a guard condition without an executor."""

    def __init__(self, context: Context, wake: GuardCondition, size: int) -> None:
        assert context.handle is not None
        self._wake = wake.handle
        self._set = rclpy_implementation.WaitSet(size, 1, 0, 0, 0, 0, context.handle)
        self._used = (context.handle, self._wake, self._set)

    def __enter__(self) -> WaitSet:
        """Keep the context and the guard condition from being destroyed."""
        for handle in self._used:
            handle.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Release what was kept."""
        for handle in reversed(self._used):
            handle.__exit__(kind, error, traceback)

    def wait(self, subscriptions: Sequence[Subscription[Any]], seconds: float) -> list[bool]:
        """Wait for a message or the guard condition; return which subscriptions have messages."""
        self._set.clear_entities()
        self._set.add_guard_condition(self._wake)
        for subscription in subscriptions:
            self._set.add_subscription(subscription.handle)
        self._set.wait(int(seconds * 1e9))
        ready = self._set.get_ready_entities("subscription")
        return [subscription.handle.pointer in ready for subscription in subscriptions]
