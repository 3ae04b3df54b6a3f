"""Checks of joint commands before they are sent: limits, lengths, stiffness."""

from __future__ import annotations

from collections.abc import Sequence

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.model.body import NaoBody
from rigid_tree_kinematics.nao.model.joint_limits import clamped
from rigid_tree_kinematics.nao.model.motion_model import per_joint


def limited_angles(
    body: NaoBody, names: str | Sequence[str], angles: float | Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Clamp angles (rad), one for all joints or one each; return joints, angles and remarks.

    Coupled limits depend on ``present``, all commanded angles (order of "Body"). Raises NaoError
    for unknown names and another number of angles.
    """
    joints = body.joints(names)
    values = per_joint(joints, angles, "angle")
    result, remarks = clamped(body, dict(zip(joints, values, strict=True)), present)
    return list(joints), list(result.values()), remarks


def limited_changes(
    body: NaoBody, names: str | Sequence[str], changes: float | Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Clamp changes (rad) so that ``present`` + change is within the limits, like the above."""
    joints = body.joints(names)
    values = per_joint(joints, changes, "angle")
    starts = present[body.places(joints)]
    _, angles, remarks = limited_angles(body, joints, list(starts + values), present)
    return list(joints), [float(value) for value in angles - starts], remarks


def limited_lists(
    body: NaoBody,
    joints: Sequence[str],
    lists: Sequence[Sequence[float]],
    present: Array,
    is_absolute: bool,
) -> tuple[list[list[float]], list[str]]:
    """Clamp one list of angles (rad) for each joint; return the lists and the remarks.

    Coupled limits are evaluated with the angles of equal index, the last one of shorter lists.
    Unless ``is_absolute`` the angles are relative to ``present``. Raises NaoError for another
    number of lists and for an empty one.
    """
    if len(lists) != len(joints):
        raise NaoError(f"{len(lists)} lists of angles for {len(joints)} joints")
    if not all(lists):
        raise NaoError("a list of angles is empty")
    rows: list[list[float]] = [[] for _ in joints]
    remarks: dict[str, None] = {}
    limited = limited_angles if is_absolute else limited_changes
    for k in range(max(map(len, lists))):
        values = [row[min(k, len(row) - 1)] for row in lists]
        _, clamped_values, new_remarks = limited(body, joints, values, present)
        for row, given, value in zip(rows, lists, clamped_values, strict=True):
            if k < len(given):
                row.append(value)
        remarks |= dict.fromkeys(new_remarks)
    return rows, list(remarks)


def joints_without_stiffness(
    body: NaoBody, names: str | Sequence[str], stiffnesses: Array
) -> list[str]:
    """Return the joints among ``names`` whose stiffness is 0; no command moves them."""
    return [name for name in body.joints(names) if stiffnesses[body.index[name]] <= 0.0]
