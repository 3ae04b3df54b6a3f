"""Start and end of a process with one node or several; see docs/node_processes.md."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import rclpy
from rclpy import exceptions
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from rclpy.utilities import try_shutdown

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process.executors import SurvivingExecutor
from rigid_tree_kinematics.nodes.common.process.help_text import Declared, help_text
from rigid_tree_kinematics.nodes.common.process.plain_node import report_error

MakeNode = Callable[[], Node]

# Errors of a node's constructor for bad parameters: logged in a line, without a traceback.
START_ERRORS = (
    RigidTreeError,
    exceptions.ParameterException,
    exceptions.InvalidParameterTypeException,
    exceptions.InvalidParameterValueException,
    exceptions.NameValidationException,
)

SIGNALS = signal.SIGINT, signal.SIGTERM
LONGEST_END = 3.0  # s; the launch system sends its next signal 5 s after the first one
CHECK_PERIOD = 0.05  # s between two checks of whether the process should end
PAUSE_AFTER_ERROR = 0.01  # s, so that a repeated error does not occupy a core


def run_node(name: str, make_node: MakeNode, declared: Declared = ()) -> int:
    """Run a node until Ctrl-C, SIGTERM or the end of its context, then exit the process.

    The exit code is 0 after a requested end, and 1 if the node could not start, which is logged in
    one line. A node with an attribute ``finished``, a Future, ends when that gets an exit code,
    and with it all nodes of the process. A method ``make_executor`` of the node returns its
    executor. With the argument --help, print the declared parameters instead and return 0.
    """
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(help_text(name, make_node.__module__, declared))
        return 0
    run_nodes({name: make_node})


def run_nodes(makers: Mapping[str, MakeNode]) -> NoReturn:
    """Run nodes together in this process, like ``run_node``, then exit the process.

    Each has its own thread, and runs as soon as it is constructed. If one cannot start, this is
    logged, all of them end, and the exit code is 1.
    """
    ending: list[int] = []  # the signals received, and 0 for each node whose thread has ended
    for number in SIGNALS:
        # No KeyboardInterrupt: a second Ctrl-C would raise it in the middle of the end.
        signal.signal(number, lambda received, _: ending.append(received))
    threading.Thread(target=_leave_late, args=(ending,), name="watchdog", daemon=True).start()
    code = _run(makers, ending)
    # A regular exit would wait for threads, without the watchdog, and may abort in those of the
    # middleware or of libqi.
    _leave(code)


def _run(makers: Mapping[str, MakeNode], ending: list[int]) -> int:
    _choose_log_folder()
    try:
        # Without handlers that shut the context down while nodes are constructed.
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    except RuntimeError as error:  # ROS arguments or a parameter file that rcl rejects
        return _start_failed(next(iter(makers)), error)
    warnings.showwarning = _log_warning
    running: list[_RunningNode] = []
    try:
        for name, make_node in makers.items():
            if ending:
                break
            try:
                running.append(_RunningNode(name, make_node(), ending))
            except START_ERRORS as error:
                return _start_failed(name, error)
        while not ending and not any(item.is_finished for item in running):
            time.sleep(CHECK_PERIOD)
        return max((item.code for item in running), default=0)
    finally:
        ending.append(0)  # starts the watchdog's time
        for number in SIGNALS:  # at its own end, Python would stop calling the handlers above
            signal.signal(number, signal.SIG_IGN)
        for item in running:
            item.end()
        # rclpy destroys the nodes whose constructors failed, which may lack attributes.
        with contextlib.suppress(AttributeError):
            try_shutdown()


def _log_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Log a Python warning, such as one about an SRDF, instead of printing it with its source."""
    get_logger("rigid_tree_kinematics").warning(str(message))


class _RunningNode:
    """A node, its executor, and the thread that runs its callbacks; its end fills ``ending``."""

    def __init__(self, name: str, node: Node, ending: list[int]) -> None:
        self._node = node
        self._ending = ending
        self._executor: Executor = getattr(node, "make_executor", SurvivingExecutor)()
        self._executor.add_node(node)
        self._is_ending = False
        self._finished: Future[int] | None = getattr(node, "finished", None)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def is_finished(self) -> bool:
        """Whether the node has ended by itself."""
        return self._finished is not None and self._finished.done()

    @property
    def code(self) -> int:
        """The exit code of a finished node, 0 for others."""
        return int(self._finished.result() or 0) if self._finished and self.is_finished else 0

    def end(self) -> None:
        """Stop starting callbacks, wait for the running ones, and destroy the node."""
        self._is_ending = True
        self._executor.shutdown()
        self._thread.join()
        self._node.destroy_node()

    def _run(self) -> None:
        try:
            self._spin()
        finally:
            self._ending.append(0)

    def _spin(self) -> None:
        while self._node.context.ok() and not (self._is_ending or self.is_finished):
            try:
                self._executor.spin_once()
            except ExternalShutdownException:
                return
            except Exception as error:  # of rclpy itself, between two callbacks
                if self._is_ending or not self._node.context.ok():
                    return
                report_error(self._node, "the executor", error)
                time.sleep(PAUSE_AFTER_ERROR)


def _start_failed(name: str, error: Exception) -> int:
    """Log the reason in a line; return the exit code."""
    text = " ".join(str(error).split())
    get_logger(name).fatal(text.removesuffix(" ^"))  # rclpy points into a bad name
    return 1


def _leave_late(ending: list[int]) -> None:
    """Exit the process if its end takes longer than LONGEST_END."""
    while not ending:
        time.sleep(CHECK_PERIOD)
    time.sleep(LONGEST_END)
    names = ", ".join(thread.name for thread in threading.enumerate())
    sys.stderr.write(f"exiting with threads that did not end within {LONGEST_END:g} s: {names}\n")
    _leave(0)


def _leave(code: int) -> NoReturn:
    """Exit the process without waiting for its threads."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _choose_log_folder() -> None:
    """Log to a temporary folder if rcl's is not writable: rcl would not start."""
    home = os.environ.get("ROS_HOME") or os.path.join("~", ".ros")
    folder = os.path.expanduser(os.environ.get("ROS_LOG_DIR") or os.path.join(home, "log"))
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        os.environ["ROS_LOG_DIR"] = tempfile.mkdtemp(prefix="ros-log-")
        sys.stderr.write(
            f"logs go to {os.environ['ROS_LOG_DIR']} ({error}); set ROS_LOG_DIR to a writable "
            "folder\n"
        )
