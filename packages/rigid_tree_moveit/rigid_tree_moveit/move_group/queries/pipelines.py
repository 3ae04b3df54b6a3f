"""The planning pipelines: OMPL's names of sampling-based planners, Pilz', CHOMP and STOMP."""

from moveit_msgs.msg import MotionPlanRequest
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics.planning import OPTIMIZE, ToolLimits
from rigid_tree_moveit.move_group.codes import MoveItError
from rigid_tree_moveit.move_group.queries.motion import (
    PLANNERS,
    MotionQuery,
    plain_planner_id,
    read_sampled,
)
from rigid_tree_moveit.move_group.queries.pilz import PILZ_PLANNER_IDS, read_prescribed
from rigid_tree_moveit.move_group.robot import PlanningContext

PIPELINE, PILZ_PIPELINE = "ompl", "pilz_industrial_motion_planner"
PLANNER_IDS = {  # by pipeline
    PIPELINE: ("RRTConnectkConfigDefault", "RRTkConfigDefault", "RRTstarkConfigDefault"),
    PILZ_PIPELINE: PILZ_PLANNER_IDS,
    "chomp": ("CHOMP",),
    "stomp": ("STOMP",),
}
OPTIMIZERS = ("chomp", "stomp")  # pipelines


def _pipeline(request: MotionPlanRequest) -> str:
    """Return the pipeline of a request, by default that of its planner."""
    of_planner = (key for key, ids in PLANNER_IDS.items() if request.planner_id in ids)
    return request.pipeline_id or next(of_planner, PIPELINE)


async def read_motion(
    request: MotionPlanRequest, context: PlanningContext, limits: ToolLimits
) -> MotionQuery:
    """Return a request for one of the planners; raises MoveItError, UnknownFrameError.

    ``limits`` apply to LIN and CIRC.
    """
    pipeline, name = _pipeline(request), request.planner_id
    if pipeline == PIPELINE:
        return await read_sampled(request, context)
    if pipeline in OPTIMIZERS:
        context.remarks.append(f"planner 'optimize' is used in place of {pipeline.upper()}")
        return await read_sampled(request, context, OPTIMIZE)
    if pipeline != PILZ_PIPELINE:
        known = [f"'{key}' with {', '.join(ids)}" for key, ids in PLANNER_IDS.items()]
        reason = f"pipeline '{pipeline}' is not available; known: {' and '.join(known)}"
        raise MoveItError(Codes.FAILURE, reason)
    if name not in PILZ_PLANNER_IDS:
        reason = f"unknown planner_id '{name}'; known: {', '.join(PILZ_PLANNER_IDS)}"
        raise MoveItError(Codes.PLANNING_FAILED, f"pipeline '{pipeline}': {reason}")
    return await read_prescribed(request, context, limits)


def planner_warning(request: MotionPlanRequest) -> str:
    """Return a warning about a planner_id that the default replaces; empty if it is known."""
    name = request.planner_id
    if not name or _pipeline(request) != PIPELINE or plain_planner_id(name) in PLANNERS:
        return ""
    known = ", ".join(PLANNER_IDS[PIPELINE])
    return f"planner_id '{name}' is unknown, using the default; known: {known}"
