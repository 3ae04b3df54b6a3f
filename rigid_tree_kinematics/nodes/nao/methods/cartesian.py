"""ALMotion's Cartesian and whole-body control: poses are 6 numbers, or the rows of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import nao_motion_interfaces.srv as srv

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nodes.nao.methods import checks, outcomes
from rigid_tree_kinematics.nodes.nao.methods.arguments import floats
from rigid_tree_kinematics.nodes.nao.methods.method import Method
from rigid_tree_kinematics.nodes.nao.methods.replies import into, numbers

POSITION, TRANSFORM = 6, 12  # numbers of a pose; a transform's last row may follow


def _pose(values: Sequence[float], size: int) -> list[float]:
    """Return a pose's numbers; of a transform the first three rows, as the setters take it."""
    if size == TRANSFORM and len(values) not in (12, 16):
        raise NaoError(f"a transform has 12 or 16 numbers, not {len(values)}")
    if size == POSITION and len(values) != size:
        raise NaoError(f"a position has {size} numbers, not {len(values)}")
    return floats(values[:size])


def _path(values: Sequence[float], size: int, count: int) -> list[list[float]]:
    """Return the poses of a path that is given as one list, for ``count`` times."""
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
        _pose(request.transform, TRANSFORM),
        float(request.fraction_max_speed),
        int(request.axis_mask),
    ]


def _one_pose_each(request: Any, size: int) -> list[Any]:
    return [
        list(request.names),
        int(request.space),
        [_pose(item.values, size) for item in request.positions],
        float(request.fraction_max_speed),
        int(request.axis_mask),
    ]


def _path_of_one(request: Any, size: int) -> list[Any]:
    """Return the arguments for a path of one effector, with a list for each pose."""
    return [
        request.name,
        int(request.space),
        [_pose(item.values, size) for item in request.path],
        int(request.axis_mask),
        floats(request.times),
        bool(request.is_absolute),
    ]


def _path_each(request: Any, size: int) -> list[Any]:
    """Return the arguments for a path of each effector, in one list each."""
    times = [floats(item.values) for item in request.time_lists]
    if len(times) != len(request.paths):
        raise NaoError(f"{len(request.paths)} paths, but {len(times)} lists of times")
    rows = zip(request.paths, times, strict=True)
    return [
        list(request.names),
        int(request.space),
        [_path(item.values, size, len(row)) for item, row in rows],
        [int(mask) for mask in request.axis_masks],
        times,
    ]


def _enable_and_name(request: Any) -> list[Any]:
    # The only switch that takes the value before the name.
    return [bool(request.enable), request.name]


def _method(kind: Any, name: str, arguments: Callable[[Any, int], list[Any]]) -> Method:
    """Return the row of a method of poses; those named interpolation follow a path."""
    size = TRANSFORM if "ransform" in name else POSITION
    follows = "Interpolation" in name
    return Method(
        kind,
        f"ALMotion.{name}",
        arguments=lambda request: arguments(request, size),
        check=checks.effectors,
        outcome=outcomes.paths_followed if follows else outcomes.returned,
    )


MOVES: dict[str, Any] = {"check": checks.effectors}
CARTESIAN = (
    Method(srv.GetPosition, "ALMotion.getPosition", fill=into("position", numbers)),
    Method(srv.GetTransform, "ALMotion.getTransform", fill=into("transform", numbers)),
    Method(srv.SetPosition, "ALMotion.setPosition", **MOVES),
    Method(srv.SetPosition, "ALMotion.changePosition", **MOVES),
    Method(srv.SetTransform, "ALMotion.setTransform", arguments=_one_transform, **MOVES),
    Method(srv.SetTransform, "ALMotion.changeTransform", arguments=_one_transform, **MOVES),
    _method(srv.SetPositions, "setPositions", _one_pose_each),
    _method(srv.SetPositions, "setTransforms", _one_pose_each),
    _method(srv.PositionInterpolation, "positionInterpolation", _path_of_one),
    _method(srv.PositionInterpolation, "transformInterpolation", _path_of_one),
    _method(srv.PositionInterpolations, "positionInterpolations", _path_each),
    _method(srv.PositionInterpolations, "transformInterpolations", _path_each),
)

WHOLE_BODY = (
    Method(srv.SetFlag, "ALMotion.wbEnable"),
    Method(srv.WbFootState, "ALMotion.wbFootState"),
    Method(srv.SetFlagOf, "ALMotion.wbEnableBalanceConstraint", arguments=_enable_and_name),
    Method(
        srv.WbGoToBalance,
        "ALMotion.wbGoToBalance",
        check=checks.legs,
        outcome=outcomes.in_balance,
    ),
    Method(srv.SetFlagOf, "ALMotion.wbEnableEffectorControl"),
    Method(srv.SetFlagOf, "ALMotion.wbEnableEffectorOptimization"),
    Method(srv.WbSetEffectorControl, "ALMotion.wbSetEffectorControl", check=checks.effectors),
)
