"""Motion plan requests, for the sampling-based planners and for Pilz' PTP, LIN and CIRC."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from moveit_msgs.msg import MotionPlanRequest
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics.nodes.common.requests import START_ADVICE
from rigid_tree_kinematics.nodes.moveit import messages
from rigid_tree_kinematics.nodes.moveit.plan import prescribed, requests
from rigid_tree_kinematics.nodes.planning import PlannerSettings
from rigid_tree_kinematics.planning import PlanResult, PlanSettings

PIPELINE = "ompl"
PLANNER_IDS = ("RRTConnectkConfigDefault", "RRTkConfigDefault", "RRTstarkConfigDefault")
# OMPL's planners by the nearest of ours, in lower case: those that find any path from both ends or
# by a roadmap, those that grow one tree, and those that use all the time to shorten the path.
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


async def plan(job: messages.Job, tool: prescribed.ToolSettings) -> PlanResult:
    """Plan and fill in the response except its code; raises MoveItError, UnknownFrameError.

    ``tool`` limits the motions of LIN and CIRC.
    """
    response = job.response
    response.group_name = job.group.name
    response.trajectory_start = messages.robot_state(job.robot, job.configuration)
    if prescribes(job.request):
        settings, search = await prescribed.prescribed_search(job, tool.limits())
    else:
        settings, search = await _sampling_search(job)
    with messages.error_code(messages.START_STATE_INVALID, "start: "):
        job.planner.space.inside(job.start)
    if not job.checker.is_free(job.start):
        words = f"the start is blocked: {job.checker.check(job.start).message}{START_ADVICE}"
        raise messages.MoveItError(Codes.START_STATE_IN_COLLISION, words)
    result = search()
    response.planning_time = job.deadline.seconds
    if not result.success:
        raise messages.MoveItError(messages.PLANS[result.status], result.message)
    result = requests.within_speed(job, result, settings)
    response.trajectory = requests.planned_trajectory(job, result, settings)
    return result


async def _sampling_search(job: messages.Job) -> requests.Search:
    request = job.request
    settings = _plan_settings(request, job.settings)
    constraints = await requests.path_constraints(job)
    if constraints and settings.planner == "rrt":
        settings = replace(settings, planner="rrt_connect")  # the other does not support them
    if not request.goal_constraints:
        raise messages.MoveItError(Codes.INVALID_GOAL_CONSTRAINTS, "there is no goal")
    goals = []
    for number, alternative in enumerate(request.goal_constraints):
        job.deadline.check(number, len(request.goal_constraints), "goals read")
        goals += await messages.goals_of(alternative, job)
    with messages.error_code(Codes.PLANNING_FAILED):
        job.planner.path_constraints(constraints)
    search = partial(job.planner.plan, job.start, goals, settings, constraints=constraints)
    return settings, partial(search, deadline=job.deadline)


def _plan_settings(request: MotionPlanRequest, settings: PlannerSettings) -> PlanSettings:
    """Return the planner settings; raises MoveItError FAILURE for an unknown pipeline."""
    if request.pipeline_id not in ("", PIPELINE):
        all_ids = {PIPELINE: PLANNER_IDS, prescribed.PILZ_PIPELINE: prescribed.PILZ_PLANNER_IDS}
        known = " and ".join(f"'{name}' with {', '.join(ids)}" for name, ids in all_ids.items())
        words = f"pipeline '{request.pipeline_id}' is not available; there are {known}"
        raise messages.MoveItError(Codes.FAILURE, words)
    chosen = requests.motion_settings(request, settings)
    planner = PLANNERS.get(_plain(request.planner_id), chosen.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    return replace(chosen, planner=planner, runs=runs)


def prescribes(request: MotionPlanRequest) -> bool:
    """Return whether a request is for one of Pilz' planners."""
    return request.pipeline_id == prescribed.PILZ_PIPELINE or (
        not request.pipeline_id and request.planner_id in prescribed.PILZ_PLANNER_IDS
    )


def planner_warning(request: MotionPlanRequest) -> str:
    """Return a warning about a planner_id that the default replaces; empty if it is known."""
    name = request.planner_id
    if not name or prescribes(request) or _plain(name) in PLANNERS:
        return ""
    known = ", ".join(PLANNER_IDS)
    return f"planner_id '{name}' is unknown, using the default; known: {known}"


def _plain(planner_id: str) -> str:
    """Return OMPL's name in a planner_id like 'arm[RRTkConfigDefault]' or 'geometric::RRT'."""
    name = planner_id.rpartition("[")[2].rstrip("]").rpartition("::")[2]
    return name.removesuffix("ConfigDefault").removesuffix("k").lower()
