"""plan_sequence_path: motions one behind the other by Pilz' rules, blended or not."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from moveit_msgs.msg import (
    MotionPlanRequest,
    MotionPlanResponse,
    MotionSequenceItem,
    MotionSequenceResponse,
    MoveItErrorCodes,
)

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.moveit.messages import (
    Job,
    MoveItError,
    error_code,
    errors_at,
    robot_state,
)
from rigid_tree_kinematics.nodes.moveit.plan.requests import (
    from_outside,
    motion_settings,
    planning_time,
    speed_limit,
    timed_trajectory,
)
from rigid_tree_kinematics.planning import (
    PlanResult,
    Trajectory,
    blended,
    eased,
    exact_solver,
    joined,
    joint_excess,
    speed_excess,
)

INVALID_PLAN = MoveItErrorCodes.INVALID_MOTION_PLAN


@dataclass
class _Motion:
    """The motion of one item, or of several items of one group, joined."""

    job: Job  # of the last item
    trajectory: Trajectory
    limits: tuple[Array, Array]
    speed: tuple[str, float] | None  # of a link, m/s

    @property
    def group(self) -> Group:
        return self.job.group


async def plan_sequence(
    items: Sequence[MotionSequenceItem],
    job: Job,
    response: MotionSequenceResponse,
    plan: Callable[[Job], Awaitable[PlanResult]],
    warn: Callable[[str], object],
) -> None:
    """Fill in the start and the trajectories: one for items of one group behind each other.

    Args:
        items: of the sequence, one at least.
        job: of the first item, whose deadline is that of the whole sequence.
        response: of the sequence.
        plan: plans the job of one item.
        warn: is called with warnings.

    Raises MoveItError, UnknownFrameError and OutOfTimeError.
    """
    _check_radii(items)
    response.sequence_start = robot_state(job.robot, job.configuration)
    motions = await _motions(items, job, plan)
    radii = [_radius(k, items, motions, warn) for k in range(len(items) - 1)]
    _check_overlaps(radii, motions)
    rows = [motions[0]]
    for k, motion in enumerate(motions[1:]):
        job.deadline.check(k + 1, len(motions), "motions joined")
        if motion.group.name != rows[-1].group.name:
            rows.append(motion)
            continue
        with errors_at(f"item {k}: "):
            rows[-1] = _joined(rows[-1], motion, radii[k], job.deadline)
    settings = motion_settings(items[0].req, job.settings)
    for row in rows:  # for blends
        row.trajectory = row.job.planner.within_jerk(row.trajectory, settings)
    rows[0].trajectory = from_outside(job, rows[0].trajectory, settings)
    response.planned_trajectories = [timed_trajectory(row.trajectory, row.job) for row in rows]


async def _motions(
    items: Sequence[MotionSequenceItem],
    job: Job,
    plan: Callable[[Job], Awaitable[PlanResult]],
) -> list[_Motion]:
    """Return the motions of all items, each planned on its own."""
    q = job.start
    seen: set[str] = set()
    motions = []
    for number, item in enumerate(items):
        deadline = job.deadline.within(planning_time(item.req, job.settings))
        deadline.limit = planning_time(item.req, job.settings)
        q = _start(item.req, number, q, job, seen)
        own = replace(
            job,
            request=item.req,
            response=MotionPlanResponse(),
            state=robot_state(job.robot, q),
            group_name=item.req.group_name,
            frames=job.frames.until(deadline),
        )
        with errors_at(f"item {number}: "):
            result = await plan(own)
            if result.trajectory is None:
                raise MoveItError(INVALID_PLAN, result.message)
        limits = own.planner.limits(motion_settings(item.req, job.settings))
        motions.append(_Motion(own, result.trajectory, limits, speed_limit(own)))
        q = result.trajectory.positions[-1]
    return motions


def _start(request: MotionPlanRequest, number: int, q: Array, job: Job, seen: set[str]) -> Array:
    """Return the start of an item: the end of those before, or its own start state."""
    group = job.robot.group(request.group_name).name
    state = request.start_state.joint_state
    given = bool(state.name or state.position)
    if given and group in seen:
        raise MoveItError(
            MoveItErrorCodes.INVALID_ROBOT_STATE,
            f"item {number} has a start state; only the first item of group '{group}' may",
        )
    seen.add(group)
    if number == 0 or not given:
        return q
    with error_code(MoveItErrorCodes.INVALID_ROBOT_STATE):
        return job.robot.named.merge(q, state.name, state.position, strict=True)


def _check_radii(items: Sequence[MotionSequenceItem]) -> None:
    for number, item in enumerate(items):
        if not (math.isfinite(item.blend_radius) and item.blend_radius >= 0.0):
            raise MoveItError(
                INVALID_PLAN,
                f"item {number}: blend_radius is 0 or more, not {item.blend_radius:g}",
            )
    if items[-1].blend_radius != 0.0:
        raise MoveItError(
            INVALID_PLAN, "the last item's blend_radius is 0: nothing comes after it"
        )


def _radius(
    number: int,
    items: Sequence[MotionSequenceItem],
    motions: Sequence[_Motion],
    warn: Callable[[str], object],
) -> float:
    """Return the blend radius after an item; 0 with a warning if a blend is impossible."""
    radius = float(items[number].blend_radius)
    group, after = motions[number].group, motions[number + 1].group
    if radius == 0.0 or (group.name == after.name and group.tip):
        return radius
    differ = f"groups '{group.name}' and '{after.name}' differ"
    why = differ if group.name != after.name else f"group '{group.name}' has no tip"
    warn(f"item {number} ends without a blend: {why}")
    return 0.0


def _check_overlaps(radii: Sequence[float], motions: Sequence[_Motion]) -> None:
    """Raise MoveItError for two blends that overlap."""
    for k in range(len(radii) - 1):
        both, (first, second) = radii[k] + radii[k + 1], motions[k : k + 2]
        if both == 0.0 or first.group.name != second.group.name or not first.group.tip:
            continue
        ends = np.stack([first.trajectory.positions[-1], second.trajectory.positions[-1]])
        corners = body_transform(first.job.robot.tree, ends, first.group.tip)[:, :3, 3]
        apart = float(np.linalg.norm(corners[1] - corners[0]))
        if apart <= both:
            raise MoveItError(
                INVALID_PLAN,
                f"the blends behind items {k} and {k + 1} overlap: their radii are {both:g} m "
                f"together, and {apart:.3f} m lie between the ends of the two items",
            )


def _joined(first: _Motion, second: _Motion, radius: float, deadline: Deadline) -> _Motion:
    """Return two motions as one, within the limits that both respect."""
    velocity, acceleration = map(np.maximum, first.limits, second.limits)
    speed = None
    if first.speed and second.speed and first.speed[0] == second.speed[0]:
        speed = max(first.speed, second.speed)
    limits, planner = (velocity, acceleration), second.job.planner
    if radius == 0.0:
        trajectory = joined(first.trajectory, second.trajectory)
        return _Motion(second.job, trajectory, limits, speed)
    solver = exact_solver(planner.compiled, second.group.tip, planner.locked)
    with error_code(MoveItErrorCodes.FAILURE):
        trajectory = blended(
            solver, planner.checker, first.trajectory, second.trajectory, radius, deadline
        )
    excesses = [joint_excess(limits, planner.space.moving)]
    if speed is not None:
        excesses.append(speed_excess(planner.compiled, *speed))
    return _Motion(second.job, eased(trajectory, *excesses, deadline=deadline), limits, speed)
