"""Motion plan requests for the sampling-based planners."""

from __future__ import annotations

from dataclasses import replace

from moveit_msgs.msg import MotionPlanRequest, MoveItErrorCodes

from rigid_tree_kinematics.nodes.moveit.messages import (
    Goals,
    Job,
    MoveItError,
    error_code,
    goals_of,
)
from rigid_tree_kinematics.nodes.moveit.plan.requests import (
    begin_motion,
    check_start,
    finish_motion,
    motion_settings,
    path_constraints,
)
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


async def plan(job: Job) -> PlanResult:
    """Plan and fill in the response except its code; MoveItError, UnknownFrameError."""
    request = job.request
    begin_motion(job)
    settings = plan_settings(request, job.settings)
    constraints = await path_constraints(job)
    if constraints and settings.planner == "rrt":
        settings = replace(settings, planner="rrt_connect")  # the other does not support them
    if not request.goal_constraints:
        raise MoveItError(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS, "there is no goal")
    goals: Goals = []
    for number, alternative in enumerate(request.goal_constraints):
        job.deadline.check(number, len(request.goal_constraints), "goals read")
        goals += await goals_of(alternative, job)
    with error_code(MoveItErrorCodes.PLANNING_FAILED):
        job.planner.path_constraints(constraints)
    check_start(job)
    result = job.planner.plan(
        job.start, goals, settings, constraints=constraints, deadline=job.deadline
    )
    return finish_motion(job, result, settings)


def plan_settings(request: MotionPlanRequest, settings: PlannerSettings) -> PlanSettings:
    """Return how to plan; MoveItError FAILURE for an unknown pipeline."""
    if request.pipeline_id not in ("", PIPELINE):
        raise MoveItError(
            MoveItErrorCodes.FAILURE,
            f"pipeline '{request.pipeline_id}' is not available; there are '{PIPELINE}' with "
            f"{', '.join(PLANNER_IDS)}, and 'pilz_industrial_motion_planner' with PTP, LIN, CIRC",
        )
    chosen = motion_settings(request, settings)
    planner = PLANNERS.get(_plain(request.planner_id), chosen.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    return replace(chosen, planner=planner, runs=runs)


def planner_warning(request: MotionPlanRequest) -> str:
    """Return a warning about a planner_id that the default replaces; empty if it is known."""
    if not request.planner_id or _plain(request.planner_id) in PLANNERS:
        return ""
    known = ", ".join(PLANNER_IDS)
    return f"planner_id '{request.planner_id}' is unknown, using the default; known: {known}"


def _plain(planner_id: str) -> str:
    """Return OMPL's name in a planner_id like 'arm[RRTkConfigDefault]' or 'geometric::RRT'."""
    name = planner_id.rpartition("[")[2].rstrip("]").rpartition("::")[2]
    return name.removesuffix("ConfigDefault").removesuffix("k").lower()
