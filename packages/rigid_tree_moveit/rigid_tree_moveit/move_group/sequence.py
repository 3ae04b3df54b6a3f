"""plan_sequence_path: sequences of motions by Pilz' rules, with optional blends."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from moveit_msgs import msg
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import told_apart
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_moveit.move_group import requests
from rigid_tree_moveit.move_group.messages import (
    Job,
    MoveItError,
    error_code,
    errors_at,
    robot_state,
    start_state,
)

INVALID_PLAN = Codes.INVALID_MOTION_PLAN


@dataclass
class _Motion:
    """The motion of one item, or of several items of one group, joined."""

    job: Job  # of the last item
    trajectory: planning.Trajectory
    limits: tuple[Array, Array]
    speed: tuple[str, float] | None  # of a link, m/s

    @property
    def group(self) -> Group:
        return self.job.group


async def plan_sequence(
    items: Sequence[msg.MotionSequenceItem],
    job: Job,
    response: msg.MotionSequenceResponse,
    plan: Callable[[Job], Awaitable[planning.PlanResult]],
    warn: Callable[[str], object],
) -> None:
    """Fill in the start and the trajectories, one for consecutive items of one group.

    ``job`` is the job of the first item, with the deadline of the sequence. ``plan`` plans the job
    of one item; ``warn`` is called with warnings. Raises MoveItError, UnknownFrameError and
    OutOfTimeError.
    """
    for number, item in enumerate(items):
        if not (math.isfinite(item.blend_radius) and item.blend_radius >= 0.0):
            reason = f"item {number}: blend_radius must be 0 or more, not {item.blend_radius:g}"
            raise MoveItError(INVALID_PLAN, reason)
    if items[-1].blend_radius != 0.0:
        raise MoveItError(INVALID_PLAN, "the last item's blend_radius must be 0")
    response.sequence_start = start_state(job)
    motions = await _motions(items, job, plan)
    radii = _radii(items, motions, warn)
    rows = [motions[0]]
    for k, motion in enumerate(motions[1:]):
        job.deadline.check(k + 1, len(motions), "motions joined")
        if motion.group.name != rows[-1].group.name:
            rows.append(motion)
            continue
        with errors_at(f"item {k}: "):
            rows[-1] = _joined(rows[-1], motion, radii[k], job.deadline)
    settings = requests.motion_settings(items[0].req, job.settings)
    for row in rows:  # for blends
        row.trajectory = row.job.planner.within_jerk(row.trajectory, settings)
    rows[0].trajectory = requests.from_outside(job, rows[0].trajectory, settings)
    timed = requests.timed_trajectory
    response.planned_trajectories = [timed(row.trajectory, row.job) for row in rows]


async def _motions(
    items: Sequence[msg.MotionSequenceItem],
    job: Job,
    plan: Callable[[Job], Awaitable[planning.PlanResult]],
) -> list[_Motion]:
    """Return the motions of all items, each planned on its own.

    An item starts at the end of the previous one. The first item of a group may have its own start
    state, except the first of all, whose job has it.
    """
    q = job.start
    seen: set[str] = set()
    motions = []
    for number, item in enumerate(items):
        limit = requests.planning_time(item.req, job.settings)
        deadline = job.deadline.within(limit)
        deadline.limit = limit
        group = job.robot.group(item.req.group_name).name
        state = item.req.start_state.joint_state
        if state.name or state.position:
            if group in seen:
                reason = f"item {number} has a start state; only the first item of group"
                raise MoveItError(Codes.INVALID_ROBOT_STATE, f"{reason} '{group}' may")
            if number > 0:
                with error_code(Codes.INVALID_ROBOT_STATE):
                    q, left_out = job.robot.merged(q, state)
                    job.remarks += left_out
        seen.add(group)
        own = replace(
            job,
            request=item.req,
            response=msg.MotionPlanResponse(),
            state=robot_state(job.robot, q),
            group_name=item.req.group_name,
            frames=job.frames.until(deadline),
        )
        with errors_at(f"item {number}: "):
            result = await plan(own)
            if result.trajectory is None:
                raise MoveItError(INVALID_PLAN, result.message)
        limits = own.planner.limits(requests.motion_settings(item.req, job.settings))
        motions.append(_Motion(own, result.trajectory, limits, requests.speed_limit(own)))
        q = result.trajectory.positions[-1]
    return motions


def _radii(
    items: Sequence[msg.MotionSequenceItem],
    motions: Sequence[_Motion],
    warn: Callable[[str], object],
) -> list[float]:
    """Return the blend radius after each item but the last; 0 with a warning if impossible.

    Raises MoveItError for two blends that overlap.
    """
    radii = []
    for number, (item, first, second) in enumerate(zip(items, motions, motions[1:], strict=False)):
        radii.append(float(item.blend_radius))
        before, after = first.group, second.group
        if radii[-1] and (before.name != after.name or not before.tip):
            differ = f"groups '{before.name}' and '{after.name}' differ"
            why = differ if before.name != after.name else f"group '{before.name}' has no tip"
            warn(f"item {number} ends without a blend: {why}")
            radii[-1] = 0.0
    for k in range(len(radii) - 1):
        both, (first, second) = radii[k] + radii[k + 1], motions[k : k + 2]
        if both == 0.0 or first.group.name != second.group.name or not first.group.tip:
            continue
        ends = np.stack([first.trajectory.positions[-1], second.trajectory.positions[-1]])
        corners = body_transform(first.job.robot.tree, ends, first.group.tip)[:, :3, 3]
        apart = float(np.linalg.norm(corners[1] - corners[0]))
        if apart <= both:
            radius, distance = told_apart(both, apart, digits=3)
            reason = f"radii of {radius} m together, but {distance} m between the items' ends"
            overlap = f"the blends after items {k} and {k + 1} overlap: {reason}"
            raise MoveItError(INVALID_PLAN, overlap)
    return radii


def _joined(first: _Motion, second: _Motion, radius: float, deadline: Deadline) -> _Motion:
    """Return two motions as one, within the limits that both respect."""
    velocity, acceleration = map(np.maximum, first.limits, second.limits)
    speed = None
    if first.speed and second.speed and first.speed[0] == second.speed[0]:
        speed = max(first.speed, second.speed)
    limits, planner = (velocity, acceleration), second.job.planner
    if radius == 0.0:
        trajectory = planning.joined(first.trajectory, second.trajectory)
        return _Motion(second.job, trajectory, limits, speed)
    solver = planning.exact_solver(planner.compiled, second.group.tip, planner.locked)
    with error_code(Codes.FAILURE):
        trajectory = planning.blended(
            solver, planner.checker, first.trajectory, second.trajectory, radius, deadline
        )
    excesses = [planning.joint_excess(limits, planner.space.moving)]
    if speed is not None:
        excesses.append(planning.speed_excess(planner.compiled, *speed))
    trajectory = planning.eased(trajectory, *excesses, deadline=deadline)
    return _Motion(second.job, trajectory, limits, speed)
