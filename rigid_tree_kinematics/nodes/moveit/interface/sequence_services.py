"""move_group's service plan_sequence_path: sequences of motions, blended or not."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from moveit_msgs.msg import (
    MotionPlanRequest,
    MotionPlanResponse,
    MotionSequenceItem,
    MotionSequenceRequest,
    MotionSequenceResponse,
    MoveItErrorCodes,
    PlanningScene,
)
from moveit_msgs.srv import GetMotionSequence

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.common.process import Cancellation
from rigid_tree_kinematics.nodes.moveit.interface.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    Job,
    MoveItError,
    MoveItRobot,
    error_code,
    outcome_in,
    robot_state,
)
from rigid_tree_kinematics.nodes.moveit.plan import (
    from_outside,
    motion_settings,
    planning_time,
    speed_limit,
    timed_trajectory,
)
from rigid_tree_kinematics.planning import (
    MotionPlanner,
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

    @property
    def planner(self) -> MotionPlanner:
        return self.job.planner


class SequenceServices:
    """Plans sequences of motions by Pilz' rules."""

    def __init__(self, server: MoveItServer, plans: PlanServices) -> None:
        self._server = server
        self._plans = plans
        server.offer(GetMotionSequence, "plan_sequence_path", self._on_sequence)

    async def _on_sequence(
        self, request: GetMotionSequence.Request, response: GetMotionSequence.Response
    ) -> GetMotionSequence.Response:
        await self.plan(request.request, response.response, Cancellation())
        return response

    async def plan(
        self,
        request: MotionSequenceRequest,
        response: MotionSequenceResponse,
        cancellation: Cancellation,
        diff: PlanningScene | None = None,
    ) -> None:
        """Plan and fill in a response, success or not."""
        async with self._server.slots.slot(cancellation):
            begin = time.monotonic()
            with outcome_in(self._server, response.error_code):
                if request.items:
                    await self._planned(request.items, response, cancellation, diff)
                else:
                    await self._server.first_robot()
                response.planning_time = time.monotonic() - begin

    async def _planned(
        self,
        items: Sequence[MotionSequenceItem],
        response: MotionSequenceResponse,
        cancellation: Cancellation,
        diff: PlanningScene | None,
    ) -> None:
        server = self._server
        limits = [planning_time(item.req, server.settings) for item in items]
        deadline = Deadline(sum(limits), cancellation)
        job = await server.motion_job(items[0].req, MotionPlanResponse(), deadline, diff)
        _check_radii(items)
        response.sequence_start = robot_state(job.robot, job.configuration)
        motions = self._in_a_row(items, await self._motions(items, job, cancellation), deadline)
        settings = motion_settings(items[0].req, job.settings)
        for motion in motions:  # for blends
            motion.trajectory = motion.planner.within_jerk(motion.trajectory, settings)
        motions[0].trajectory = from_outside(job, motions[0].trajectory, settings)
        response.planned_trajectories = [
            timed_trajectory(motion.trajectory, motion.planner, job.settings.frame_prefix)
            for motion in motions
        ]
        self._plans.show(job.robot, response.planned_trajectories, response.sequence_start)

    async def _motions(
        self, items: Sequence[MotionSequenceItem], job: Job, cancellation: Cancellation
    ) -> list[_Motion]:
        """Return the motions of all items, each planned on its own."""
        q = job.start
        seen: set[str] = set()
        motions = []
        for number, item in enumerate(items):
            limit = planning_time(item.req, job.settings)
            frames = self._server.base_frames(job.robot, Deadline(limit, cancellation), job.scene)
            q = _start(item.req, number, q, job.robot, seen)
            own = replace(
                job,
                request=item.req,
                response=MotionPlanResponse(),
                state=robot_state(job.robot, q),
                group_name=item.req.group_name,
                frames=frames,
            )
            try:
                result = await self._plans.planned(own)
            except MoveItError as error:
                raise MoveItError(error.code, f"item {number}: {error}") from error
            except OutOfTimeError as error:
                raise OutOfTimeError(f"item {number}: {error}", error.cancelled) from error
            if result.trajectory is None:
                raise MoveItError(INVALID_PLAN, f"item {number}: {result.message}")
            limits = own.planner.limits(motion_settings(item.req, job.settings))
            motions.append(_Motion(own, result.trajectory, limits, speed_limit(own)))
            q = result.trajectory.positions[-1]
        return motions

    def _in_a_row(
        self,
        items: Sequence[MotionSequenceItem],
        motions: list[_Motion],
        deadline: Deadline,
    ) -> list[_Motion]:
        """Return the motions with consecutive ones of one group joined."""
        radii = [self._radius(k, items, motions) for k in range(len(items) - 1)]
        _check_overlaps(radii, motions)
        rows = [motions[0]]
        for k, motion in enumerate(motions[1:]):
            deadline.check(k + 1, len(motions), "motions joined")
            last = rows[-1]
            if motion.group.name != last.group.name:
                rows.append(motion)
                continue
            if radii[k] == 0.0:
                trajectory = joined(last.trajectory, motion.trajectory)
            else:
                trajectory = _blended(k, radii[k], last, motion, deadline)
            limits, speed = _common_limits(last, motion)
            rows[-1] = _Motion(motion.job, trajectory, limits, speed)
        return rows

    def _radius(
        self, number: int, items: Sequence[MotionSequenceItem], motions: list[_Motion]
    ) -> float:
        """Return the blend radius after an item; 0 with a warning if a blend is impossible."""
        radius = float(items[number].blend_radius)
        group, after = motions[number].group, motions[number + 1].group
        if radius == 0.0 or (group.name == after.name and group.tip):
            return radius
        why = (
            f"groups '{group.name}' and '{after.name}' differ"
            if group.name != after.name
            else f"group '{group.name}' has no tip"
        )
        self._server.get_logger().warning(f"item {number} ends without a blend: {why}")
        return 0.0


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


def _start(
    request: MotionPlanRequest, number: int, q: Array, robot: MoveItRobot, seen: set[str]
) -> Array:
    """Return the start of an item: the end of those before, or its own start state."""
    group = robot.group(request.group_name).name
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
        return robot.named.merge(q, state.name, state.position, strict=True)


def _check_overlaps(radii: list[float], motions: list[_Motion]) -> None:
    """Raise MoveItError for two blends that overlap."""
    for k in range(len(radii) - 1):
        both = radii[k] + radii[k + 1]
        group = motions[k].group
        if both == 0.0 or group.name != motions[k + 1].group.name or not group.tip:
            continue
        corners = [
            body_transform(motion.job.robot.tree, motion.trajectory.positions[-1], group.tip)[
                :3, 3
            ]
            for motion in motions[k : k + 2]
        ]
        apart = float(np.linalg.norm(corners[1] - corners[0]))
        if apart <= both:
            raise MoveItError(
                INVALID_PLAN,
                f"the blends behind items {k} and {k + 1} overlap: their radii are {both:g} m "
                f"together, and {apart:.3f} m lie between the ends of the two items",
            )


def _common_limits(
    first: _Motion, second: _Motion
) -> tuple[tuple[Array, Array], tuple[str, float] | None]:
    """Return the limits that both motions respect."""
    velocity, acceleration = (
        np.maximum(one, two) for one, two in zip(first.limits, second.limits, strict=True)
    )
    speed = None
    if first.speed and second.speed and first.speed[0] == second.speed[0]:
        speed = max(first.speed, second.speed)
    return (velocity, acceleration), speed


def _blended(
    number: int, radius: float, first: _Motion, second: _Motion, deadline: Deadline
) -> Trajectory:
    planner = second.planner
    solver = exact_solver(planner.compiled, second.group.tip, planner.locked)
    try:
        with error_code(MoveItErrorCodes.FAILURE):
            trajectory = blended(
                solver, planner.checker, first.trajectory, second.trajectory, radius, deadline
            )
    except MoveItError as error:
        raise MoveItError(error.code, f"item {number}: {error}") from error
    limits, speed = _common_limits(first, second)
    excesses = [joint_excess(limits, planner.space.moving)]
    if speed is not None:
        excesses.append(speed_excess(planner.compiled, *speed))
    return eased(trajectory, *excesses, deadline=deadline)
