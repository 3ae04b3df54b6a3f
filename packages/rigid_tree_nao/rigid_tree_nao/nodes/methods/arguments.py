"""Conversion of a request's fields to the arguments of a method, as plain Python values."""

from collections.abc import Callable, Sequence
from typing import Any

from nao_motion_interfaces.msg import NumberList

from rigid_tree_nao import NaoError

# Where NAOqi takes one value or a list, a list of one becomes the value: ["Body"] is "Body".
ONE_OR_SEVERAL = ("names", "angles", "stiffnesses")
POSITION, TRANSFORM = 6, 12  # numbers of a pose; a transform's last row may follow


def floats(values: Sequence[float]) -> list[float]:
    """Return numbers as a list of Python floats."""
    return [float(value) for value in values]


def all_fields(request: Any) -> list[Any]:
    """Return the values of all fields, in the order of the method's arguments."""
    fields = request.get_fields_and_field_types()
    return [
        value[0] if name in ONE_OR_SEVERAL and len(value) == 1 else value
        for name, value in zip(fields, lists_of_all_fields(request), strict=True)
    ]


def lists_of_all_fields(request: Any) -> list[Any]:
    """Return all fields for methods that take a list for each name, even for one name."""
    return [_plain(getattr(request, name)) for name in request.get_fields_and_field_types()]


def no_arguments(request: Any) -> list[Any]:
    """Return no arguments, whatever the request contains."""
    return []


def names(request: Any) -> list[Any]:
    """Return the names as a list, of a request or of a goal that has more fields."""
    return [list(request.names)]


def value_and_name(request: Any) -> list[Any]:
    """Return a switch's value before its name."""
    return all_fields(request)[::-1]


def config(request: Any) -> list[Any]:
    """Return a configuration as pairs of names and values."""
    return [_pairs(request.names, request.values)]


def walk(request: Any) -> list[Any]:
    """Return a place or a velocity, and the gait's configuration."""
    return [*_place(request), *_gait(request)]


def places(request: Any) -> list[Any]:
    """Return several places, and the gait's configuration."""
    return [[_place(place) for place in request.places], *_gait(request)]


def timed_steps(request: Any) -> list[Any]:
    """Return legs, places, times, and whether pending steps are replaced."""
    return _steps(request, [float(step.time) for step in request.foot_steps])


def steps_with_speed(request: Any) -> list[Any]:
    """Return legs, places, speeds, and whether pending steps are replaced."""
    return _steps(request, floats(request.fraction_max_speed))


def bezier(request: Any) -> list[Any]:
    """Return names, times, and points [angle, handle before, handle after] for each joint."""
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
    return [list(request.names), _plain(request.time_lists), points]


def transform(request: Any) -> list[Any]:
    """Return the values of all fields, of which the third is a transform."""
    name, space, values, *others = lists_of_all_fields(request)
    return [name, space, _pose(values, TRANSFORM), *others]


def several_poses(size: int) -> Callable[[Any], list[Any]]:
    """Return the conversion of a request whose third field is a list for each pose."""

    def arguments(request: Any) -> list[Any]:
        name, space, poses, *others = lists_of_all_fields(request)
        return [name, space, [_pose(pose, size) for pose in poses], *others]

    return arguments


def several_paths(size: int) -> Callable[[Any], list[Any]]:
    """Return the conversion of a request whose third field lists one path for each name.

    The last field is a list of times for each path.
    """

    def arguments(request: Any) -> list[Any]:
        chains, space, paths, masks, times = lists_of_all_fields(request)
        if not len(chains) == len(paths) == len(masks) == len(times):
            raise NaoError(
                f"{len(chains)} names, but {len(paths)} paths, {len(masks)} axis masks and "
                f"{len(times)} lists of times"
            )
        rows = zip(paths, times, strict=True)
        return [chains, space, [_path(path, size, len(row)) for path, row in rows], masks, times]

    return arguments


def _plain(value: Any) -> Any:
    """Return a field's value as plain Python: libqi takes neither NumPy's types nor messages."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, NumberList):
        return floats(value.values)
    return [
        _plain(item) if isinstance(item, (str, int, NumberList)) else float(item) for item in value
    ]


def _pairs(keys: Sequence[str], values: Sequence[float]) -> list[list[Any]]:
    if len(keys) != len(values):
        raise NaoError(f"{len(keys)} names, but {len(values)} values")
    return [[str(key), float(value)] for key, value in zip(keys, values, strict=True)]


def _gait(request: Any) -> list[Any]:
    """Return the gait's configuration as an argument, or nothing if there is none."""
    found = _pairs(request.config_names, request.config_values)
    return [found] if found else []


def _place(message: Any) -> list[float]:
    return [float(message.x), float(message.y), float(message.theta)]


def _steps(request: Any, numbers: list[float]) -> list[Any]:
    legs = [step.leg_name for step in request.foot_steps]
    return [legs, [_place(step) for step in request.foot_steps], numbers, request.clear_existing]


def _pose(values: list[float], size: int) -> list[float]:
    """Return a pose's numbers; of a transform the first three rows, as the setters take it."""
    if size == TRANSFORM and len(values) not in (12, 16):
        raise NaoError(f"a transform must have 12 or 16 numbers, not {len(values)}")
    if size == POSITION and len(values) != size:
        raise NaoError(f"a position must have {size} numbers, not {len(values)}")
    return values[:size]


def _path(values: list[float], size: int, count: int) -> list[list[float]]:
    """Return the poses of a path that is given as one list, for ``count`` times."""
    rows = (12, 16) if size == TRANSFORM else (size,)
    fitting = [row for row in rows if len(values) and not len(values) % row]
    if not fitting:
        raise NaoError(f"a path must have {size} numbers per pose, not {len(values)}")
    # 48 numbers are four transforms of 12, or three of 16.
    row = next((row for row in fitting if row * count == len(values)), fitting[0])
    return [_pose(values[k : k + row], size) for k in range(0, len(values), row)]
