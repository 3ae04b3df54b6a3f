"""ALMotion's Cartesian control: poses are 6 numbers, or the rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import nao_motion_interfaces.srv as srv
import numpy as np

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.model import pose_of
from rigid_tree_kinematics.nodes.nao.robot import (
    Arguments,
    Begin,
    Method,
    Outcome,
    floats,
    into,
    limp_effector,
    limp_effectors,
    numbers,
    path_followed,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

NEAR_POSITION = 0.02  # m: loaded joints of a real robot sag
POSITION, TRANSFORM = 6, 12  # numbers of a pose; a transform's last row may follow


def _transform(values: Sequence[float]) -> list[float]:
    """Return the first three rows of a transform, which is what the robot's setters take."""
    if len(values) not in (12, 16):
        raise NaoError(f"a transform has 12 or 16 numbers, not {len(values)}")
    return floats(values[:12])


def _pose(values: Sequence[float], size: int) -> list[float]:
    if size == TRANSFORM:
        return _transform(values)
    if len(values) != size:
        raise NaoError(f"a position has {size} numbers, not {len(values)}")
    return floats(values)


def _path(values: Sequence[float], size: int, count: int) -> list[list[float]]:
    """Return the poses of a path that is given as one list, for as many times as ``count``."""
    rows = (12, 16) if size == TRANSFORM else (size,)
    fitting = [row for row in rows if len(values) and not len(values) % row]
    if not fitting:
        raise NaoError(f"a path has {size} numbers a pose, not {len(values)}")
    # 48 numbers are four transforms of 12, or three of 16.
    row = next((row for row in fitting if row * count == len(values)), fitting[0])
    return [_pose(values[k : k + row], size) for k in range(0, len(values), row)]


def _one_transform(request: Any) -> list[Any]:
    return [
        request.name,
        int(request.space),
        _transform(request.transform),
        float(request.fraction_max_speed),
        int(request.axis_mask),
    ]


def _poses(size: int) -> Arguments:
    """Return the builder for one pose of each effector."""

    def arguments(request: Any) -> list[Any]:
        return [
            list(request.names),
            int(request.space),
            [_pose(item.values, size) for item in request.positions],
            float(request.fraction_max_speed),
            int(request.axis_mask),
        ]

    return arguments


def _path_of_one(size: int) -> Arguments:
    """Return the builder for a path of one effector, in a list a pose."""

    def arguments(request: Any) -> list[Any]:
        return [
            request.name,
            int(request.space),
            [_pose(item.values, size) for item in request.path],
            int(request.axis_mask),
            floats(request.times),
            bool(request.is_absolute),
        ]

    return arguments


def _paths(size: int) -> Arguments:
    """Return the builder for a path of each effector, in one list each."""

    def arguments(request: Any) -> list[Any]:
        times = [floats(item.values) for item in request.time_lists]
        if len(times) != len(request.paths):
            raise NaoError(f"{len(request.paths)} paths, but {len(times)} lists of times")
        return [
            list(request.names),
            int(request.space),
            [
                _path(item.values, size, len(row))
                for item, row in zip(request.paths, times, strict=True)
            ],
            [int(mask) for mask in request.axis_masks],
            times,
        ]

    return arguments


def _reached(arguments: Arguments) -> Outcome:
    """Return the outcome of a path: its time, and where the effectors are at its end."""

    async def outcome(robot: NaoRobot, request: Any, value: Any, begin: Begin) -> str:
        failure = await path_followed(robot, request, value, begin)
        if failure or not getattr(request, "is_absolute", True):
            return failure
        names, space, paths, masks = arguments(request)[:4]
        if isinstance(names, str):
            names, paths, masks = [names], [paths], [masks]
        for name, path, mask in zip(names, paths, masks, strict=True):
            here = await robot.asked("ALMotion", "getPosition", name, space, True)
            goal = pose_of(path[-1])[:3, 3]
            axes = [axis for axis in range(3) if mask & 1 << axis]
            missed = float(np.linalg.norm((np.array(here[:3], dtype=float) - goal)[axes]))
            if missed > NEAR_POSITION:
                return f"{name} is {missed:.3f} m from the end of the path"
        return ""

    return outcome


METHODS = (
    Method(
        "get_position", srv.GetPosition, "ALMotion.getPosition", fill=into("position", numbers)
    ),
    Method(
        "get_transform", srv.GetTransform, "ALMotion.getTransform", fill=into("transform", numbers)
    ),
    Method("set_position", srv.SetPosition, "ALMotion.setPosition", check=limp_effector),
    Method("change_position", srv.SetPosition, "ALMotion.changePosition", check=limp_effector),
    Method(
        "set_transform",
        srv.SetTransform,
        "ALMotion.setTransform",
        arguments=_one_transform,
        check=limp_effector,
    ),
    Method(
        "change_transform",
        srv.SetTransform,
        "ALMotion.changeTransform",
        arguments=_one_transform,
        check=limp_effector,
    ),
    Method(
        "set_positions",
        srv.SetPositions,
        "ALMotion.setPositions",
        arguments=_poses(POSITION),
        check=limp_effectors,
    ),
    Method(
        "set_transforms",
        srv.SetPositions,
        "ALMotion.setTransforms",
        arguments=_poses(TRANSFORM),
        check=limp_effectors,
    ),
    Method(
        "position_interpolation",
        srv.PositionInterpolation,
        "ALMotion.positionInterpolation",
        arguments=_path_of_one(POSITION),
        check=limp_effector,
        outcome=_reached(_path_of_one(POSITION)),
    ),
    Method(
        "transform_interpolation",
        srv.PositionInterpolation,
        "ALMotion.transformInterpolation",
        arguments=_path_of_one(TRANSFORM),
        check=limp_effector,
        outcome=_reached(_path_of_one(TRANSFORM)),
    ),
    Method(
        "position_interpolations",
        srv.PositionInterpolations,
        "ALMotion.positionInterpolations",
        arguments=_paths(POSITION),
        check=limp_effectors,
        outcome=_reached(_paths(POSITION)),
    ),
    Method(
        "transform_interpolations",
        srv.PositionInterpolations,
        "ALMotion.transformInterpolations",
        arguments=_paths(TRANSFORM),
        check=limp_effectors,
        outcome=_reached(_paths(TRANSFORM)),
    ),
)
