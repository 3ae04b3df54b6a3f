"""move_group's service plan_sequence_path: motions one after the other, blended or not."""

from __future__ import annotations

import copy
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from moveit_msgs.msg import (
    MotionPlanRequest,
    MotionPlanResponse,
    MotionSequenceItem,
    MotionSequenceRequest,
    MotionSequenceResponse,
    MoveItErrorCodes,
    PlanningScene,
    RobotState,
)
from moveit_msgs.srv import GetMotionSequence

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.moveit.interface.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    SUCCESS,
    MoveItError,
    MoveItRobot,
    answering,
    refusing,
    robot_state,
    tell,
)
from rigid_tree_kinematics.nodes.moveit.plan import (
    general_settings,
    planning_time,
    speed_limit,
    timed_trajectory,
)
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    Trajectory,
    blended,
    eased,
    joined,
    joint_excess,
    speed_excess,
)
from rigid_tree_kinematics.planning.tool import exact_solver

INVALID_PLAN = MoveItErrorCodes.INVALID_MOTION_PLAN


@dataclass
class _Motion:
    """One item's motion, or what several of one group have become."""

    group: Group
    planner: MotionPlanner
    trajectory: Trajectory
    limits: tuple[Array, Array]
    speed: tuple[str, float] | None  # of a link, m/s


class SequenceServices:
    """Plans several motions in a row, by Pilz' rules."""

    def __init__(self, server: MoveItServer, plans: PlanServices) -> None:
        self._server = server
        self._plans = plans
        server.offer(GetMotionSequence, "plan_sequence_path", self._on_sequence)

    async def _on_sequence(
        self, request: GetMotionSequence.Request, response: GetMotionSequence.Response
    ) -> GetMotionSequence.Response:
        await self.plan(request.request, response.response, threading.Event())
        return response

    async def plan(
        self,
        request: MotionSequenceRequest,
        response: MotionSequenceResponse,
        cancel: threading.Event,
        diff: PlanningScene | None = None,
    ) -> None:
        """Fill in a response, whatever happens."""
        async with self._server.slots.slot(cancel):
            await self._planned(request, response, cancel, diff)

    async def _planned(
        self,
        request: MotionSequenceRequest,
        response: MotionSequenceResponse,
        cancel: threading.Event,
        diff: PlanningScene | None,
    ) -> None:
        begin = time.monotonic()
        with answering(self._server, response.error_code):
            robot = self._server.present_robot
            if request.items:
                state = request.items[0].req.start_state
                settings = self._server.settings
                limit = sum(planning_time(item.req, settings) for item in request.items)
                deadline = Deadline(limit, cancel)
                self._server.wait_for_start(robot, state, deadline)
                scene = await self._plans.scene(state, robot, deadline, diff)
                start, motions = await self._motions(request.items, robot, scene, cancel)
                response.sequence_start = start
                prefix = self._server.settings.frame_prefix
                response.planned_trajectories = [
                    timed_trajectory(motion.trajectory, motion.planner, prefix)
                    for motion in self._in_a_row(request.items, motions, robot, deadline)
                ]
                self._plans.show(robot, response.planned_trajectories, start)
            response.planning_time = time.monotonic() - begin
            tell(self._server, response.error_code, SUCCESS)

    async def _motions(
        self,
        items: Sequence[MotionSequenceItem],
        robot: MoveItRobot,
        scene: Scene,
        cancel: threading.Event,
    ) -> tuple[RobotState, list[_Motion]]:
        """Return where the first motion begins, and all motions, each planned by itself."""
        _check_radii(items)
        start = items[0].req.start_state
        q = robot.start(start)
        first = robot_state(robot, q)
        seen: set[str] = set()
        motions = []
        for number, item in enumerate(items):
            deadline = Deadline(planning_time(item.req, self._server.settings), cancel)
            q = _start(item.req, number, q, robot, seen)
            asked = copy.copy(item.req)
            asked.start_state = robot_state(robot, q)
            try:
                result = await self._plans.planned(
                    asked, robot, scene, deadline, MotionPlanResponse()
                )
            except MoveItError as error:
                raise MoveItError(error.code, f"item {number}: {error}") from error
            except OutOfTimeError as error:
                raise OutOfTimeError(f"item {number}: {error}", error.cancelled) from error
            trajectory = result.trajectory
            if trajectory is None:
                raise MoveItError(INVALID_PLAN, f"item {number}: {result.message}")
            group = robot.group(item.req.group_name)
            planner = MotionPlanner(
                robot.tree, robot.checkers.checker(scene), moving_joints=list(group.joints)
            )
            limits = planner.limits(general_settings(item.req, self._server.settings))
            speed = speed_limit(item.req, robot, group)
            motions.append(_Motion(group, planner, trajectory, limits, speed))
            q = trajectory.positions[-1]
        return first, motions

    def _in_a_row(
        self,
        items: Sequence[MotionSequenceItem],
        motions: list[_Motion],
        robot: MoveItRobot,
        deadline: Deadline,
    ) -> list[_Motion]:
        """Return one motion for each run of motions of one group."""
        radii = [self._radius(k, items, motions) for k in range(len(items) - 1)]
        _check_overlaps(radii, motions, robot)
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
            rows[-1] = _Motion(motion.group, motion.planner, trajectory, limits, speed)
        return rows

    def _radius(
        self, number: int, items: Sequence[MotionSequenceItem], motions: list[_Motion]
    ) -> float:
        """Return the radius behind an item: 0 where nothing can be blended, with a warning."""
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
    """Return where an item begins: where the ones before ended, or as its group's first says."""
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
    with refusing(MoveItErrorCodes.INVALID_ROBOT_STATE):
        return robot.named.merge(q, state.name, state.position, strict=True)


def _check_overlaps(radii: list[float], motions: list[_Motion], robot: MoveItRobot) -> None:
    """Refuse two blends that meet, by the distance of the corners that they are around."""
    for k in range(len(radii) - 1):
        both = radii[k] + radii[k + 1]
        group = motions[k].group
        if both == 0.0 or group.name != motions[k + 1].group.name or not group.tip:
            continue
        corners = [
            body_transform(robot.tree, motion.trajectory.positions[-1], group.tip)[:3, 3]
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
    """Return the limits that both motions keep to."""
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
        with refusing(MoveItErrorCodes.FAILURE):
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
