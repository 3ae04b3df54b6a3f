"""A ROS node with its own context and thread, and blocking calls."""

from __future__ import annotations

import atexit
import concurrent.futures
import os
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import rclpy
from action_msgs.srv import CancelGoal
from rclpy import signals
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.client import Client as ServiceClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.fields import convert_fields

SERVERS = 5.0  # s, default timeout for move_group to appear, as in moveit_commander
REPLY = 10.0  # s, timeout of replies in addition to the request's own time
LOST_AFTER = 3  # s without the action's server, after which a motion is considered lost
CANCEL = "/_action/cancel_goal"
CANCELED_WITHIN = 3.0  # s, for a motion to stop at Ctrl-C


@contextmanager
def without_signal_handlers() -> Iterator[None]:
    """Remove rclpy's signal handlers within this context."""
    options = signals.get_current_signal_handlers_options()
    signals.uninstall_signal_handlers()
    try:
        yield
    finally:
        signals.install_signal_handlers(options)


class Connection(ABC):
    """Clients of services and actions, given as types by name.

    The ROS context is independent of ``rclpy.init`` and of the caller's executors. By default the
    node has a unique name and the ROS arguments of the process.
    """

    def __init__(
        self,
        namespace: str,
        name: str,
        arguments: Sequence[str] | None,
        services: Mapping[str, Any],
        actions: Mapping[str, Any],
    ) -> None:
        self._context = rclpy.Context()
        rclpy.init(args=None if arguments is None else list(arguments), context=self._context)
        self.node = Node(
            name or f"commander_{os.getpid()}_{id(self) % 10000}",
            namespace=namespace,
            context=self._context,
            automatically_declare_parameters_from_overrides=True,
        )
        self.log = self.node.get_logger()
        # Everything is created before the executor spins, and used in its thread.
        # Every action has a service that cancels goals; without an id it cancels all.
        group = ReentrantCallbackGroup()  # an undecodable reply blocks no other client
        services = {**services, **{f"{action}{CANCEL}": CancelGoal for action in actions}}
        self._services: dict[str, ServiceClient[Any, Any]] = {
            key: self.node.create_client(kind, key, callback_group=group)
            for key, kind in services.items()
        }
        self._actions: dict[str, ActionClient[Any, Any, Any]] = {
            key: ActionClient(self.node, kind, key, callback_group=group)
            for key, kind in actions.items()
        }
        self._executor = SingleThreadedExecutor(context=self._context)
        self._is_closing = False
        self._thread = threading.Thread(target=self._spin, name="commander", daemon=True)

    def open(self) -> None:
        """Start the thread."""
        self._executor.add_node(self.node)
        self._thread.start()
        _open.add(self)

    @property
    def is_open(self) -> bool:
        """Whether calls are possible."""
        return bool(self._context.ok())

    def require_open(self) -> None:
        """Raise CommanderError if calls are no longer possible."""
        if not self.is_open:
            raise CommanderError("this client was shut down, by Ctrl-C or close; create a new one")

    def close(self) -> None:
        """Destroy the node."""
        _open.discard(self)
        if self.is_open and not self._is_closing:
            self._is_closing = True
            self._executor.wake()
            self._thread.join(REPLY)
            self._executor.shutdown()
            self.node.destroy_node()
            self._context.try_shutdown()

    def _spin(self) -> None:
        while self.is_open and not self._is_closing:
            try:
                self._executor.spin_once(1.0)
            except Exception as error:  # rclpy raises several when its handler closes the context
                if self.is_open:
                    self.log.error(f"{type(error).__name__}: {error}")

    def missing(self, name: str, wait: float) -> CommanderError:
        """Return the error for a server that has not appeared within a time (s)."""
        missing = f"{self.node.resolve_service_name(name)} did not appear within {wait:g} s"
        start = "Start it with 'ros2 launch rigid_tree_moveit moveit.launch.py'"
        domain = f"ROS_DOMAIN_ID ({self._context.get_domain_id()})"
        return CommanderError(
            f"no move_group: {missing}. {start}, or check the namespace and {domain}"
        )

    def call(self, service: str, request: Any, patience: float = REPLY) -> Any:
        """Return a service's reply; raises CommanderError after a timeout (s), or bad fields."""
        self.require_open()
        convert_fields(request)
        client = self._services[service]
        if not client.service_is_ready() and not client.wait_for_service(SERVERS):
            raise self.missing(service, SERVERS)
        return _result(self._sent(lambda: client.call_async(request)), patience, client.srv_name)

    def result(self, action: str, goal: Any, wait: bool) -> Any:
        """Return an action's result, or without ``wait`` None after the goal is accepted.

        Ctrl-C cancels the goal before it is raised. Raises CommanderError if the server is
        missing, rejects the goal, or disappears.
        """
        self.require_open()
        convert_fields(goal)
        client = self._actions[action]
        if not client.server_is_ready() and not client.wait_for_server(SERVERS):
            raise self.missing(f"{action}/_action/send_goal", SERVERS)
        handle = None
        # Ctrl-C raises KeyboardInterrupt without rclpy's handler, which closes all contexts.
        is_main = threading.current_thread() is threading.main_thread()
        with without_signal_handlers() if is_main else nullcontext():
            try:
                handle = _result(self._sent(lambda: client.send_goal_async(goal)), REPLY, action)
                if not handle.accepted:
                    raise CommanderError(f"move_group rejected the goal of {action}")
                return self._end(action, self._sent(handle.get_result_async)) if wait else None
            except KeyboardInterrupt:
                self._abandon(handle)
                raise

    def _end(self, action: str, future: concurrent.futures.Future[Any]) -> Any:
        misses = 0
        while True:
            try:
                return future.result(1.0).result
            except concurrent.futures.TimeoutError:
                if not self.is_open:  # Ctrl-C in another thread, with rclpy's handler
                    self.stop_after_shutdown()
                    raise CommanderError(f"ROS was shut down; {action} was stopped") from None
                misses = 0 if self._actions[action].server_is_ready() else misses + 1
                if misses == LOST_AFTER:
                    reason = f"move_group disappeared during {action}; the robot may be moving"
                    raise CommanderError(reason) from None

    def _abandon(self, handle: Any) -> None:
        """Cancel a goal, or all goals if it has no handle yet."""
        if handle is None:
            self.stop_execution()
            return
        with suppress(CommanderError):
            _result(self._sent(handle.cancel_goal_async), CANCELED_WITHIN, "cancel_goal")
            _result(self._sent(handle.get_result_async), CANCELED_WITHIN, "get_result")

    def stop_execution(self) -> None:
        """Stop all motions of move_group, those of other clients included."""
        for action in self._actions:
            self.call(f"{action}{CANCEL}", CancelGoal.Request())

    @abstractmethod
    def stop_after_shutdown(self) -> None:
        """Stop all motions when the context is shut down."""

    def _sent(self, send: Callable[[], Any]) -> concurrent.futures.Future[Any]:
        """Send a request in the executor's thread, so its reply cannot arrive earlier."""
        outcome: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def deliver(done: Any) -> None:
            if done.exception() is not None:
                outcome.set_exception(done.exception())
            else:
                outcome.set_result(done.result())

        def start() -> None:
            try:
                send().add_done_callback(deliver)
            except Exception as error:
                outcome.set_exception(error)

        self._executor.create_task(start)
        return outcome


_open: weakref.WeakSet[Connection] = weakref.WeakSet()


def close_all() -> None:
    """Close all connections of the process."""
    for connection in list(_open):
        connection.close()


atexit.register(close_all)


def _result(future: concurrent.futures.Future[Any], patience: float, what: str) -> Any:
    try:
        return future.result(patience)
    except concurrent.futures.TimeoutError:
        reason = f"no reply from {what} within {patience:g} s; is move_group still running?"
        raise CommanderError(reason) from None
