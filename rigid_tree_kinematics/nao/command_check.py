"""What is looked at before a command goes to the robot: limits, numbers, stiffness."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.nao.body import NaoBody
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.joint_limits import clamped
from rigid_tree_kinematics.nao.motion_model import per_joint

Array = NDArray[np.float64]


def limited_angles(
    body: NaoBody, names: Sequence[str], angles: Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Return joints, their angles cut at the limits (rad), and a remark on each that was cut.

    ``present`` holds all angles as they are commanded (order of "Body"). Raises NaoError for
    unknown names, and where the number of angles does not fit.
    """
    joints = body.joints(names)
    values = per_joint(joints, angles, "angle")
    cut, remarks = clamped(body, dict(zip(joints, values, strict=True)), present)
    return list(joints), list(cut.values()), remarks


def limited_changes(
    body: NaoBody, names: Sequence[str], changes: Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Return joints, their changes (rad) cut where an angle would leave its limits, and remarks.

    Arguments and errors are those of ``limited_angles``, with changes instead of angles.
    """
    joints = body.joints(names)
    values = per_joint(joints, changes, "angle")
    starts = present[body.places(joints)]
    _, angles, remarks = limited_angles(body, joints, list(starts + values), present)
    return list(joints), [float(value) for value in angles - starts], remarks


def limited_lists(
    body: NaoBody,
    names: Sequence[str],
    lists: Sequence[Sequence[float]],
    present: Array,
    is_absolute: bool,
) -> tuple[list[str], list[list[float]], list[str]]:
    """Return joints, one list of angles or changes (rad) for each, cut at the limits, and remarks.

    The first entries of all lists are checked together, then the second ones, and so on; a list
    that has ended stays at its last entry. ``is_absolute`` says that they are angles, not changes.
    Raises NaoError as ``limited_angles`` does, and for an empty list.
    """
    joints = list(body.joints(names))
    if len(lists) != len(joints):
        raise NaoError(f"{len(lists)} lists of angles for {len(joints)} joints")
    if not all(lists):
        raise NaoError("a list of angles is empty")
    rows: list[list[float]] = [[] for _ in joints]
    remarks: dict[str, None] = {}
    check = limited_angles if is_absolute else limited_changes
    for turn in range(max(map(len, lists))):
        values = [row[min(turn, len(row) - 1)] for row in lists]
        _, cut, said = check(body, joints, values, present)
        for row, given, value in zip(rows, lists, cut, strict=True):
            if turn < len(given):
                row.append(value)
        remarks |= dict.fromkeys(said)
    return joints, rows, list(remarks)


def limp_joints(body: NaoBody, names: Sequence[str], stiffnesses: Array) -> list[str]:
    """Return the joints among these whose stiffness is 0, which no command moves."""
    joints = body.joints(names)
    values = stiffnesses[body.places(joints)]
    return [joint for joint, value in zip(joints, values, strict=True) if value <= 0.0]
