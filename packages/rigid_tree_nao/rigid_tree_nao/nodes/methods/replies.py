"""Conversion of the value that a method returns to a reply, and of the state to feedback."""

from collections.abc import Callable, Sequence
from typing import Any

from geometry_msgs.msg import Point
from nao_motion_interfaces import srv
from nao_motion_interfaces.msg import FootStep, JointLimits, Task

from rigid_tree_nao import NaoError
from rigid_tree_nao.model import FEET, NaoBody
from rigid_tree_nao.nodes.robot import NaoRobot

# Writes a returned value to a reply: fill(value, reply, arguments of the method, body).
Fill = Callable[[Any, Any, Sequence[Any], NaoBody], None]


def nothing(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    """Leave the reply as it is: the method returns nothing."""


def _into(field: str, convert: Callable[[Any], Any]) -> Fill:
    """Return a filler that writes the converted value to one field."""

    def fill(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
        setattr(reply, field, convert(value))

    return fill


def _names_and_values(convert: Callable[[Any], Any]) -> Fill:
    """Return a filler for names and values, from pairs or from two lists (getRobotConfig)."""

    def fill(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
        rows = list(value)
        if len(rows) == 2 and len(rows[0]) > 2:
            rows = list(zip(*rows, strict=True))
        reply.names = [str(row[0]) for row in rows]
        reply.values = [convert(row[1]) for row in rows]

    return fill


def _limits(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    """Fill in the limits of the joints named first."""
    joints = body.names_of(arguments[0])
    if len(value) != len(joints):
        raise NaoError(
            f"the robot returned limits for {len(value)} joints, NAO {body.version} "
            f"{body.body_type} has {len(joints)} in {arguments[0]}: set the parameters version "
            "and body_type to the robot's"
        )
    reply.limits = [
        JointLimits(
            name=joint,
            min_angle=float(row[0]),
            max_angle=float(row[1]),
            max_velocity=float(row[2]),
            max_torque=float(row[3]) if len(row) > 3 else 0.0,  # older NAOqi: three numbers
        )
        for joint, row in zip(joints, value, strict=True)
    ]


def _foot_steps(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    """Fill in the places of the feet and the pending steps."""
    feet, unchangeable, changeable = value
    reply.feet = [_foot_step(leg, 0.0, place) for leg, place in zip(FEET, feet, strict=False)]
    reply.unchangeable = [_foot_step(*step) for step in unchangeable]
    reply.changeable = [_foot_step(*step) for step in changeable]


def _foot_step(leg: str, time: float, place: Sequence[float]) -> FootStep:
    x, y, theta = _numbers(place)
    return FootStep(leg_name=leg, time=float(time), x=x, y=y, theta=theta)


def _numbers(value: Any) -> list[float]:
    """Return one number, or several, as a list of Python floats."""
    return [float(number) for number in (value if isinstance(value, (list, tuple)) else [value])]


def _points(rows: Any) -> list[Point]:
    return [Point(x=float(row[0]), y=float(row[1])) for row in rows]


def _tasks(rows: Any) -> list[Task]:
    """Return each row's first string and number; NAOqi after 1.14 appends more."""
    return [
        Task(
            name=next((entry for entry in row if isinstance(entry, str)), ""),
            id=next((int(entry) for entry in row if isinstance(entry, int)), 0),
        )
        for row in rows
    ]


_flag = _into("value", bool)
_number = _into("value", float)
_text = _into("text", str)
_names = _into("names", lambda value: [str(text) for text in value])
_position = _into("position", _numbers)

# By the type of the service; other replies have no value.
FILLS: dict[Any, Fill] = {
    srv.GetFlag: _flag,
    srv.GetFlagOf: _flag,
    srv.GetFlagOfAll: _flag,
    srv.KillTask: _flag,
    srv.GoToPosture: _into("value", lambda v: v is None or bool(v)),  # some return nothing
    srv.GetNumber: _number,
    srv.GetNumberOf: _number,
    srv.GetText: _text,
    srv.GetTextOf: _text,
    srv.GetNames: _names,
    srv.GetNamesOf: _names,
    srv.GetRobotPosition: _position,
    srv.GetPosition: _position,
    srv.GetCOM: _position,
    srv.GetTransform: _into("transform", _numbers),
    srv.GetPlanar: _into("values", _numbers),
    srv.GetAngles: _into("angles", _numbers),
    srv.GetStiffnesses: _into("stiffnesses", _numbers),
    srv.GetSupportPolygon: _into("points", _points),
    srv.GetMoveConfig: _names_and_values(float),
    srv.GetConfig: _names_and_values(float),
    srv.GetRobotConfig: _names_and_values(str),
    srv.GetTaskList: _into("tasks", _tasks),
    srv.GetFootSteps: _foot_steps,
    srv.GetLimits: _limits,
}

# Feedback of an action: feedback(goal, message, robot).


def present_angles(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    """Fill in the angles of the goal's joints."""
    if robot.state is not None:
        joints = robot.body.joints(goal.names)
        feedback.names = list(joints)
        feedback.angles = robot.state.angles[robot.body.places(joints)].tolist()


def present_posture(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    """Fill in the posture."""
    if robot.health is not None:
        feedback.posture = robot.health.posture


def present_place(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    """Fill in the place of the robot."""
    if robot.state is not None:
        feedback.position = robot.state.robot_place
