"""MoveItErrorCodes: the outcome of a request as a code and a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from moveit_msgs.msg import MoveItErrorCodes
from rclpy.node import Node

from rigid_tree_kinematics.errors import OutOfTimeError, RigidTreeError
from rigid_tree_kinematics.nodes.common.requests import (
    NoRobotError,
    UnknownFrameError,
    errors_reported,
)
from rigid_tree_kinematics.planning import PlanStatus

SUCCESS = MoveItErrorCodes.SUCCESS
# Distributions before Iron lack these.
START_STATE_INVALID = getattr(MoveItErrorCodes, "START_STATE_INVALID", -26)

PLANS = {
    PlanStatus.SOLVED: MoveItErrorCodes.SUCCESS,
    PlanStatus.START_BLOCKED: MoveItErrorCodes.START_STATE_IN_COLLISION,
    PlanStatus.GOAL_BLOCKED: MoveItErrorCodes.GOAL_IN_COLLISION,
    PlanStatus.GOAL_UNREACHABLE: MoveItErrorCodes.NO_IK_SOLUTION,
    PlanStatus.START_VIOLATES: MoveItErrorCodes.START_STATE_VIOLATES_PATH_CONSTRAINTS,
    PlanStatus.GOAL_VIOLATES: MoveItErrorCodes.GOAL_VIOLATES_PATH_CONSTRAINTS,
    PlanStatus.WAY_BLOCKED: MoveItErrorCodes.INVALID_MOTION_PLAN,
    PlanStatus.OUT_OF_TIME: MoveItErrorCodes.TIMED_OUT,
    PlanStatus.LIMIT_REACHED: MoveItErrorCodes.PLANNING_FAILED,
    PlanStatus.CANCELLED: MoveItErrorCodes.PREEMPTED,
    PlanStatus.INVALID_INPUT: MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS,
}
REASONS = {  # of ``errors_reported``
    "NO_ROBOT": MoveItErrorCodes.ROBOT_STATE_STALE,
    "UNKNOWN_FRAME": MoveItErrorCodes.FRAME_TRANSFORM_FAILURE,
    "CANCELLED": MoveItErrorCodes.PREEMPTED,
    "OUT_OF_TIME": MoveItErrorCodes.TIMED_OUT,
    "INVALID_REQUEST": MoveItErrorCodes.FAILURE,
    "INTERNAL_ERROR": MoveItErrorCodes.FAILURE,
}


class MoveItError(RigidTreeError):
    """A request fails; ``code`` is one of MoveItErrorCodes."""

    def __init__(self, code: int, message: str) -> None:
        """Keep the code beside the message."""
        super().__init__(message)
        self.code = code


@contextmanager
def error_code(code: int, place: str = "") -> Iterator[None]:
    """Raise a RigidTreeError of this context as a MoveItError, its message behind a place.

    Errors that have a code of their own keep it.
    """
    try:
        yield
    except (MoveItError, NoRobotError, OutOfTimeError, UnknownFrameError):
        raise
    except RigidTreeError as error:
        raise MoveItError(code, f"{place}{error}") from error


@contextmanager
def errors_at(place: str) -> Iterator[None]:
    """Put a place before the messages of errors with a code, and of those of time."""
    try:
        yield
    except MoveItError as error:
        raise MoveItError(error.code, f"{place}{error}") from error
    except OutOfTimeError as error:
        raise OutOfTimeError(f"{place}{error}", error.cancelled) from error


@contextmanager
def outcome_in(node: Node, reply: MoveItErrorCodes) -> Iterator[list[str]]:
    """Fill in the outcome of the work in this context: SUCCESS, or the error that it raises.

    The context has a list of remarks, which are the message of a success.
    """

    def fill(code: int, message: str) -> None:
        reply.val = code
        if hasattr(reply, "message"):  # only newer types have it
            reply.message, reply.source = message, node.get_name()

    def report(reason: str, message: str, error: Exception) -> None:
        code = error.code if isinstance(error, MoveItError) else REASONS[reason]
        fill(code, message)
        node.get_logger().warning(f"{code}: {message}")

    with errors_reported(node, "a request", report):
        remarks: list[str] = []
        yield remarks
        fill(SUCCESS, "; ".join(remarks))
