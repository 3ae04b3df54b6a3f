"""The base class of all nodes: its namespace, its logger, and the log of callback errors."""

import os
import threading
import time
import traceback
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile

from rigid_tree_kinematics.nodes.common.process.plain_logger import Lines, PlainLogger
from rigid_tree_kinematics.text import plain

# With the default depth of 10, requests and replies of many callers are lost.
SERVICE_QOS = QoSProfile(depth=1000)
MOST_ORIGINS = 100  # of errors that were logged with a traceback
STANDARD_LIBRARY = os.path.dirname(os.__file__)
AGAIN_PERIOD = 5.0  # s between two lines about errors that were logged before
WARNING_PERIOD = 5.0  # s between two warnings of one kind

_namespace: ContextVar[str] = ContextVar("namespace", default="")


@contextmanager
def made_in(namespace: str) -> Iterator[None]:
    """Create PlainNodes within this context in a namespace; empty: the default one."""
    token = _namespace.set(namespace)
    try:
        yield
    finally:
        _namespace.reset(token)


def below(namespace: str, name: str) -> str:
    """Return a name in a namespace; an empty namespace returns the name."""
    return f"{namespace}/{name}" if namespace else name


def _namespace_rule() -> list[str] | None:
    """Return the arguments of nodes in the namespace; they precede those of the process."""
    namespace = _namespace.get()
    return ["--ros-args", "-r", f"__ns:=/{namespace}"] if namespace else None


def given_parameters(name: str) -> dict[str, Any]:
    """Return all parameters that a PlainNode is started with, also those it does not declare.

    They are read by a node of the same name, so call this before the PlainNode is created.
    """
    reader = Node(
        name,
        cli_args=_namespace_rule(),
        enable_rosout=False,
        start_parameter_services=False,
        allow_undeclared_parameters=True,
        automatically_declare_parameters_from_overrides=True,
    )
    try:
        return {name: item.value for name, item in reader.get_parameters_by_prefix("").items()}
    finally:
        reader.destroy_node()


class PlainNode(Node):
    """A node with a PlainLogger, in the namespace of ``made_in``."""

    _plain_logger: PlainLogger | None = None

    def __init__(self, name: str) -> None:
        super().__init__(name, cli_args=_namespace_rule())

    def get_logger(self) -> PlainLogger:  # type: ignore[override]  # with the same methods
        """Return the logger of this node."""
        if self._plain_logger is None:
            self._plain_logger = PlainLogger(super().get_logger())
        return self._plain_logger


class _Reported:
    """The callback errors that a node has logged."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.origins: set[tuple[str, str, int]] = set()
        self.next_line = 0.0


_reported: weakref.WeakKeyDictionary[Node, _Reported] = weakref.WeakKeyDictionary()


def report_error(node: Node, where: str, error: BaseException) -> None:
    """Log an unexpected error, with its traceback once for each origin; thread-safe.

    Repetitions are logged as a line every AGAIN_PERIOD, and so are errors from within rclpy and
    the middleware, such as for undecodable messages. After a shutdown nothing is logged.
    """
    if not node.context.ok():
        return
    frames = traceback.extract_tb(error.__traceback__)
    reported = _reported.setdefault(node, _Reported())
    name, reason = type(error).__name__, plain(str(error))
    last = frames[-1] if frames else None
    origin = (name, last.filename, last.lineno or 0) if last is not None else (name, "", 0)
    is_defect = any(not _is_of_rclpy(frame.filename) for frame in frames)
    if last is not None and last.filename.endswith(os.path.join("rclpy", "serialization.py")):
        is_defect = False  # undecodable bytes
    with reported.lock:
        now = time.monotonic()
        is_new = is_defect and origin not in reported.origins
        is_new = is_new and len(reported.origins) < MOST_ORIGINS
        is_due = not is_new and now >= reported.next_line
        if is_new:
            reported.origins.add(origin)
        elif is_due:
            reported.next_line = now + AGAIN_PERIOD
    if is_new:
        lines = "".join(traceback.format_list(frames))
        node.get_logger().error(
            Lines(f"internal error in {plain(where)}:\n{lines}{name}: {reason}")
        )
    elif is_due:
        node.get_logger().error(f"{where}: {name}: {reason}")


def _is_of_rclpy(filename: str) -> bool:
    """Return whether a stack frame is in rclpy, in Python or in an executor."""
    if filename.startswith(STANDARD_LIBRARY) and "-packages" not in filename:
        return True
    return f"{os.sep}rclpy{os.sep}" in filename or filename.endswith("executors.py")
