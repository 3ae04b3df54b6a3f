"""MoveItErrorCodes: what went wrong, as a code and in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from moveit_msgs.msg import MoveItErrorCodes
from rclpy.node import Node

from rigid_tree_kinematics.errors import OutOfTimeError, RigidTreeError, plain
from rigid_tree_kinematics.nodes.common.process import report_error
from rigid_tree_kinematics.nodes.common.requests import NoRobotError, UnknownFrameError
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


class MoveItError(RigidTreeError):
    """A request cannot be served; ``code`` is one of MoveItErrorCodes."""

    def __init__(self, code: int, message: str) -> None:
        """Keep the code beside the words."""
        super().__init__(message)
        self.code = code


@contextmanager
def refusing(code: int, place: str = "") -> Iterator[None]:
    """Give what is raised inside this context as a RigidTreeError a code, behind its place."""
    try:
        yield
    except (MoveItError, NoRobotError, OutOfTimeError, UnknownFrameError):
        raise
    except RigidTreeError as error:
        raise MoveItError(code, f"{place}{error}") from error


def tell(node: Node, reply: MoveItErrorCodes, code: int, message: str = "") -> None:
    """Fill in what became of a request; newer types have words as well, the log always has."""
    reply.val = code
    if hasattr(reply, "message"):
        reply.message, reply.source = message, node.get_name()
    if code != MoveItErrorCodes.SUCCESS:
        node.get_logger().warning(f"{code}: {message}")


@contextmanager
def answering(node: Node, reply: MoveItErrorCodes) -> Iterator[None]:
    """Work on a request inside this context: what is raised there becomes the answer."""
    try:
        yield
    except MoveItError as error:
        tell(node, reply, error.code, str(error))
    except NoRobotError as error:
        tell(node, reply, MoveItErrorCodes.ROBOT_STATE_STALE, str(error))
    except UnknownFrameError as error:
        tell(node, reply, MoveItErrorCodes.FRAME_TRANSFORM_FAILURE, str(error))
    except OutOfTimeError as error:
        code = MoveItErrorCodes.PREEMPTED if error.cancelled else MoveItErrorCodes.TIMED_OUT
        tell(node, reply, code, str(error))
    except RigidTreeError as error:
        tell(node, reply, MoveItErrorCodes.FAILURE, str(error))
    except Exception as error:  # a defect; it must not end the node
        report_error(node, "a request", error)
        tell(node, reply, MoveItErrorCodes.FAILURE, plain(f"{type(error).__name__}: {error}"))
