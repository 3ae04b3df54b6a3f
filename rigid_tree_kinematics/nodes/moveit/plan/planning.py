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
# Names that MoveIt's clients know, in lower case and without "kConfigDefault".
PLANNERS = {"rrtconnect": "rrt_connect", "rrt": "rrt", "rrtstar": "rrt_star"}
PLANNER_IDS = ("RRTConnectkConfigDefault", "RRTkConfigDefault", "RRTstarkConfigDefault")
MOST_ATTEMPTS = 100


async def plan(job: Job) -> PlanResult:
    """Plan and fill in the response except its code; MoveItError, UnknownFrameError."""
    request = job.request
    begin_motion(job)
    settings = plan_settings(request, job.settings)
    constraints = await path_constraints(job)
    if constraints and settings.planner != "rrt_connect":
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"planner_id '{request.planner_id}' does not support path constraints; "
            f"{PLANNER_IDS[0]} does",
        )
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
    """Return how to plan; MoveItError PLANNING_FAILED for an unknown pipeline or planner."""
    known = ", ".join(PLANNER_IDS)
    if request.pipeline_id not in ("", PIPELINE):
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"pipeline '{request.pipeline_id}' is not available; there are '{PIPELINE}' with "
            f"{known}, and 'pilz_industrial_motion_planner' with PTP, LIN, CIRC",
        )
    chosen = motion_settings(request, settings)
    word = request.planner_id.rpartition("[")[2].rstrip("]").removesuffix("kConfigDefault").lower()
    if word and word not in PLANNERS:
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"planner_id '{request.planner_id}' is not available; known: {known}",
        )
    planner = PLANNERS.get(word, chosen.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    # One run of RRT* takes all the time.
    return replace(chosen, planner=planner, runs=1 if planner == "rrt_star" else runs)
