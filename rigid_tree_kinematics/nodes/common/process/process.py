"""Starting and ending a process with nodes: the same for one alone and for several together."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import rclpy
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterException,
)
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.signals import uninstall_signal_handlers
from rclpy.task import Future

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process.executors import SurvivingExecutor
from rigid_tree_kinematics.nodes.common.process.plain_node import is_alive, report_error

MakeNode = Callable[[], Node]

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
LONGEST_WAKING = 1.0  # s
M_ARENA_MAX, MOST_ARENAS = -8, 2  # glibc's mallopt(3)
PAUSE_AFTER_ERROR = 0.01  # s, so that an error that comes again and again does not fill a core

_interrupted = threading.Event()  # by a signal that asks for the end


@dataclass(frozen=True, eq=False)
class _Running:
    """A node with what runs its callbacks."""

    name: str
    node: Node
    executor: Executor
    ending: threading.Event = field(default_factory=threading.Event)

    def spin(self) -> int:
        """Run callbacks until the context or the node is finished; return the exit code.

        What a callback raises is logged and ends nothing.
        """
        finished: Future | None = getattr(self.node, "finished", None)
        if finished is not None:
            finished.add_done_callback(lambda _: self.executor.wake())
        while not self.ending.is_set():
            if finished is not None and finished.done():
                return int(finished.result() or 0)
            try:
                self.executor.spin_once()
            except (KeyboardInterrupt, ExternalShutdownException):
                raise
            except Exception as error:  # rclpy's own, between two callbacks
                if not self.node.context.ok():
                    raise ExternalShutdownException from None
                report_error(self.node, "the executor", error)
                time.sleep(PAUSE_AFTER_ERROR)
        return 0

    def end_callbacks(self) -> None:
        """Let no further callback begin; return when those under way have ended."""
        self.ending.set()
        self.executor.shutdown()


def run_node(name: str, make_node: MakeNode, arguments: Sequence[str] | None = None) -> int:
    """Run a node until Ctrl-C, SIGTERM or the end of its context; return the exit code.

    The code is 0 after a requested end, and 1 if the node could not start, which is then logged in
    one line. A node with an attribute ``finished``, a Future, ends when that gets an exit code. A
    method ``make_executor`` of the node chooses what runs its callbacks.
    """
    return run_nodes({name: make_node}, arguments)


def run_nodes(makers: Mapping[str, MakeNode], arguments: Sequence[str] | None = None) -> int:
    """Run nodes together in this process, as ``run_node`` does one.

    Each has a thread of its own, and runs as soon as it is made: the next may take its time. Where
    one cannot start, which is logged, the others run, and the code at the end is 1.
    """
    # SIGTERM, the launch system's second word, ends the nodes as Ctrl-C does: with an exception
    # wherever they are, and code 0. rclpy's own handlers call these ones.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt_once)
    code = 0
    try:
        code = _run(makers, arguments)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if not _interrupted.is_set():
            raise  # otherwise: Ctrl-C came while a node was being made
    finally:
        _ignore_signals()
        # rclpy destroys the nodes that are left: only those whose start failed half-way, which
        # may lack what they destroy.
        with contextlib.suppress(AttributeError):
            rclpy.try_shutdown()
        _ignore_signals()  # try_shutdown puts the old handlers back
    if threading.active_count() > 1:
        _leave(code)  # Python's end would abort in a thread that still waits in the middleware
    return code


def _share_arenas() -> None:
    """Let all threads take memory from the same two places.

    glibc gives every thread one of its own, none of which returns what it has: 30 threads, most
    of them asleep, keep 50 MB. Other C libraries have no such function, and no such habit.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, MOST_ARENAS)


def _choose_log_folder() -> None:
    """Keep logs in a temporary folder where rcl could not, which would refuse to start."""
    home = os.environ.get("ROS_HOME") or os.path.join("~", ".ros")
    folder = os.path.expanduser(os.environ.get("ROS_LOG_DIR") or os.path.join(home, "log"))
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        os.environ["ROS_LOG_DIR"] = tempfile.mkdtemp(prefix="ros-log-")
        sys.stderr.write(
            f"logs go to {os.environ['ROS_LOG_DIR']} ({error}); set ROS_LOG_DIR to a folder that "
            "you can write\n"
        )


def _run(makers: Mapping[str, MakeNode], arguments: Sequence[str] | None) -> int:
    _share_arenas()
    _choose_log_folder()
    rclpy.init(args=None if arguments is None else list(arguments))
    made = _Made(makers)
    try:
        # Made beside this thread, which alone hears signals, and could not while kernels are
        # compiled: what is raised then is lost, or comes when the compiler has ended.
        making = threading.Thread(target=made.make_all, name="making nodes", daemon=True)
        making.start()
        _join(making)
        if made.error is not None:
            raise made.error
        if len(makers) == 1:
            return made.running[0].spin() if made.running else made.code
        # Ctrl-C does not hide that a node could not start.
        with contextlib.suppress(KeyboardInterrupt):
            for thread in made.threads:
                _join(thread)
        return made.code
    finally:
        _ignore_signals()
        names = ", ".join(makers)
        watchdog = threading.Timer(LONGEST_END, _leave_without_threads, (names, made.code))
        watchdog.daemon = True
        watchdog.start()
        _wait_for_signal_thread()
        # Which ends that thread: a second signal may have come before they were ignored.
        uninstall_signal_handlers()
        for item in made.running:
            item.end_callbacks()
        for thread in made.threads:  # they still use what the nodes are made of
            thread.join()
        for item in made.running:
            item.node.destroy_node()
        if making.is_alive():  # in a node that nobody waits for
            _leave(made.code)
        if not _others_alive():
            watchdog.cancel()


class _Made:
    """The nodes of a process, and what became of those that are not there."""

    def __init__(self, makers: Mapping[str, MakeNode]) -> None:
        self._makers = makers
        self.running: list[_Running] = []
        self.threads: list[threading.Thread] = []  # which run them, where there are several
        self.code = 0
        self.error: BaseException | None = None  # that nobody expected

    def make_all(self) -> None:
        """Make the nodes one after the other, and run each at once where there are several."""
        try:
            for name, make_node in self._makers.items():
                self._make(name, make_node)
        except BaseException as error:
            self.error = error

    def _make(self, name: str, make_node: MakeNode) -> None:
        try:
            self.running.append(_started(name, make_node))
        except START_ERRORS as error:
            get_logger(name).fatal(" ".join(str(error).split()))
            self.code = 1
            return
        if len(self._makers) > 1:
            self.threads.append(_spinning(self.running[-1]))


def _join(thread: threading.Thread) -> None:
    """Wait for a thread's end; a join without a limit would keep signals from being seen."""
    while thread.is_alive():
        thread.join(1.0)


def _started(name: str, make_node: MakeNode) -> _Running:
    node = make_node()
    make_executor = getattr(node, "make_executor", SurvivingExecutor)
    executor: Executor = make_executor()
    executor.add_node(node)
    return _Running(name, node, executor)


def _spinning(item: _Running) -> threading.Thread:
    """Return a thread that runs a node's callbacks, started."""

    def spin() -> None:
        with contextlib.suppress(ExternalShutdownException):
            item.spin()

    thread = threading.Thread(target=spin, name=item.name, daemon=True)
    thread.start()
    return thread


def _wait_for_signal_thread() -> None:
    """Return when rclpy's thread for signals has done its work, which takes no time.

    It wakes all executors, by a list that it does not lock, and shuts the context down after
    that: an executor that is taken away meanwhile ends the process with a segmentation fault.
    """
    deadline = time.monotonic() + LONGEST_WAKING
    while _interrupted.is_set() and is_alive(rclpy.get_default_context()):
        if time.monotonic() > deadline:
            return
        time.sleep(0.001)


def _others_alive() -> bool:
    """Return whether a thread is left that the interpreter would wait for at its end."""
    main = threading.main_thread()
    return any(not thread.daemon for thread in threading.enumerate() if thread is not main)


def _leave_without_threads(names: str, code: int) -> None:
    sys.stderr.write(
        f"{names}: a thread did not end within {LONGEST_END:g} s; leaving without it\n"
    )
    _leave(code)


def _leave(code: int) -> NoReturn:
    """End the process whatever its threads do."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _interrupt_once(number: int, frame: object) -> None:
    """End the nodes, and let nothing interrupt their end.

    Ctrl-C in a terminal reaches a process twice: from there, and from the launch system. If the
    second one kept threads from being ended, Python would abort in them.
    """
    _interrupted.set()
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
