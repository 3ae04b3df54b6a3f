"""Errors of requests as a code and a message in the reply."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from rclpy.node import Node

from rigid_tree_kinematics.errors import (
    NoRobotError,
    OutOfTimeError,
    RigidTreeError,
    UnknownFrameError,
)
from rigid_tree_kinematics.nodes.common.process import report_error
from rigid_tree_kinematics.text import plain

# Advice for a start in collision.
START_ADVICE = (
    "; move the robot away, or start the simulated one elsewhere with the launch argument "
    "initial_positions:= (see docs/problems.md)"
)


@contextmanager
def errors_reported(
    node: Node, what: str, report: Callable[[str, str, Exception], None]
) -> Iterator[None]:
    """Call ``report(reason, message, error)`` for an error raised inside this context.

    The reason is NO_ROBOT, UNKNOWN_FRAME, CANCELLED, OUT_OF_TIME, INVALID_REQUEST or, for a defect
    in the work on ``what``, which is logged with its traceback, INTERNAL_ERROR.
    """
    try:
        yield
    except RigidTreeError as error:
        reason = "INVALID_REQUEST"
        if isinstance(error, NoRobotError):
            reason = "NO_ROBOT"
        elif isinstance(error, UnknownFrameError):
            reason = "UNKNOWN_FRAME"
        elif isinstance(error, OutOfTimeError):
            reason = "CANCELLED" if error.cancelled else "OUT_OF_TIME"
        report(reason, str(error), error)
    except Exception as error:
        report_error(node, what, error)
        report("INTERNAL_ERROR", plain(f"{type(error).__name__}: {error}"), error)


def errors_in_reply(node: Node, reply: Any) -> AbstractContextManager[None]:
    """Write an error that is raised inside this context into a reply.

    The reply has the fields success, code and message, and its type the constants for the reasons
    (see ``errors_reported``) that can occur.
    """
    return errors_reported(
        node, type(reply).__name__, lambda reason, message, _: reject(reply, reason, message)
    )


def reject(reply: Any, code: str, reason: object) -> None:
    """Fill in a reply that rejects a request; ``code`` is the constant's name."""
    reply.success = False
    reply.code = getattr(reply, code)
    if hasattr(reply, "status"):
        reply.status = code
    reply.message = str(reason)
