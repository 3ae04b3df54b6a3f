"""Start and end of a process with one node or several, and its memory."""

import contextlib
import ctypes
import faulthandler
import gc
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NoReturn

import rclpy
from rclpy import exceptions
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import rclpy_private
from rigid_tree_kinematics.nodes.common.process.executors import SurvivingExecutor
from rigid_tree_kinematics.nodes.common.process.help_text import Declared, help_text
from rigid_tree_kinematics.nodes.common.process.plain_node import report_error
from rigid_tree_kinematics.nodes.common.process.waiting import wait_in_thread

MakeNode = Callable[[], Node]

# Errors of a node's constructor for bad parameters: logged in a line, without a traceback.
START_ERRORS = (
    RigidTreeError,
    exceptions.ParameterException,
    exceptions.InvalidParameterTypeException,
    exceptions.InvalidParameterValueException,
    exceptions.NameValidationException,
)

# A thread that does not end would keep the process alive until the launch system kills it 5 s
# after its first signal.
LONGEST_END = 3.0  # s
LAST_RESORT = 4.0  # s after a signal; also if no Python code can run any more
LONGEST_WAKING = 1.0  # s
M_ARENA_MAX, MOST_ARENAS = -8, 2  # glibc's mallopt(3)
PAUSE_AFTER_ERROR = 0.01  # s, so that a repeated error does not occupy a core

# The signals that requested the end. Not an Event, whose lock would block a handler that
# interrupts another one.
_interrupted: list[int] = []

DELAY = 1.0  # s after a large message, when all of it has been released
_due = threading.Event()  # set while a thread waits to give memory back


@dataclass(frozen=True, eq=False)
class _Running:
    """A node and its executor."""

    node: Node
    executor: Executor
    ending: threading.Event = field(default_factory=threading.Event)

    @property
    def finished(self) -> Future[int] | None:
        """The future of the exit code of a node that ends by itself."""
        return getattr(self.node, "finished", None)

    def spin(self) -> int:
        """Run callbacks until the context or the node is finished; return the exit code."""
        finished = self.finished
        if finished is not None:
            finished.add_done_callback(lambda _: self.executor.wake())
        while not self.ending.is_set() and rclpy_private.is_alive(self.node.context):
            if finished is not None and finished.done():
                return int(finished.result() or 0)
            try:
                self.executor.spin_once()
            except (KeyboardInterrupt, ExternalShutdownException):
                raise
            except Exception as error:  # of rclpy itself, between two callbacks
                if not self.node.context.ok():
                    raise ExternalShutdownException from None
                report_error(self.node, "the executor", error)
                time.sleep(PAUSE_AFTER_ERROR)
        return 0

    def end_callbacks(self) -> None:
        """Stop starting callbacks, and wait for the running ones."""
        self.ending.set()
        self.executor.shutdown()


def run_node(name: str, make_node: MakeNode, declared: Declared = ()) -> int:
    """Run a node until Ctrl-C, SIGTERM or the end of its context; return the exit code.

    The code is 0 after a requested end, and 1 if the node could not start, which is logged in one
    line. A node with an attribute ``finished``, a Future, ends when that gets an exit code, and
    with it all nodes of the process. A method ``make_executor`` of the node returns its executor.
    With the argument --help, print the declared parameters instead.
    """
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(help_text(name, make_node.__module__, declared))
        return 0
    return run_nodes({name: make_node})


def run_nodes(makers: Mapping[str, MakeNode]) -> int:
    """Run nodes together in this process, like ``run_node``.

    Each has its own thread, and runs as soon as it is constructed. If one cannot start, this is
    logged, all of them end, and the exit code is 1.
    """
    # SIGTERM, the launch system's second signal, ends the nodes like Ctrl-C: with an exception and
    # code 0. rclpy's handlers call these ones.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt_once)
    code = 0
    try:
        with _last_resort():
            code = _run(makers)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if not _interrupted:
            raise  # otherwise: Ctrl-C while a node was constructed
    finally:
        _ignore_signals()
        # rclpy destroys the remaining nodes: those whose constructors failed, which may lack
        # attributes.
        with contextlib.suppress(AttributeError):
            rclpy.try_shutdown()
        _ignore_signals()  # try_shutdown puts the old handlers back
    if threading.active_count() > 1 or "qi" in sys.modules:
        leave(code)  # a regular exit would abort in a thread of the middleware or of libqi
    return code


def _share_arenas() -> None:
    """Limit all threads to two memory arenas.

    glibc gives every thread its own, and these do not return memory: 30 threads keep 50 MB. Other
    C libraries have neither these arenas nor this function.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, MOST_ARENAS)


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


def _run(makers: Mapping[str, MakeNode]) -> int:
    _share_arenas()
    _choose_log_folder()
    rclpy_private.leave_out_generator()
    try:
        rclpy.init()
    except RuntimeError as error:  # ROS arguments or a parameter file that rcl rejects
        get_logger(next(iter(makers))).fatal(" ".join(str(error).split()))
        return 1
    made = _Made(makers)
    try:
        # Constructed in another thread: this one receives signals, and an exception raised while
        # kernels are compiled would be lost or late.
        making = _Thread(made.make_all, "making nodes")
        making.wait()
        if made.error is not None:
            raise made.error
        if len(makers) == 1 and made.running:
            return made.running[0].spin()
        # Ctrl-C does not hide that a node could not start.
        with contextlib.suppress(KeyboardInterrupt):
            if made.code:
                signal.raise_signal(signal.SIGINT)  # for the nodes that run
            for thread in made.threads:
                thread.wait()
        return made.code
    finally:
        _ignore_signals()
        message = f"{', '.join(makers)}: a thread did not end within {LONGEST_END:g} s\n"
        watchdog = threading.Timer(LONGEST_END, leave, (made.code, message))
        watchdog.daemon = True
        watchdog.start()
        # rclpy's thread for signals wakes all executors, by a list that it does not lock, and then
        # shuts the context down: destroying an executor meanwhile would crash the process.
        context = rclpy.get_default_context()
        wait_in_thread(
            lambda: not (_interrupted and rclpy_private.is_alive(context)), LONGEST_WAKING
        )
        # This ends that thread: a second signal may have come before they were ignored.
        rclpy_private.remove_signal_handlers()
        for item in made.running:
            item.end_callbacks()
        for thread in made.threads:  # they still use the nodes
            thread.wait()
        for item in made.running:
            item.node.destroy_node()
        if not making.ended.is_set():  # a constructor is still running
            leave(made.code)
        # The interpreter would wait for other threads at its end.
        main = threading.main_thread()
        if all(thread.daemon or thread is main for thread in threading.enumerate()):
            watchdog.cancel()


class _Made:
    """The nodes of a process, or the reason why they could not start."""

    def __init__(self, makers: Mapping[str, MakeNode]) -> None:
        self._makers = makers
        self.running: list[_Running] = []
        self.threads: list[_Thread] = []  # of the nodes, if there are several
        self.code = 0
        self.error: BaseException | None = None  # unexpected

    def make_all(self) -> None:
        """Construct the nodes in sequence; with several, each one runs immediately."""
        for name, make_node in self._makers.items():
            try:
                node = make_node()
                executor: Executor = getattr(node, "make_executor", SurvivingExecutor)()
                executor.add_node(node)
                self.running.append(_Running(node, executor))
            except START_ERRORS as error:
                text = " ".join(str(error).split())
                get_logger(name).fatal(text.removesuffix(" ^"))  # rclpy points into a bad name
                self.code = 1
                return
            except BaseException as error:
                self.error = error
                return
            if len(self._makers) > 1:
                self.threads.append(_Thread(partial(self._spin, self.running[-1]), name))
        give_back_free()  # memory of imports and of reading robots: 9 MB

    def _spin(self, item: _Running) -> None:
        """Run a node's callbacks; when it has finished, end the process like Ctrl-C."""
        with contextlib.suppress(ExternalShutdownException):
            code = item.spin()
            if item.finished is not None and item.finished.done():
                self.code = code
                os.kill(os.getpid(), signal.SIGINT)


class _Thread(threading.Thread):
    """A started thread. After Ctrl-C in ``join``, Python 3.11 takes it for ended."""

    def __init__(self, work: Callable[[], None], name: str) -> None:
        super().__init__(target=work, name=name, daemon=True)
        self.ended = threading.Event()
        self.start()

    def run(self) -> None:
        """Do the work."""
        try:
            super().run()
        finally:
            self.ended.set()

    def wait(self) -> None:
        """Wait until the work is done; a wait without a timeout would block signals."""
        while not self.ended.wait(1.0):
            pass


def leave(code: int, message: str = "") -> NoReturn:
    """Exit the process without waiting for its threads."""
    sys.stdout.flush()
    sys.stderr.write(message)
    sys.stderr.flush()
    os._exit(code)


@contextlib.contextmanager
def _last_resort() -> Iterator[None]:
    """Exit the process LAST_RESORT after a signal; print its threads' stacks to stderr.

    The main thread may be blocked in the middleware, which may even hold Python's lock: a thread
    that waits for the signal's file descriptor starts a timer that runs no Python code.
    """
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)

    def wait() -> None:
        if os.read(read_end, 1):
            faulthandler.dump_traceback_later(LAST_RESORT, exit=True)

    waiting = _Thread(wait, "last resort")
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        os.close(write_end)  # ends the thread
        waiting.join()
        os.close(read_end)
        faulthandler.cancel_dump_traceback_later()


def _interrupt_once(number: int, frame: object) -> None:
    """End the nodes, and ignore further signals.

    Ctrl-C in a terminal reaches a process twice: from the terminal and from the launch system. If
    the second one interrupted the end of threads, Python would abort in them.
    """
    _interrupted.append(number)
    _ignore_signals()
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def give_back_soon(delay: float = DELAY) -> None:
    """Call ``give_back`` in a thread after ``delay`` seconds, unless a call is pending."""

    def give_back_now() -> None:
        _due.clear()
        give_back()

    if not _due.is_set():
        _due.set()
        timer = threading.Timer(delay, give_back_now)
        timer.daemon = True
        timer.start()


def give_back() -> None:
    """Free reference cycles, and return free memory to the system, in 0.1 s to 0.2 s."""
    gc.collect()
    give_back_free()


def give_back_free() -> None:
    """Return free memory to the system, while other threads run.

    glibc keeps memory that was freed in the middle of its heaps; other C libraries do not, and
    lack this function.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
