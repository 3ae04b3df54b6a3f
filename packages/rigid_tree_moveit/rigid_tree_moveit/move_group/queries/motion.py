"""Motion plan requests for the sampling-based planners, and what all motion plans share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from moveit_msgs.msg import MotionPlanRequest
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.ik import Constraint
from rigid_tree_kinematics.nodes.planning import START_ADVICE
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import (
    PLANS,
    START_STATE_INVALID,
    MoveItError,
    error_code,
)
from rigid_tree_moveit.move_group.queries import trajectories
from rigid_tree_moveit.move_group.robot import PlanningContext

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


@dataclass(frozen=True, eq=False)
class MotionQuery(ABC):
    """A motion plan request as it was read; subclasses know how to search for a path."""

    context: PlanningContext
    settings: planning.PlanSettings
    speed_limit: trajectories.SpeedLimit | None

    @abstractmethod
    def search(self) -> planning.PlanResult:
        """Return a plan, or the reason why there is none."""

    def check_start(self) -> None:
        """Raise MoveItError for a start outside its limits or in collision."""
        context = self.context
        with error_code(START_STATE_INVALID, "start: "):
            context.planner.space.inside(context.start)
        if not context.checker.is_free(context.start):
            reason = context.checker.check(context.start).message
            message = f"the start is blocked: {reason}{START_ADVICE}"
            raise MoveItError(Codes.START_STATE_IN_COLLISION, message)

    def check(self, result: planning.PlanResult) -> None:
        """Raise MoveItError for a plan that cannot be used."""
        if not result.success:
            raise MoveItError(PLANS[result.status], result.message)
        if self.context.deadline.cancelled:  # AORRTC may have found a path nevertheless
            raise MoveItError(Codes.PREEMPTED, "canceled")

    def trajectory(self, result: planning.PlanResult) -> planning.Trajectory:
        """Return the trajectory of a plan; MoveItError if it cannot be used."""
        self.check(result)
        return trajectories.within_limits(result, self.context, self.settings, self.speed_limit)


@dataclass(frozen=True, eq=False)
class SampledMotion(MotionQuery):
    """A motion to the nearest of some goals, by a sampling-based planner."""

    goals: messages.Goals
    constraints: list[Constraint]

    def search(self) -> planning.PlanResult:
        """Return a plan, or the reason why there is none."""
        context = self.context
        return context.planner.plan(
            context.start,
            self.goals,
            self.settings,
            constraints=self.constraints,
            deadline=context.deadline,
        )


async def read_sampled(
    request: MotionPlanRequest, context: PlanningContext, planner: str = ""
) -> SampledMotion:
    """Return a request for a sampling-based planner; raises MoveItError, UnknownFrameError.

    Without the name of a ``planner``, it is the one most similar to that of the request.
    """
    settings = trajectories.read_settings(request, context.settings)
    planner = planner or PLANNERS.get(plain_planner_id(request.planner_id), settings.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    constraints = await messages.read_path_constraints(request.path_constraints, context)
    if constraints and planner in ("rrt", planning.OPTIMIZE):
        planner = "rrt_connect"  # the others do not support them
    if not request.goal_constraints:
        raise MoveItError(Codes.INVALID_GOAL_CONSTRAINTS, "there is no goal")
    goals: messages.Goals = []
    for number, alternative in enumerate(request.goal_constraints):
        context.deadline.check(number, len(request.goal_constraints), "goals read")
        goals += await messages.goals_of(alternative, context)
    with error_code(Codes.PLANNING_FAILED):
        context.planner.path_constraints(constraints)  # checks them
    return SampledMotion(
        context,
        replace(settings, planner=planner, runs=runs),
        trajectories.read_speed_limit(request, context),
        goals,
        constraints,
    )


def plain_planner_id(planner_id: str) -> str:
    """Return OMPL's name in a planner_id like 'arm[RRTkConfigDefault]' or 'geometric::RRT'."""
    name = planner_id.rpartition("[")[2].rstrip("]").rpartition("::")[2]
    return name.removesuffix("ConfigDefault").removesuffix("k").lower()
