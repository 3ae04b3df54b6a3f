"""What a row of the table of methods consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.robot.arguments import all_fields
from rigid_tree_kinematics.nodes.nao.robot.outcomes import Outcome, as_replied
from rigid_tree_kinematics.nodes.nao.robot.replies import nothing

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot.robot import NaoRobot

# The request -> the method's arguments. Raises NaoError for a request that makes none.
Arguments = Callable[[Any], list[Any]]
# Puts the value that the robot returned into the reply: fill(value, reply, request, body).
Fill = Callable[[Any, Any, Any, NaoBody], None]
# Cuts a request at the limits, in place; returns remarks for the reply, empty ones among them.
# Raises NaoError for a request that is refused.
Check = Callable[["NaoRobot", Any], list[str]]
# Fills an action's feedback: feedback(goal, message, robot).
Feedback = Callable[[Any, Any, "NaoRobot"], None]


def no_remarks(robot: NaoRobot, request: Any) -> list[str]:
    """Accept any request: the check of methods that move nothing."""
    return []


@dataclass(frozen=True)
class Lasting:
    """How a method that blocks until a motion has ended is offered as an action, too.

    The action has the service's name, and its goal and result have the fields of the service's
    request and response.
    """

    kind: Any  # action type
    stop: Method  # called on a cancel, with arguments made from the goal
    feedback: Feedback


@dataclass(frozen=True)
class Method:
    """A method of the robot and the ROS service that offers it."""

    name: str  # of the service
    kind: Any  # service type
    naoqi: str  # module and method: ALMotion.getAngles
    arguments: Arguments = all_fields
    fill: Fill = nothing
    check: Check = no_remarks
    walk: WalkEffect = WalkEffect.NONE
    outcome: Outcome = as_replied
    lasting: Lasting | None = None
