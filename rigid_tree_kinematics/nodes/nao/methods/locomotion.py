"""ALMotion's locomotion control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action
from nao_motion_interfaces.msg import FootStep

from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.methods import checks, outcomes
from rigid_tree_kinematics.nodes.nao.methods.arguments import floats, no_arguments, pairs
from rigid_tree_kinematics.nodes.nao.methods.method import Lasting, Method
from rigid_tree_kinematics.nodes.nao.methods.replies import FLAG, into, names_and_values, numbers
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

STARTS, ENDS = WalkEffect.STARTS, WalkEffect.ENDS


def _place(message: Any) -> list[float]:
    return [float(message.x), float(message.y), float(message.theta)]


def _config(request: Any) -> list[Any]:
    """Return the gait's configuration as an argument, or nothing if there is none."""
    found = pairs(request.config_names, request.config_values)
    return [found] if found else []


def _walk(request: Any) -> list[Any]:
    """Return a place or a velocity, and the gait's configuration."""
    return [*_place(request), *_config(request)]


def _places(request: Any) -> list[Any]:
    """Return several places, and the gait's configuration."""
    return [[_place(place) for place in request.places], *_config(request)]


def _timed_steps(request: Any) -> list[Any]:
    """Return legs, places, times, and whether pending steps are replaced."""
    return _steps(request, [float(step.time) for step in request.foot_steps])


def _steps_with_speed(request: Any) -> list[Any]:
    """Return legs, places, speeds, and whether pending steps are replaced."""
    return _steps(request, floats(request.fraction_max_speed))


def _steps(request: Any, numbers: list[float]) -> list[Any]:
    legs = [step.leg_name for step in request.foot_steps]
    places = [_place(step) for step in request.foot_steps]
    return [legs, places, numbers, bool(request.clear_existing)]


def _foot_step(leg: str, time: float, place: Sequence[float]) -> FootStep:
    x, y, theta = floats(place)
    return FootStep(leg_name=leg, time=float(time), x=x, y=y, theta=theta)


def _foot_steps(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    feet, unchangeable, changeable = value
    reply.feet = [_foot_step(leg, 0.0, place) for leg, place in feet]
    reply.unchangeable = [_foot_step(*step) for step in unchangeable]
    reply.changeable = [_foot_step(*step) for step in changeable]


def _present_place(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.state is not None:
        feedback.position = robot.state.robot_place


# By velocity, which returns at once, and to a place, which blocks.
VELOCITY: dict[str, Any] = {"check": checks.legs, "walk": STARTS}
PLACE: dict[str, Any] = {
    "check": checks.reachable_places,
    "walk": STARTS | ENDS,
    "outcome": outcomes.arrived,
}
STOP_MOVE = Method(srv.Call, "ALMotion.stopMove", arguments=no_arguments, walk=ENDS)
MOVE = Method(srv.Move, "ALMotion.move", arguments=_walk, **VELOCITY)
MOVE_TO = Method(
    srv.Move,
    "ALMotion.moveTo",
    arguments=_walk,
    lasting=Lasting(action.MoveTo, STOP_MOVE, _present_place),
    **PLACE,
)
SET_MOVE_ARMS_ENABLED = Method(srv.SetMoveArmsEnabled, "ALMotion.setMoveArmsEnabled")

LOCOMOTION = (
    MOVE,
    Method(srv.Move, "ALMotion.moveToward", arguments=_walk, **VELOCITY),
    MOVE_TO,
    Method(srv.MoveToPlaces, "ALMotion.moveTo", name="move_to_places", arguments=_places, **PLACE),
    Method(srv.Move, "ALMotion.walkTo", arguments=_walk, **PLACE),
    Method(srv.SetWalkTargetVelocity, "ALMotion.setWalkTargetVelocity", **VELOCITY),
    Method(srv.Call, "ALMotion.moveInit", check=checks.legs),
    Method(srv.Call, "ALMotion.waitUntilMoveIsFinished", walk=ENDS),
    STOP_MOVE,
    Method(srv.Call, "ALMotion.stopWalk", walk=ENDS),
    Method(srv.GetFlag, "ALMotion.moveIsActive", fill=FLAG),
    # Returns at once; the steps may take much longer.
    Method(srv.SetFootSteps, "ALMotion.setFootSteps", arguments=_timed_steps, **VELOCITY),
    Method(
        srv.SetFootStepsWithSpeed,
        "ALMotion.setFootStepsWithSpeed",
        arguments=_steps_with_speed,
        check=checks.legs,
        walk=STARTS | ENDS,
        outcome=outcomes.not_false,
    ),
    Method(srv.GetFootSteps, "ALMotion.getFootSteps", fill=_foot_steps),
    Method(srv.GetMoveConfig, "ALMotion.getMoveConfig", fill=names_and_values(float)),
    Method(srv.GetRobotPosition, "ALMotion.getRobotPosition", fill=into("position", numbers)),
    Method(srv.GetPlanar, "ALMotion.getNextRobotPosition", fill=into("values", numbers)),
    Method(srv.GetPlanar, "ALMotion.getRobotVelocity", fill=into("values", numbers)),
    Method(srv.GetFlagOf, "ALMotion.getMoveArmsEnabled", fill=FLAG),
    SET_MOVE_ARMS_ENABLED,
)
