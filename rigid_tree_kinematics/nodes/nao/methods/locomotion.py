"""ALMotion's locomotion control."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action
from nao_motion_interfaces.msg import FootStep

from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nao.model import NaoBody
from rigid_tree_kinematics.nodes.nao.robot import (
    FLAG,
    Lasting,
    Method,
    arrived,
    arrived_at_last,
    floats,
    into,
    limp_legs,
    names_and_values,
    no_arguments,
    not_false,
    numbers,
    pairs,
    reachable_place,
    reachable_places,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

STARTS, ENDS = WalkEffect.STARTS, WalkEffect.ENDS


def _legs_and_places(steps: Sequence[FootStep]) -> tuple[list[str], list[list[float]]]:
    places = [[float(step.x), float(step.y), float(step.theta)] for step in steps]
    return [step.leg_name for step in steps], places


def _config(request: Any) -> list[Any]:
    """Return the gait's configuration as an argument, or nothing where there is none."""
    found = pairs(request.config_names, request.config_values)
    return [found] if found else []


def _walk(request: Any) -> list[Any]:
    """Return a place or a velocity, and the gait's configuration."""
    return [float(request.x), float(request.y), float(request.theta), *_config(request)]


def _places(request: Any) -> list[Any]:
    """Return several places, and the gait's configuration."""
    places = [[float(place.x), float(place.y), float(place.theta)] for place in request.places]
    return [places, *_config(request)]


def _timed_steps(request: Any) -> list[Any]:
    """Return legs, places, times, and whether steps to come are replaced."""
    times = [float(step.time) for step in request.foot_steps]
    return [*_legs_and_places(request.foot_steps), times, bool(request.clear_existing)]


def _steps_with_speed(request: Any) -> list[Any]:
    """Return the same with speeds in place of times."""
    speeds = floats(request.fraction_max_speed)
    return [*_legs_and_places(request.foot_steps), speeds, bool(request.clear_existing)]


def _foot_step(leg: str, time: float, place: Sequence[float]) -> FootStep:
    x, y, theta = floats(place)
    return FootStep(leg_name=leg, time=float(time), x=x, y=y, theta=theta)


def _foot_steps(value: Any, reply: Any, request: Any, body: NaoBody) -> None:
    feet, unchangeable, changeable = value
    reply.feet = [_foot_step(leg, 0.0, place) for leg, place in feet]
    reply.unchangeable = [_foot_step(*step) for step in unchangeable]
    reply.changeable = [_foot_step(*step) for step in changeable]


def _present_place(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.state is not None:
        feedback.position = robot.state.robot_place


STOP_MOVE = Method("stop_move", srv.Call, "ALMotion.stopMove", arguments=no_arguments, walk=ENDS)
MOVE = Method("move", srv.Move, "ALMotion.move", arguments=_walk, check=limp_legs, walk=STARTS)
MOVE_TO = Method(
    "move_to",
    srv.Move,
    "ALMotion.moveTo",
    arguments=_walk,
    check=reachable_place,
    walk=STARTS | ENDS,
    outcome=arrived,
    lasting=Lasting(action.MoveTo, STOP_MOVE, _present_place),
)
SET_MOVE_ARMS_ENABLED = Method(
    "set_move_arms_enabled", srv.SetMoveArmsEnabled, "ALMotion.setMoveArmsEnabled"
)

METHODS = (
    MOVE,
    Method(
        "move_toward",
        srv.Move,
        "ALMotion.moveToward",
        arguments=_walk,
        check=limp_legs,
        walk=STARTS,
    ),
    MOVE_TO,
    Method(
        "move_to_places",
        srv.MoveToPlaces,
        "ALMotion.moveTo",
        arguments=_places,
        check=reachable_places,
        walk=STARTS | ENDS,
        outcome=arrived_at_last,
    ),
    Method(
        "walk_to",
        srv.Move,
        "ALMotion.walkTo",
        arguments=_walk,
        check=reachable_place,
        walk=STARTS | ENDS,
        outcome=arrived,
    ),
    Method(
        "set_walk_target_velocity",
        srv.SetWalkTargetVelocity,
        "ALMotion.setWalkTargetVelocity",
        check=limp_legs,
        walk=STARTS,
    ),
    Method("move_init", srv.Call, "ALMotion.moveInit", check=limp_legs),
    Method(
        "wait_until_move_is_finished",
        srv.Call,
        "ALMotion.waitUntilMoveIsFinished",
        walk=ENDS,
    ),
    STOP_MOVE,
    Method("stop_walk", srv.Call, "ALMotion.stopWalk", walk=ENDS),
    Method("move_is_active", srv.GetFlag, "ALMotion.moveIsActive", fill=FLAG),
    # Returns at once; the steps may take long after that.
    Method(
        "set_foot_steps",
        srv.SetFootSteps,
        "ALMotion.setFootSteps",
        arguments=_timed_steps,
        check=limp_legs,
        walk=STARTS,
    ),
    Method(
        "set_foot_steps_with_speed",
        srv.SetFootStepsWithSpeed,
        "ALMotion.setFootStepsWithSpeed",
        arguments=_steps_with_speed,
        check=limp_legs,
        walk=STARTS | ENDS,
        outcome=not_false,
    ),
    Method("get_foot_steps", srv.GetFootSteps, "ALMotion.getFootSteps", fill=_foot_steps),
    Method(
        "get_move_config",
        srv.GetMoveConfig,
        "ALMotion.getMoveConfig",
        fill=names_and_values(float),
    ),
    Method(
        "get_robot_position",
        srv.GetRobotPosition,
        "ALMotion.getRobotPosition",
        fill=into("position", numbers),
    ),
    Method(
        "get_next_robot_position",
        srv.GetPlanar,
        "ALMotion.getNextRobotPosition",
        fill=into("values", numbers),
    ),
    Method(
        "get_robot_velocity",
        srv.GetPlanar,
        "ALMotion.getRobotVelocity",
        fill=into("values", numbers),
    ),
    Method("get_move_arms_enabled", srv.GetFlagOf, "ALMotion.getMoveArmsEnabled", fill=FLAG),
    SET_MOVE_ARMS_ENABLED,
)
