"""Messages about what a plan did not do for lack of time."""

from __future__ import annotations

from collections.abc import Sequence

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.planning.problem.result import PlanStatus

MOST_REASONS = 10  # why goals were dropped, in a message


def not_tried(deadline: Deadline, tried: int, goals: int) -> str:
    """Return that the time for goals, or all time, was over after ``tried`` of them."""
    place = f"after {tried:,} of {goals:,} goals"
    if deadline.over:
        return deadline.why(place)
    return f"the part of the time limit of {deadline.limit:g} s for goals was over {place}"


def late_status(deadline: Deadline) -> PlanStatus:
    """Return the status of a plan that its deadline stopped."""
    return PlanStatus.CANCELLED if deadline.cancelled else PlanStatus.OUT_OF_TIME


def listed(untried: str, reasons: Sequence[str]) -> str:
    """Return why no goal is left: the first reasons, and how many there are."""
    more = len(reasons) - MOST_REASONS
    words = [*([untried] if untried else []), *reasons[:MOST_REASONS]]
    words += [f"and {more:,} more"] if more > 0 else []
    return "; ".join(words) or "there is no goal"
