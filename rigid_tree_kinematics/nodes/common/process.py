"""Starting and ending a node's process: the same for every node."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
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

# A thread that does not end would keep the process alive until the launch system kills it, 5 s
# after its first signal.
LONGEST_END = 3.0  # s

_interrupted = threading.Event()  # by a signal that asks for the end


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
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt_once)
    code = 0
    try:
        code = _run(name, make_node, arguments, make_executor)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if not _interrupted.is_set():
            raise  # otherwise: Ctrl-C came while the node was being made
    finally:
        _ignore_signals()
        # rclpy destroys the nodes that are left: only those whose start failed half-way, which
        # may lack what they destroy.
        with contextlib.suppress(AttributeError):
            rclpy.try_shutdown()
        _ignore_signals()  # try_shutdown puts the old handlers back
    if threading.active_count() > 1:
        # Python's end would abort in a thread that still waits in the middleware.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


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
    code = 0
    try:
        finished: Future | None = getattr(node, "finished", None)
        if finished is None:
            executor.spin()
        else:
            executor.spin_until_future_complete(finished)
            code = int(finished.result() or 0)
        return code
    finally:
        _ignore_signals()
        watchdog = threading.Timer(LONGEST_END, _leave_without_threads, (name, code))
        watchdog.daemon = True
        watchdog.start()
        executor.shutdown()  # callbacks in other threads end before the node does
        node.destroy_node()
        if not _others_alive():
            watchdog.cancel()


def _others_alive() -> bool:
    """Return whether a thread is left that the interpreter would wait for at its end."""
    main = threading.main_thread()
    return any(not thread.daemon for thread in threading.enumerate() if thread is not main)


def _leave_without_threads(name: str, code: int) -> None:
    sys.stderr.write(
        f"{name}: a thread did not end within {LONGEST_END:g} s; leaving without it\n"
    )
    sys.stderr.flush()
    os._exit(code)


def _interrupt_once(number: int, frame: object) -> None:
    """End the node, and let nothing interrupt its end.

    Ctrl-C in a terminal reaches a node twice: from there, and from the launch system. If the
    second one kept threads from being ended, Python would abort in them.
    """
    _interrupted.set()
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
