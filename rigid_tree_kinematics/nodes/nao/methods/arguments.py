"""Conversion of a request's fields to the arguments of a method, as plain Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nao_motion_interfaces.msg import NumberList

from rigid_tree_kinematics.nao import NaoError

# Where NAOqi takes one value or a list, a list of one becomes the value: ["Body"] is "Body".
ONE_OR_SEVERAL = ("names", "angles", "stiffnesses")


def all_fields(request: Any) -> list[Any]:
    """Return the values of all fields in their order, which is that of the method's arguments."""
    names = request.get_fields_and_field_types()
    return [
        value[0] if name in ONE_OR_SEVERAL and len(value) == 1 else value
        for name, value in zip(names, lists_of_all_fields(request), strict=True)
    ]


def lists_of_all_fields(request: Any) -> list[Any]:
    """Return the same for methods that take a list for each name, even if there is only one."""
    return [plain(getattr(request, name)) for name in request.get_fields_and_field_types()]


def no_arguments(request: Any) -> list[Any]:
    """Return no arguments, whatever the request contains."""
    return []


def plain(value: Any) -> Any:
    """Return a field's value as plain Python: libqi takes neither NumPy's types nor messages."""
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, NumberList):
        return floats(value.values)
    return [
        plain(item) if isinstance(item, (str, int, NumberList)) else float(item) for item in value
    ]


def pairs(names: Sequence[str], values: Sequence[float]) -> list[list[Any]]:
    """Return [name, value] for each name. Raises NaoError for different numbers of both."""
    if len(names) != len(values):
        raise NaoError(f"{len(names)} names, but {len(values)} values")
    return [[str(name), float(value)] for name, value in zip(names, values, strict=True)]


def floats(values: Sequence[float]) -> list[float]:
    """Return numbers as a list of Python floats."""
    return [float(value) for value in values]
