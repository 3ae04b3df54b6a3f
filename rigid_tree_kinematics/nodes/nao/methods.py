"""ALMotion's and ALRobotPosture's methods as ROS services: one row of a table each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import nao_motion_interfaces.srv as srv
from geometry_msgs.msg import Point
from nao_motion_interfaces.msg import FootStep, JointLimits, NumberList, Task

from rigid_tree_kinematics.nao.errors import NaoError

Arguments = Callable[[Any], list[Any]]
Fill = Callable[[Any, Any], None]  # the robot's value -> into the response


@dataclass(frozen=True)
class Mirror:
    """One method: its ROS name and type, what to call with what, and where its value goes."""

    name: str
    kind: Any
    method: str  # service and method, as in ALMotion.getAngles
    arguments: Arguments
    fill: Fill


def in_order(request: Any) -> list[Any]:
    """Return a request's fields, in their order, as the robot takes them."""
    return [_plain(name, getattr(request, name)) for name in request.get_fields_and_field_types()]


def _plain(name: str, value: Any) -> Any:
    """Return a field's value in plain Python; lists of one name, or one number, are opened."""
    if isinstance(value, (str, bool, int, float)):
        return value
    items = list(value)
    if items and isinstance(items[0], NumberList):
        return [[float(number) for number in item.values] for item in items]
    if name in ("names", "angles", "stiffnesses") and len(items) == 1:
        return items[0]
    return [item if isinstance(item, (str, int)) else float(item) for item in items]


def whole_lists(request: Any) -> list[Any]:
    """Return the same, but with lists of one name left as lists."""
    return [
        list(value) if name == "names" else _plain(name, value)
        for name in request.get_fields_and_field_types()
        for value in [getattr(request, name)]
    ]


def nothing(value: Any, response: Any) -> None:
    """Leave the response: the method has no value."""


def into(field: str, convert: Callable[[Any], Any]) -> Fill:
    """Return what puts a converted value into a field."""

    def fill(value: Any, response: Any) -> None:
        setattr(response, field, convert(value))

    return fill


def floats(value: Any) -> list[float]:
    """Return numbers, or a single one, as floats."""
    return [float(number) for number in (value if isinstance(value, (list, tuple)) else [value])]


def texts(value: Any) -> list[str]:
    """Return texts."""
    return [str(text) for text in value]


def is_true(value: Any) -> bool:
    """Return yes for a yes, and for methods that tell nothing when all went well."""
    return value is None or bool(value)


FLAG = into("value", bool)
DONE = into("value", is_true)
NUMBER = into("value", float)
TEXT = into("text", str)
NAMES = into("names", texts)


def _limits(value: Any, response: Any) -> None:
    # The bridge fills in the names: the robot tells rows only.
    response.limits = [
        JointLimits(
            min_angle=float(row[0]),
            max_angle=float(row[1]),
            max_velocity=float(row[2]),
            max_torque=float(row[3]) if len(row) > 3 else 0.0,
        )
        for row in value
    ]


def _pairs(convert: Callable[[Any], Any]) -> Fill:
    def fill(value: Any, response: Any) -> None:
        rows = list(value)
        # getMoveConfig tells pairs, getRobotConfig a list of names and a list of values.
        if rows and isinstance(rows[0][-1], str) and len(rows) == 2 and len(rows[0]) > 2:
            names, values = rows
        else:
            names, values = [row[0] for row in rows], [row[1] for row in rows]
        response.names = texts(names)
        response.values = [convert(entry) for entry in values]

    return fill


def _tasks(value: Any, response: Any) -> None:
    for row in value:
        name = next((entry for entry in row if isinstance(entry, str)), "")
        number = next((int(entry) for entry in row if isinstance(entry, int)), 0)
        response.tasks.append(Task(name=name, id=number))


def _polygon(value: Any, response: Any) -> None:
    response.points = [Point(x=float(corner[0]), y=float(corner[1])) for corner in value]


def _foot_steps(value: Any, response: Any) -> None:
    feet, unchangeable, changeable = value
    response.feet = [_foot_step(leg, 0.0, place) for leg, place in feet]
    response.unchangeable = [_foot_step(*step) for step in unchangeable]
    response.changeable = [_foot_step(*step) for step in changeable]


def _foot_step(leg: str, time: float, place: Sequence[float]) -> FootStep:
    x, y, theta = floats(list(place))
    return FootStep(leg_name=leg, time=float(time), x=x, y=y, theta=theta)


def _steps(last: str) -> Arguments:
    """Return the arguments of a walk by foot steps: legs, places, times or speeds, clear."""

    def arguments(request: Any) -> list[Any]:
        steps = request.foot_steps
        if last == "time":
            third = [float(step.time) for step in steps]
        else:
            third = floats(list(request.fraction_max_speed))
        legs = [step.leg_name for step in steps]
        places = [[float(step.x), float(step.y), float(step.theta)] for step in steps]
        return [legs, places, third, bool(request.clear_existing)]

    return arguments


def twelve(numbers: Sequence[float]) -> list[float]:
    """Return the rows of a transform as the robot's setters take them: without the last one."""
    if len(numbers) not in (12, 16):
        raise NaoError(f"a transform has 12 or 16 numbers, not {len(numbers)}")
    return [float(number) for number in numbers[:12]]


def _set_transform(request: Any) -> list[Any]:
    rest = (float(request.fraction_max_speed), int(request.axis_mask))
    return [request.name, int(request.space), twelve(request.transform), *rest]


def _set_many(size: int) -> Arguments:
    def arguments(request: Any) -> list[Any]:
        poses = [_pose(item.values, size) for item in request.positions]
        rest = (float(request.fraction_max_speed), int(request.axis_mask))
        return [list(request.names), int(request.space), poses, *rest]

    return arguments


def _interpolation(size: int) -> Arguments:
    def arguments(request: Any) -> list[Any]:
        path = [_pose(item.values, size) for item in request.path]
        rest = (int(request.axis_mask), floats(list(request.times)), bool(request.is_absolute))
        return [request.name, int(request.space), path, *rest]

    return arguments


def _interpolations(size: int) -> Arguments:
    def arguments(request: Any) -> list[Any]:
        paths = [_path(item.values, size) for item in request.paths]
        times = [floats(list(item.values)) for item in request.time_lists]
        masks = [int(mask) for mask in request.axis_masks]
        return [list(request.names), int(request.space), paths, masks, times]

    return arguments


def _pose(numbers: Sequence[float], size: int) -> list[float]:
    if size == 12:
        return twelve(numbers)
    if len(numbers) != size:
        raise NaoError(f"a position has {size} numbers, not {len(numbers)}")
    return floats(list(numbers))


def _path(numbers: Sequence[float], size: int) -> list[list[float]]:
    if len(numbers) % size and size == 12 and not len(numbers) % 16:
        size = 16
    if not len(numbers) or len(numbers) % size:
        raise NaoError(f"a path has {size} numbers a pose, not {len(numbers)}")
    rows = [list(numbers[k : k + size]) for k in range(0, len(numbers), size)]
    return [twelve(row) if size > 6 else floats(row) for row in rows]


def _bezier(request: Any) -> list[Any]:
    points = [
        [
            [
                float(point.angle),
                [int(point.before_type), float(point.before_time), float(point.before_angle)],
                [int(point.after_type), float(point.after_time), float(point.after_angle)],
            ]
            for point in curve.points
        ]
        for curve in request.control_points
    ]
    times = [floats(list(item.values)) for item in request.time_lists]
    return [list(request.names), times, points]


def _swapped(request: Any) -> list[Any]:
    return [bool(request.enable), request.name]


def _rows() -> list[Mirror]:
    rows: list[Mirror] = []

    def add(
        names: str,
        kind: Any,
        arguments: Arguments = in_order,
        fill: Fill = nothing,
        service: str = "ALMotion",
    ) -> None:
        for name in names.split():
            ros_name, _, method = name.partition("=")
            method = method or _camel(ros_name)
            rows.append(Mirror(ros_name, kind, f"{service}.{method}", arguments, fill))

    # stiffness
    add("wake_up rest", srv.Call)
    add("robot_is_wake_up", srv.GetFlag, fill=FLAG)
    add("set_stiffnesses", srv.SetStiffnesses)
    add("get_stiffnesses", srv.GetStiffnesses, fill=into("stiffnesses", floats))
    add("stiffness_interpolation", srv.StiffnessInterpolation, whole_lists)
    # joints
    add("get_angles", srv.GetAngles, fill=into("angles", floats))
    add("set_angles change_angles angle_interpolation_with_speed", srv.SetAngles)
    add("angle_interpolation", srv.AngleInterpolation, whole_lists)
    add("angle_interpolation_bezier", srv.AngleInterpolationBezier, _bezier)
    add("open_hand close_hand", srv.CallFor)
    # locomotion
    add("move move_toward move_to walk_to", srv.Move)
    add("set_walk_target_velocity", srv.SetWalkTargetVelocity)
    add("move_init wait_until_move_is_finished stop_move stop_walk", srv.Call)
    add("move_is_active", srv.GetFlag, fill=FLAG)
    add("set_foot_steps", srv.SetFootSteps, _steps("time"))
    add("set_foot_steps_with_speed", srv.SetFootStepsWithSpeed, _steps("speed"))
    add("get_foot_steps", srv.GetFootSteps, fill=_foot_steps)
    add("get_move_config", srv.GetMoveConfig, fill=_pairs(float))
    add("get_robot_position", srv.GetRobotPosition, fill=into("position", floats))
    add("get_next_robot_position get_robot_velocity", srv.GetPlanar, fill=into("values", floats))
    add("get_move_arms_enabled", srv.GetFlagOf, fill=FLAG)
    add("set_move_arms_enabled", srv.SetMoveArmsEnabled)
    # Cartesian
    add("get_position", srv.GetPosition, fill=into("position", floats))
    add("get_transform", srv.GetTransform, fill=into("transform", floats))
    add("set_position change_position", srv.SetPosition)
    add("set_transform change_transform", srv.SetTransform, _set_transform)
    add("set_positions", srv.SetPositions, _set_many(6))
    add("set_transforms", srv.SetPositions, _set_many(12))
    add("position_interpolation", srv.PositionInterpolation, _interpolation(6))
    add("transform_interpolation", srv.PositionInterpolation, _interpolation(12))
    add("position_interpolations", srv.PositionInterpolations, _interpolations(6))
    add("transform_interpolations", srv.PositionInterpolations, _interpolations(12))
    # whole body
    add("wb_enable", srv.SetFlag)
    add("wb_foot_state", srv.WbFootState)
    add("wb_enable_balance_constraint", srv.SetFlagOf, _swapped)
    add("wb_go_to_balance", srv.WbGoToBalance)
    add("wb_enable_effector_control wb_enable_effector_optimization", srv.SetFlagOf)
    add("wb_set_effector_control", srv.WbSetEffectorControl)
    # collision, falls, reflexes
    protections = ("collision_protection", "external_collision_protection")
    for what in protections:
        add(f"set_{what}_enabled", srv.SetFlagOf)
        add(f"get_{what}_enabled", srv.GetFlagOf, fill=FLAG)
    for what in ("fall_manager", "smart_stiffness", "diagnosis_effect", "push_recovery"):
        add(f"set_{what}_enabled", srv.SetFlag)
        add(f"get_{what}_enabled", srv.GetFlag, fill=FLAG)
    add("is_collision", srv.GetTextOf, fill=TEXT)
    # general
    add("get_body_names get_joint_names", srv.GetNamesOf, fill=NAMES)
    add("get_sensor_names", srv.GetNames, fill=NAMES)
    add("get_limits", srv.GetLimits, fill=_limits)
    add("get_motion_cycle_time", srv.GetNumber, fill=NUMBER)
    add("get_robot_config", srv.GetRobotConfig, fill=_pairs(str))
    add("get_summary", srv.GetText, fill=TEXT)
    add("get_mass", srv.GetNumberOf, fill=NUMBER)
    add("get_com=getCOM", srv.GetCOM, fill=into("position", floats))
    add("get_support_polygon", srv.GetSupportPolygon, fill=_polygon)
    # tasks
    add("get_task_list", srv.GetTaskList, fill=_tasks)
    add("are_resources_available", srv.GetFlagOfAll, whole_lists, FLAG)
    add("kill_task", srv.KillTask, fill=FLAG)
    add("kill_tasks_using_resources", srv.CallForAll, whole_lists)
    add("kill_move kill_all", srv.Call)
    # postures
    posture = "ALRobotPosture"
    add("go_to_posture apply_posture", srv.GoToPosture, fill=DONE, service=posture)
    add("stop_posture=stopMove", srv.Call, service=posture)
    add("get_posture_list", srv.GetNames, fill=NAMES, service=posture)
    add("get_posture get_posture_family", srv.GetText, fill=TEXT, service=posture)
    return rows


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


MIRRORS = tuple(_rows())
