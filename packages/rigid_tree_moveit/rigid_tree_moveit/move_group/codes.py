"""MoveItErrorCodes: the outcome of a request as a code and a message."""

from collections.abc import Iterator
from contextlib import contextmanager

from moveit_msgs.msg import MoveItErrorCodes as Codes
from rclpy.node import Node

from rigid_tree_kinematics.errors import (
    NoRobotError,
    OutOfTimeError,
    RigidTreeError,
    UnknownFrameError,
)
from rigid_tree_kinematics.nodes.planning import errors_reported
from rigid_tree_kinematics.planning import PlanStatus

SUCCESS = Codes.SUCCESS
# Not in distributions before Iron.
START_STATE_INVALID = getattr(Codes, "START_STATE_INVALID", -26)

PLANS = {
    PlanStatus.SOLVED: Codes.SUCCESS,
    PlanStatus.START_BLOCKED: Codes.START_STATE_IN_COLLISION,
    PlanStatus.GOAL_BLOCKED: Codes.GOAL_IN_COLLISION,
    PlanStatus.GOAL_UNREACHABLE: Codes.NO_IK_SOLUTION,
    PlanStatus.START_VIOLATES: Codes.START_STATE_VIOLATES_PATH_CONSTRAINTS,
    PlanStatus.GOAL_VIOLATES: Codes.GOAL_VIOLATES_PATH_CONSTRAINTS,
    PlanStatus.WAY_BLOCKED: Codes.INVALID_MOTION_PLAN,
    PlanStatus.OUT_OF_TIME: Codes.TIMED_OUT,
    PlanStatus.LIMIT_REACHED: Codes.PLANNING_FAILED,
    PlanStatus.CANCELLED: Codes.PREEMPTED,
    PlanStatus.INVALID_INPUT: Codes.INVALID_GOAL_CONSTRAINTS,
}
REASONS = {  # of ``errors_reported``
    "NO_ROBOT": Codes.ROBOT_STATE_STALE,
    "UNKNOWN_FRAME": Codes.FRAME_TRANSFORM_FAILURE,
    "CANCELLED": Codes.PREEMPTED,
    "OUT_OF_TIME": Codes.TIMED_OUT,
    "INVALID_REQUEST": Codes.FAILURE,
    "INTERNAL_ERROR": Codes.FAILURE,
}


class MoveItError(RigidTreeError):
    """A request fails; ``code`` is one of MoveItErrorCodes."""

    def __init__(self, code: int, message: str) -> None:
        """Store the code and the message."""
        super().__init__(message)
        self.code = code


@contextmanager
def error_code(code: int, prefix: str = "") -> Iterator[None]:
    """Raise a RigidTreeError of this context as a MoveItError, with a location as prefix.

    Errors with their own code keep it.
    """
    try:
        yield
    except (MoveItError, NoRobotError, OutOfTimeError, UnknownFrameError):
        raise
    except RigidTreeError as error:
        raise MoveItError(code, f"{prefix}{error}") from error


@contextmanager
def errors_at(prefix: str) -> Iterator[None]:
    """Prefix the messages of MoveItErrors and OutOfTimeErrors with a location."""
    try:
        yield
    except MoveItError as error:
        raise MoveItError(error.code, f"{prefix}{error}") from error
    except OutOfTimeError as error:
        raise OutOfTimeError(f"{prefix}{error}", error.cancelled) from error


@contextmanager
def outcome_in(node: Node, reply: Codes) -> Iterator[list[str]]:
    """Fill in the outcome of the work in this context: SUCCESS, or the error that it raises.

    The context has a list of remarks: the message in case of success.
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
