"""A ROS node of the launch process itself."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any

import launch
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor


class ROSAdapter:
    """A node with an executor in a thread of its own."""

    def __init__(self, *, argv: list[str] | None = None, autostart: bool = True) -> None:
        """Create and, by default, start the node."""
        self.__argv = argv or []
        self.__ros_context: Any = None
        self.__ros_node: Any = None
        self.__ros_executor: Any = None
        self.__thread: threading.Thread | None = None
        if autostart:
            self.start()

    @property
    def argv(self) -> list[str]:
        """The ROS arguments."""
        return self.__argv

    @property
    def ros_context(self) -> Any:
        """The rclpy context."""
        return self.__ros_context

    @property
    def ros_node(self) -> Any:
        """The node."""
        return self.__ros_node

    @property
    def ros_executor(self) -> Any:
        """The executor."""
        return self.__ros_executor

    def start(self) -> None:
        """Start the node; raises RuntimeError if it is running."""
        if self.__thread is not None:
            raise RuntimeError("this ROS adapter was started before")
        self.__ros_context = rclpy.Context()
        rclpy.init(
            args=self.__argv,
            context=self.__ros_context,
            signal_handler_options=rclpy.signals.SignalHandlerOptions.NO,
        )
        self.__ros_node = rclpy.create_node(
            f"launch_ros_{os.getpid()}", context=self.__ros_context
        )
        self.__ros_executor = SingleThreadedExecutor(context=self.__ros_context)
        self.__ros_executor.add_node(self.__ros_node)
        self.__thread = threading.Thread(target=self.__spin)
        self.__thread.start()

    def __spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):  # shutdown() was called
            self.__ros_executor.spin()

    def shutdown(self) -> None:
        """Stop the node; raises RuntimeError if it is not running."""
        if self.__thread is None:
            raise RuntimeError("this ROS adapter does not run")
        self.__ros_executor.shutdown()
        self.__thread.join()
        self.__thread = None
        self.__ros_node.destroy_node()
        rclpy.shutdown(context=self.__ros_context)


def get_ros_adapter(context: launch.LaunchContext) -> ROSAdapter:
    """Return this launch's adapter, which is started at the first call."""
    adapter = context.get_locals_as_dict().get("ros_adapter")
    if adapter is None:
        adapter = ROSAdapter()
        context.extend_globals({"ros_adapter": adapter})
        context.register_event_handler(
            launch.event_handlers.OnShutdown(
                on_shutdown=lambda _event, _context: adapter.shutdown()
            )
        )
    return adapter


def get_ros_node(context: launch.LaunchContext) -> Any:
    """Return this launch's node."""
    return get_ros_adapter(context).ros_node
