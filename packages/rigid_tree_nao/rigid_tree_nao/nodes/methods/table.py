"""The table of NAO's methods: the ROS service of each, and how it calls the robot."""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future as Answer
from dataclasses import dataclass
from typing import Any

import nao_motion_interfaces.srv as srv
from nao_motion_interfaces import action

from rigid_tree_nao import NaoError
from rigid_tree_nao.guard import WalkEffect
from rigid_tree_nao.nodes.methods import arguments, checks, outcomes, replies
from rigid_tree_nao.nodes.methods.arguments import POSITION, TRANSFORM
from rigid_tree_nao.nodes.robot import NaoRobot

# Fills an action's feedback: feedback(goal, message, robot).
Feedback = Callable[[Any, Any, NaoRobot], None]


@dataclass(frozen=True)
class Lasting:
    """The action of a blocking method, with its service's name and fields."""

    kind: Any  # action type
    stop: str  # name of the method called on a cancel, with arguments made from the goal
    feedback: Feedback


@dataclass(frozen=True)
class Method:
    """A method of the robot and the ROS service that offers it.

    The service has the method's name in snake case, unless ``name`` is given. ``arguments``
    converts a request to the method's arguments, and raises NaoError if that cannot be done.
    """

    kind: Any  # service type
    naoqi: str  # module and method: ALMotion.getAngles
    name: str = ""
    arguments: Callable[[Any], list[Any]] = arguments.all_fields
    fill: replies.Fill = replies.nothing
    check: checks.Check = checks.nothing_moves
    walk: WalkEffect = WalkEffect.NONE
    outcome: outcomes.Outcome = outcomes.returned
    lasting: Lasting | None = None

    def __post_init__(self) -> None:
        words = re.sub("(?<=[a-z])(?=[A-Z])", "_", self.naoqi.partition(".")[2]).lower()
        object.__setattr__(self, "name", self.name or words)

    def remarks(self, robot: NaoRobot, arguments: list[Any]) -> list[str]:
        """Clamp arguments to the limits, in place; return remarks. Raises as ``check`` does."""
        return [remark for remark in self.check(robot, arguments) if remark]

    def call(self, robot: NaoRobot, *arguments: Any) -> Answer[Any]:
        """Call the method with checked arguments; see NaoRobot.call."""
        return robot.call(self.naoqi, *arguments, walk=self.walk)

    def send(self, robot: NaoRobot, source: str, *arguments: Any) -> Answer[Any]:
        """Call the method, and log a failure with the name ``source``."""
        return robot.log_failure(source, self.call(robot, *arguments))

    async def perform(self, robot: NaoRobot, arguments: list[Any]) -> tuple[str, list[str], Any]:
        """Check the arguments, call the method, and check its outcome.

        Returns why the motion has not happened, or an empty string; remarks; and the value.
        Raises NaoError if the check or the robot rejects the call.
        """
        remarks = self.remarks(robot, arguments)
        start, place = time.monotonic(), robot.state.robot_place if robot.state else None
        value = await robot.result_of(self.call(robot, *arguments))
        failure = await self.outcome(robot, outcomes.Done(arguments, value, start, place))
        return failure, remarks, value

    async def carry_out(self, robot: NaoRobot, *arguments: Any) -> None:
        """Perform the method, and log remarks. Raises NaoError if its motion has not happened."""
        failure, remarks, _ = await self.perform(robot, list(arguments))
        for remark in remarks:
            robot.warn(f"{self.name}: {remark}")
        if failure:
            raise NaoError(failure)


Rows = Iterator[Method]
STARTS, ENDS = WalkEffect.STARTS, WalkEffect.ENDS

# Options that several rows share.
LISTS: dict[str, Any] = {"arguments": arguments.lists_of_all_fields}
HAND: dict[str, Any] = {"check": checks.effectors, "outcome": outcomes.hand_is_stiff}
POSTURE: dict[str, Any] = {
    "fill": replies.DONE,
    "check": checks.body,
    "outcome": outcomes.posture_taken,
}
# Walks by velocity, which return at once, and to a place, which block.
VELOCITY: dict[str, Any] = {"check": checks.legs, "walk": STARTS}
PLACE: dict[str, Any] = {
    "check": checks.reachable_places,
    "walk": STARTS | ENDS,
    "outcome": outcomes.arrived,
}
EFFECTOR: dict[str, Any] = {"check": checks.effectors}
PATH: dict[str, Any] = {**EFFECTOR, "outcome": outcomes.paths_followed}


def _motion(kind: Any, naoqi: str, **options: Any) -> Method:
    return Method(kind, f"ALMotion.{naoqi}", **options)


def _switch(name: str, set_kind: Any, get_kind: Any, end: str = "Enabled") -> Rows:
    """Yield the rows that set and get a switch or a number."""
    yield _motion(set_kind, f"set{name}{end}")
    fill = replies.NUMBER if set_kind is srv.SetNumber else replies.FLAG
    yield _motion(get_kind, f"get{name}{end}", fill=fill)


def _stiffness() -> Rows:
    yield _motion(srv.Call, "wakeUp", outcome=outcomes.awake)
    yield _motion(srv.Call, "rest", walk=ENDS, outcome=outcomes.resting)
    yield _motion(srv.GetFlag, "robotIsWakeUp", fill=replies.FLAG)
    yield _motion(srv.SetStiffnesses, "setStiffnesses")
    yield _motion(srv.GetStiffnesses, "getStiffnesses", fill=replies.STIFFNESSES)
    yield _motion(
        srv.StiffnessInterpolation,
        "stiffnessInterpolation",
        check=checks.stiffness_lists,
        outcome=outcomes.stiffness_reached,
        **LISTS,
    )


def _joints() -> Rows:
    yield _motion(srv.GetAngles, "getAngles", fill=replies.ANGLES)
    yield _motion(srv.SetAngles, "setAngles", check=checks.angles_within_limits)
    yield _motion(srv.SetAngles, "changeAngles", check=checks.changes_within_limits)
    stop, feedback = "kill_tasks_using_resources", replies.present_angles
    yield _motion(
        srv.SetAngles,
        "angleInterpolationWithSpeed",
        check=checks.angles_within_limits,
        outcome=outcomes.angles_reached,
        lasting=Lasting(action.AngleInterpolationWithSpeed, stop, feedback),
    )
    yield _motion(
        srv.AngleInterpolation,
        "angleInterpolation",
        check=checks.lists_within_limits,
        outcome=outcomes.lists_followed,
        lasting=Lasting(action.AngleInterpolation, stop, feedback),
        **LISTS,
    )
    yield _motion(
        srv.AngleInterpolationBezier,
        "angleInterpolationBezier",
        arguments=arguments.bezier,
        check=checks.curves_within_limits,
        outcome=outcomes.curves_followed,
    )
    yield _motion(srv.CallFor, "openHand", **HAND)
    yield _motion(srv.CallFor, "closeHand", **HAND)


def _locomotion() -> Rows:
    walk = arguments.walk
    to_place = Lasting(action.MoveTo, "stop_move", replies.present_place)
    yield _motion(srv.Move, "move", arguments=walk, **VELOCITY)
    yield _motion(srv.Move, "moveToward", arguments=walk, **VELOCITY)
    yield _motion(srv.Move, "moveTo", arguments=walk, lasting=to_place, **PLACE)
    several: dict[str, Any] = {"name": "move_to_places", "arguments": arguments.places}
    yield _motion(srv.MoveToPlaces, "moveTo", **several, **PLACE)
    yield _motion(srv.Move, "walkTo", arguments=walk, **PLACE)
    yield _motion(srv.SetWalkTargetVelocity, "setWalkTargetVelocity", **VELOCITY)
    yield _motion(srv.Call, "moveInit", check=checks.legs)
    # Not ENDS: sent just after a walk, it may return before that begins, and is no stop.
    yield _motion(srv.Call, "waitUntilMoveIsFinished")
    yield _motion(srv.Call, "stopMove", arguments=arguments.no_arguments, walk=ENDS)
    yield _motion(srv.Call, "stopWalk", walk=ENDS)
    yield _motion(srv.GetFlag, "moveIsActive", fill=replies.FLAG)
    # Returns at once; the steps may take much longer.
    yield _motion(srv.SetFootSteps, "setFootSteps", arguments=arguments.timed_steps, **VELOCITY)
    yield _motion(
        srv.SetFootStepsWithSpeed,
        "setFootStepsWithSpeed",
        arguments=arguments.steps_with_speed,
        check=checks.legs,
        walk=STARTS | ENDS,
        outcome=outcomes.not_false,
    )
    yield _motion(srv.GetFootSteps, "getFootSteps", fill=replies.foot_steps)
    yield _motion(srv.GetMoveConfig, "getMoveConfig", fill=replies.names_and_values(float))
    yield _motion(srv.GetRobotPosition, "getRobotPosition", fill=replies.PLACE)
    yield _motion(srv.GetPlanar, "getNextRobotPosition", fill=replies.NUMBERS)
    yield _motion(srv.GetPlanar, "getRobotVelocity", fill=replies.NUMBERS)
    yield _motion(srv.GetFlagOf, "getMoveArmsEnabled", fill=replies.FLAG)
    yield _motion(srv.SetMoveArmsEnabled, "setMoveArmsEnabled")


def _cartesian() -> Rows:
    yield _motion(srv.GetPosition, "getPosition", fill=replies.PLACE)
    yield _motion(srv.GetTransform, "getTransform", fill=replies.TRANSFORM)
    for name in ("setPosition", "changePosition"):
        yield _motion(srv.SetPosition, name, **EFFECTOR)
    for name in ("setTransform", "changeTransform"):
        yield _motion(srv.SetTransform, name, arguments=arguments.transform, **EFFECTOR)
    for kind, name, convert, options in (
        (srv.SetPositions, "set{}s", arguments.several_poses, EFFECTOR),
        (srv.PositionInterpolation, "{}Interpolation", arguments.several_poses, PATH),
        (srv.PositionInterpolations, "{}Interpolations", arguments.several_paths, PATH),
    ):
        for word, size in (("position", POSITION), ("transform", TRANSFORM)):
            word = word.capitalize() if name.startswith("set") else word
            yield _motion(kind, name.format(word), arguments=convert(size), **options)


def _whole_body() -> Rows:
    yield _motion(srv.SetFlag, "wbEnable")
    yield _motion(srv.WbFootState, "wbFootState")
    # The only switch that takes the value before the name.
    balance = arguments.value_and_name
    yield _motion(srv.SetFlagOf, "wbEnableBalanceConstraint", arguments=balance)
    in_balance = outcomes.in_balance
    yield _motion(srv.WbGoToBalance, "wbGoToBalance", check=checks.legs, outcome=in_balance)
    yield _motion(srv.SetFlagOf, "wbEnableEffectorControl")
    yield _motion(srv.SetFlagOf, "wbEnableEffectorOptimization")
    yield _motion(srv.WbSetEffectorControl, "wbSetEffectorControl", **EFFECTOR)


def _idle_and_protection() -> Rows:
    yield from _switch("Breath", srv.SetFlagOf, srv.GetFlagOf)
    yield _motion(srv.SetConfig, "setBreathConfig", arguments=arguments.config)
    yield _motion(srv.GetConfig, "getBreathConfig", fill=replies.names_and_values(float))
    yield from _switch("IdlePosture", srv.SetFlagOf, srv.GetFlagOf)
    for name in ("CollisionProtection", "ExternalCollisionProtection"):
        yield from _switch(name, srv.SetFlagOf, srv.GetFlagOf)
    for name in ("FallManager", "SmartStiffness", "DiagnosisEffect", "PushRecovery"):
        yield from _switch(name, srv.SetFlag, srv.GetFlag)
    for name in ("Orthogonal", "Tangential"):
        yield from _switch(name, srv.SetNumber, srv.GetNumber, "SecurityDistance")
    yield _motion(srv.GetTextOf, "isCollision", fill=replies.TEXT)


def _general() -> Rows:
    yield _motion(srv.GetNamesOf, "getBodyNames", fill=replies.NAMES)
    yield _motion(srv.GetNamesOf, "getJointNames", fill=replies.NAMES)
    yield _motion(srv.GetNames, "getSensorNames", fill=replies.NAMES)
    yield _motion(srv.GetLimits, "getLimits", fill=replies.limits)
    yield _motion(srv.GetNumber, "getMotionCycleTime", fill=replies.NUMBER)
    yield _motion(srv.GetRobotConfig, "getRobotConfig", fill=replies.names_and_values(str))
    yield _motion(srv.GetText, "getSummary", fill=replies.TEXT)
    yield _motion(srv.GetNumberOf, "getMass", fill=replies.NUMBER)
    yield _motion(srv.GetCOM, "getCOM", fill=replies.PLACE)
    yield _motion(srv.GetSupportPolygon, "getSupportPolygon", fill=replies.POINTS)
    yield _motion(srv.GetTaskList, "getTaskList", fill=replies.TASKS)
    yield _motion(
        srv.GetFlagOfAll, "areResourcesAvailable", arguments=arguments.names, fill=replies.FLAG
    )
    yield _motion(srv.KillTask, "killTask", fill=replies.FLAG)
    yield _motion(srv.CallForAll, "killTasksUsingResources", arguments=arguments.names)
    yield _motion(srv.Call, "killMove", walk=ENDS)
    yield _motion(srv.Call, "killAll", walk=ENDS)


def _postures() -> Rows:
    to_posture = Lasting(action.GoToPosture, "stop_posture", replies.present_posture)
    yield Method(srv.GoToPosture, "ALRobotPosture.goToPosture", lasting=to_posture, **POSTURE)
    yield Method(srv.GoToPosture, "ALRobotPosture.applyPosture", **POSTURE)
    stop: dict[str, Any] = {"name": "stop_posture", "arguments": arguments.no_arguments}
    yield Method(srv.Call, "ALRobotPosture.stopMove", **stop)
    yield Method(srv.GetNames, "ALRobotPosture.getPostureList", fill=replies.NAMES)
    yield Method(srv.GetText, "ALRobotPosture.getPosture", fill=replies.TEXT)
    yield Method(srv.GetText, "ALRobotPosture.getPostureFamily", fill=replies.TEXT)


# By the name of the service.
METHODS: dict[str, Method] = {
    method.name: method
    for rows in (
        *(_stiffness, _joints, _locomotion, _cartesian, _whole_body),
        *(_idle_and_protection, _general, _postures),
    )
    for method in rows()
}
