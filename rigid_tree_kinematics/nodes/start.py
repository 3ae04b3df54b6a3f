"""Starting and ending a node's process: the same for every node."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterException,
)
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.errors import RigidTreeError

# What a node's constructor may raise for bad parameters: reported in a line, not a traceback.
START_ERRORS = (
    RigidTreeError,
    ParameterException,
    InvalidParameterTypeException,
    InvalidParameterValueException,
)


def run_node(
    name: str,
    make_node: Callable[[], Node],
    arguments: Sequence[str] | None = None,
    make_executor: Callable[[Any], Executor] = lambda node: SingleThreadedExecutor(),
) -> int:
    """Run a node until Ctrl-C, SIGTERM or the end of its context; return the exit code.

    The code is 0 after a requested end, and 1 if the node could not start, which is then said in
    one line. A node with an attribute ``finished``, a Future, ends when that gets an exit code.
    ``make_executor`` takes the node and returns what runs its callbacks.
    """
    # SIGTERM, the launch system's second word, ends the node as Ctrl-C does: with an exception
    # wherever the node is, and code 0. rclpy's own handlers call these ones.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(name, make_node, arguments, make_executor)
    except (KeyboardInterrupt, ExternalShutdownException):
        return 0
    finally:
        # Ctrl-C in a terminal reaches the node twice: from there, and from the launch system.
        _ignore_signals()
        rclpy.try_shutdown()
        _ignore_signals()  # try_shutdown puts the old handlers back


def _run(
    name: str,
    make_node: Callable[[], Node],
    arguments: Sequence[str] | None,
    make_executor: Callable[[Any], Executor],
) -> int:
    rclpy.init(args=None if arguments is None else list(arguments))
    try:
        node = make_node()
    except START_ERRORS as error:
        get_logger(name).fatal(" ".join(str(error).split()))
        return 1
    executor = make_executor(node)
    executor.add_node(node)
    try:
        finished: Future | None = getattr(node, "finished", None)
        if finished is None:
            executor.spin()
            return 0
        executor.spin_until_future_complete(finished)
        code = finished.result()
        return 0 if code is None else int(code)
    finally:
        executor.shutdown()  # callbacks in other threads end before the node does
        node.destroy_node()


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
