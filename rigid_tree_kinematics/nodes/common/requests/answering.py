"""Answers to requests: whatever goes wrong becomes a reply with a code and a reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.node import Node

from rigid_tree_kinematics.errors import OutOfTimeError, RigidTreeError, plain
from rigid_tree_kinematics.nodes.common.process import report_error


class NoRobotError(RigidTreeError):
    """There is no robot description yet."""


class UnknownFrameError(RigidTreeError, LookupError):
    """TF has no transform between two frames; the message has tf2's reason."""


@contextmanager
def answering(node: Node, reply: Any) -> Iterator[None]:
    """Work on a request inside this context: what is raised there becomes the answer.

    ``reply`` has the fields success, code and message, and its type the constants NO_ROBOT,
    INVALID_REQUEST, INTERNAL_ERROR and, where frames are looked up, UNKNOWN_FRAME, where there is
    a time limit, OUT_OF_TIME, and where requests can be cancelled, CANCELLED.
    """
    try:
        yield
    except NoRobotError as error:
        refuse(reply, reply.NO_ROBOT, error)
    except UnknownFrameError as error:
        refuse(reply, reply.UNKNOWN_FRAME, error)
    except OutOfTimeError as error:
        refuse(reply, reply.CANCELLED if error.cancelled else reply.OUT_OF_TIME, error)
    except RigidTreeError as error:
        refuse(reply, reply.INVALID_REQUEST, error)
    except Exception as error:  # a defect; it must not end the node
        report_error(node, type(reply).__name__, error)
        refuse(reply, reply.INTERNAL_ERROR, plain(f"{type(error).__name__}: {error}"))


def refuse(reply: Any, code: int, reason: object) -> None:
    """Make a reply one that says what was wrong."""
    reply.success = False
    reply.code = code
    reply.message = str(reason)
