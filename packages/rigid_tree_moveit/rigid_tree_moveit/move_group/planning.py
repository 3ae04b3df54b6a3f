"""Motion plan requests, for the sampling-based planners and for Pilz' PTP, LIN and CIRC."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np
from moveit_msgs.msg import Constraints, MotionPlanRequest
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import Constraint
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.planning import START_ADVICE
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages, requests
from rigid_tree_moveit.move_group.messages import Job, MoveItError, error_code

PIPELINE = "ompl"
PLANNER_IDS = ("RRTConnectkConfigDefault", "RRTkConfigDefault", "RRTstarkConfigDefault")
# OMPL's planners in lower case, by the most similar planner here: those that search from both ends
# or by a roadmap, those that grow one tree, and those that optimize the path.
PLANNERS = {
    name: planner
    for planner, names in {
        "rrt_connect": "rrtconnect bitrrt biest bkpiece lbkpiece sbl prm lazyprm",
        "rrt": "rrt trrt est projest kpiece pdst stride",
        "aorrtc": "aorrtc rrtstar prmstar lazyprmstar fmt bfmt lbtrrt spars sparstwo "
        "informedrrtstar bitstar abitstar aitstar anytimepathshortening aps",
    }.items()
    for name in names.split()
}
MOST_ATTEMPTS = 100
PILZ_PIPELINE = "pilz_industrial_motion_planner"
PILZ_PLANNER_IDS = ("PTP", "LIN", "CIRC")
CENTER, INTERIM = "center", "interim"
INVALID_GOAL = Codes.INVALID_GOAL_CONSTRAINTS
INVALID_PLAN = Codes.INVALID_MOTION_PLAN

Search: TypeAlias = tuple[planning.PlanSettings, Callable[[], planning.PlanResult]]


async def plan(job: Job, limits: planning.ToolLimits) -> planning.PlanResult:
    """Plan and fill in the response except its code; raises MoveItError, UnknownFrameError.

    ``limits`` apply to LIN and CIRC.
    """
    response = job.response
    response.group_name = job.group.name
    response.trajectory_start = messages.start_state(job)
    unused: list[Constraint] = []
    if is_prescribed(job.request):
        settings, search = await _prescribed_search(job, limits)
        unused = await _unused_constraints(job)
    else:
        settings, search = await _sampling_search(job)
    with error_code(messages.START_STATE_INVALID, "start: "):
        job.planner.space.inside(job.start)
    if not job.checker.is_free(job.start):
        reason = f"the start is blocked: {job.checker.check(job.start).message}{START_ADVICE}"
        raise MoveItError(Codes.START_STATE_IN_COLLISION, reason)
    result = search()
    response.planning_time = job.deadline.seconds
    if not result.success:
        raise MoveItError(messages.PLANS[result.status], result.message)
    _check_unused(job, unused, result)
    result = requests.within_speed(job, result, settings)
    response.trajectory = requests.planned_trajectory(job, result, settings)
    return result


def is_prescribed(request: MotionPlanRequest) -> bool:
    """Return whether a request is for one of Pilz' planners."""
    return request.pipeline_id == PILZ_PIPELINE or (
        not request.pipeline_id and request.planner_id in PILZ_PLANNER_IDS
    )


def planner_warning(request: MotionPlanRequest) -> str:
    """Return a warning about a planner_id that the default replaces; empty if it is known."""
    name = request.planner_id
    if not name or is_prescribed(request) or _plain(name) in PLANNERS:
        return ""
    known = ", ".join(PLANNER_IDS)
    return f"planner_id '{name}' is unknown, using the default; known: {known}"


def _plain(planner_id: str) -> str:
    """Return OMPL's name in a planner_id like 'arm[RRTkConfigDefault]' or 'geometric::RRT'."""
    name = planner_id.rpartition("[")[2].rstrip("]").rpartition("::")[2]
    return name.removesuffix("ConfigDefault").removesuffix("k").lower()


# -- sampling-based planners ---------------------------------------------------------------------


async def _sampling_search(job: Job) -> Search:
    """Return a request's settings and its search; MoveItError FAILURE for an unknown pipeline."""
    request = job.request
    if request.pipeline_id not in ("", PIPELINE):
        all_ids = {PIPELINE: PLANNER_IDS, PILZ_PIPELINE: PILZ_PLANNER_IDS}
        known = " and ".join(f"'{name}' with {', '.join(ids)}" for name, ids in all_ids.items())
        reason = f"pipeline '{request.pipeline_id}' is not available; known: {known}"
        raise MoveItError(Codes.FAILURE, reason)
    settings = requests.motion_settings(request, job.settings)
    planner = PLANNERS.get(_plain(request.planner_id), settings.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    constraints = await requests.path_constraints(job)
    if constraints and planner == "rrt":
        planner = "rrt_connect"  # the other does not support them
    settings = replace(settings, planner=planner, runs=runs)
    if not request.goal_constraints:
        raise MoveItError(INVALID_GOAL, "there is no goal")
    goals = []
    for number, alternative in enumerate(request.goal_constraints):
        job.deadline.check(number, len(request.goal_constraints), "goals read")
        goals += await messages.goals_of(alternative, job)
    with error_code(Codes.PLANNING_FAILED):
        job.planner.path_constraints(constraints)
    search = partial(job.planner.plan, job.start, goals, settings, constraints=constraints)
    return settings, partial(search, deadline=job.deadline)


# -- motions on prescribed paths -----------------------------------------------------------------


async def _prescribed_search(job: Job, limits: planning.ToolLimits) -> Search:
    """Return a request's settings and its search; raises MoveItError, UnknownFrameError."""
    request = job.request
    if request.planner_id not in PILZ_PLANNER_IDS:
        reason = f"unknown planner_id '{request.planner_id}'; known: {', '.join(PILZ_PLANNER_IDS)}"
        raise MoveItError(Codes.PLANNING_FAILED, f"pipeline '{PILZ_PIPELINE}': {reason}")
    circular = request.planner_id == "CIRC"
    settings = requests.motion_settings(request, job.settings)
    end = settings, job.deadline
    goal = await _goal(job)
    if request.planner_id == "PTP":
        return settings, partial(planning.move_joints, job.planner, job.start, goal, *end)
    link, first, last = _ends(job, goal)
    path = await _arc(job, first, last) if circular else planning.ToolLine(first, last)

    def search() -> planning.PlanResult:
        with error_code(INVALID_GOAL):
            return planning.move_tool(job.planner, link, job.start, path, limits, *end)

    return settings, search


async def _unused_constraints(job: Job) -> list[Constraint]:
    """Return the path constraints that a prescribed path is not planned by.

    As in Pilz, they are ignored in planning; MoveIt's ValidateSolution checks the path. A region
    without shapes, such as CIRC's point in a request for another planner, constrains nothing.
    """
    given, found = job.request.path_constraints, []
    fields = ["joint", "orientation", "visibility"]
    fields += ["position"] if job.request.planner_id != "CIRC" else []
    for name in (f"{field}_constraints" for field in fields):
        for item in getattr(given, name):
            volume = getattr(item, "constraint_region", None)
            if volume is not None and not (volume.primitives or volume.meshes):
                continue
            one = Constraints(**{name: [item]})
            found += await messages.read_constraints(one, job, Codes.PLANNING_FAILED)
    if any(getattr(given, f"{field}_constraints") for field in fields):
        used = ", which has a path of its own; the path is checked" if found else ""
        job.remarks.append(f"path_constraints are not used by {job.request.planner_id}{used}")
    return found


def _check_unused(job: Job, unused: list[Constraint], result: planning.PlanResult) -> None:
    """Raise MoveItError if the trajectory of a prescribed path violates path constraints."""
    with error_code(Codes.PLANNING_FAILED):
        constraints = job.planner.path_constraints(unused)
    if constraints is None or result.trajectory is None:
        return
    for q in result.trajectory.positions:
        if not constraints.met(q):
            reason = f"the path of {job.request.planner_id} violates the path constraints"
            raise MoveItError(INVALID_PLAN, f"{reason}: {constraints.why(q)}")


async def _goal(job: Job) -> Array | planning.PoseGoal:
    """Return the single goal: a configuration or a pose."""
    request = job.request
    if len(request.goal_constraints) != 1:
        reason = f"{request.planner_id} takes one goal, not {len(request.goal_constraints)}"
        raise MoveItError(INVALID_GOAL, reason)
    goal = (await messages.goals_of(request.goal_constraints[0], job))[0]
    if isinstance(goal, np.ndarray | planning.PoseGoal):
        return goal
    reason = "must be joint positions or a position with an orientation"
    raise MoveItError(INVALID_GOAL, f"the goal of {request.planner_id} {reason}")


def _ends(job: Job, goal: Array | planning.PoseGoal) -> tuple[str, Array, Array]:
    """Return the link that follows the path, and its poses at the start and at the goal."""
    tree = job.robot.tree
    if isinstance(goal, planning.PoseGoal):
        return goal.body, body_transform(tree, job.start, goal.body), goal.pose
    named = job.request.path_constraints.position_constraints
    link, _ = job.tool(named[0].link_name if named else "")
    return link, body_transform(tree, job.start, link), body_transform(tree, goal, link)


async def _arc(job: Job, first: Array, last: Array) -> planning.ToolArc:
    """Return the arc of a path constraint named 'center' or 'interim'."""
    constraints = job.request.path_constraints
    if constraints.name not in (CENTER, INTERIM):
        reason = f"CIRC needs a path constraint named '{CENTER}' or '{INTERIM}'"
        raise MoveItError(INVALID_PLAN, f"{reason}, not '{constraints.name}'")
    points = constraints.position_constraints
    if len(points) != 1 or len(points[0].constraint_region.primitive_poses) != 1:
        reason = "needs one position constraint, whose region has one primitive_pose: the point"
        raise MoveItError(INVALID_PLAN, f"path constraint '{constraints.name}' {reason}")
    with error_code(INVALID_PLAN):
        T_frame_point = placed_pose(points[0].constraint_region.primitive_poses[0])
        T_base_frame = await job.frames.base_from(points[0].header.frame_id, job.start)
        point = (T_base_frame @ T_frame_point)[:3, 3]
        goal = job.request.goal_constraints[0].position_constraints
        if goal:
            offset = goal[0].target_point_offset
            _, T_link_tool = job.tool(goal[0].link_name)
            shift = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
            point = point - last[:3, :3] @ shift[:3]
        arc = planning.arc_about if constraints.name == CENTER else planning.arc_through
        return arc(first, last, point)
