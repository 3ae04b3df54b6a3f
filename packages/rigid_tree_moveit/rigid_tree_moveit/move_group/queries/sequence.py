"""plan_sequence_path: sequences of motions by Pilz' rules, with optional blends."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from moveit_msgs.msg import MotionPlanRequest, MotionSequenceItem
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.text import told_apart
from rigid_tree_moveit.move_group.codes import MoveItError, error_code, errors_at
from rigid_tree_moveit.move_group.queries import trajectories
from rigid_tree_moveit.move_group.queries.motion import MotionQuery
from rigid_tree_moveit.move_group.robot import PlanningContext

INVALID_PLAN = Codes.INVALID_MOTION_PLAN

# Reads a motion and searches for a plan; raises MoveItError, UnknownFrameError.
Search = Callable[
    [MotionPlanRequest, PlanningContext], Awaitable[tuple[MotionQuery, planning.PlanResult]]
]


@dataclass(eq=False)
class _Motion:
    """The motion of one item, or of several items of one group, joined."""

    context: PlanningContext  # of the last item
    trajectory: planning.Trajectory
    limits: tuple[Array, Array]
    speed: trajectories.SpeedLimit | None

    @property
    def group(self) -> Group:
        return self.context.group


@dataclass(frozen=True, eq=False)
class SequenceQuery:
    """A request for motions that follow each other, the first from the context's start.

    ``radii`` (m) are those of the blends after the items; the last one is 0.
    """

    context: PlanningContext
    requests: list[MotionPlanRequest]
    radii: list[float]

    async def plan(
        self, search: Search, warn: Callable[[str], object]
    ) -> list[trajectories.PlannedTrajectory]:
        """Return the trajectories, one for consecutive items of one group.

        ``warn`` is called with warnings. Raises MoveItError, UnknownFrameError, OutOfTimeError.
        """
        deadline = self.context.deadline
        motions = await self._motions(search)
        radii = _possible_radii(self.radii, motions, warn)
        _check_overlaps(radii, motions)
        rows = motions[:1]
        for k, motion in enumerate(motions[1:]):
            deadline.check(k + 1, len(motions), "motions joined")
            if motion.group.name != rows[-1].group.name:
                rows.append(motion)
                continue
            with errors_at(f"item {k}: "):
                rows[-1] = _joined(rows[-1], motion, radii[k], self.context)
        settings = trajectories.read_settings(self.requests[0], self.context.settings)
        for row in rows:  # for blends
            row.trajectory = row.context.planner.within_jerk(row.trajectory, settings)
        first = trajectories.from_outside(rows[0].trajectory, self.context, settings)
        rows[0].trajectory = first
        return [trajectories.PlannedTrajectory(row.trajectory, row.context) for row in rows]

    async def _motions(self, search: Search) -> list[_Motion]:
        """Return the motions of all items, each planned on its own.

        An item starts at the end of the previous one. The first item of a group may have its own
        start state, except the first of all, whose start is that of the sequence.
        """
        context, q = self.context, self.context.start
        seen: set[str] = set()
        motions: list[_Motion] = []
        for number, request in enumerate(self.requests):
            limit = trajectories.planning_time(request, context.settings)
            deadline = context.deadline.within(limit)
            deadline.limit = limit
            group = context.robot.group(request.group_name).name
            state = request.start_state.joint_state
            if state.name or state.position:
                if group in seen:
                    reason = f"item {number} has a start state; only the first item of group"
                    raise MoveItError(Codes.INVALID_ROBOT_STATE, f"{reason} '{group}' may")
                if number > 0:
                    with error_code(Codes.INVALID_ROBOT_STATE):
                        q, left_out = context.robot.merged(q, state)
                        context.remarks.extend(left_out)
            seen.add(group)
            own = replace(
                context,
                group_name=request.group_name,
                configuration=q,
                frames=context.frames.until(deadline),
            )
            with errors_at(f"item {number}: "):
                query, result = await search(request, own)
                trajectory = query.trajectory(result)
            limits = own.planner.limits(query.settings)
            motions.append(_Motion(own, trajectory, limits, query.speed_limit))
            q = trajectory.positions[-1]
        return motions


def read_sequence(items: Sequence[MotionSequenceItem], context: PlanningContext) -> SequenceQuery:
    """Return a sequence of at least one item; MoveItError for invalid radii."""
    for number, item in enumerate(items):
        if not (math.isfinite(item.blend_radius) and item.blend_radius >= 0.0):
            reason = f"item {number}: blend_radius must be 0 or more, not {item.blend_radius:g}"
            raise MoveItError(INVALID_PLAN, reason)
    if items[-1].blend_radius != 0.0:
        raise MoveItError(INVALID_PLAN, "the last item's blend_radius must be 0")
    radii = [float(item.blend_radius) for item in items]
    return SequenceQuery(context, [item.req for item in items], radii)


def _possible_radii(
    radii: Sequence[float], motions: Sequence[_Motion], warn: Callable[[str], object]
) -> list[float]:
    """Return the radius after each motion but the last; 0 with a warning if impossible."""
    found = []
    for number in range(len(motions) - 1):
        before, after, why = motions[number].group, motions[number + 1].group, ""
        if before.name != after.name:
            why = f"groups '{before.name}' and '{after.name}' differ"
        elif not before.tip:
            why = f"group '{before.name}' has no tip"
        if why and radii[number]:
            warn(f"item {number} ends without a blend: {why}")
        found.append(0.0 if why else radii[number])
    return found


def _check_overlaps(radii: Sequence[float], motions: Sequence[_Motion]) -> None:
    """Raise MoveItError for two blends that overlap."""
    for k in range(len(radii) - 1):
        first, second, both = motions[k], motions[k + 1], radii[k] + radii[k + 1]
        if both == 0.0 or first.group.name != second.group.name or not first.group.tip:
            continue
        apart = planning.distance_between_ends(
            first.context.planner.compiled, first.group.tip, first.trajectory, second.trajectory
        )
        if apart <= both:
            radius, distance = told_apart(both, apart, digits=3)
            reason = f"radii of {radius} m together, but {distance} m between the items' ends"
            overlap = f"the blends after items {k} and {k + 1} overlap: {reason}"
            raise MoveItError(INVALID_PLAN, overlap)


def _joined(first: _Motion, second: _Motion, radius: float, sequence: PlanningContext) -> _Motion:
    """Return two motions as one, within the limits that both respect."""
    velocity, acceleration = map(np.maximum, first.limits, second.limits)
    speed = None
    if first.speed and second.speed and first.speed.link == second.speed.link:
        speed = max(first.speed, second.speed, key=lambda limit: limit.speed)
    limits, planner = (velocity, acceleration), second.context.planner
    if radius == 0.0:
        trajectory = planning.joined(first.trajectory, second.trajectory)
        return _Motion(second.context, trajectory, limits, speed)
    solver = planning.exact_solver(planner.compiled, second.group.tip, planner.locked)
    with error_code(Codes.FAILURE):
        trajectory = planning.blended(
            solver, planner.checker, first.trajectory, second.trajectory, radius, sequence.deadline
        )
    excesses = [planning.joint_excess(limits, planner.space.moving)]
    if speed is not None:
        excesses.append(planning.speed_excess(planner.compiled, speed.link, speed.speed))
    trajectory = planning.eased(trajectory, *excesses, deadline=sequence.deadline)
    return _Motion(second.context, trajectory, limits, speed)
