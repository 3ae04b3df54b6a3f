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
    """Clamp angles to the limits.

    Args:
        body: joints and limits.
        names: joints, chains or groups; n joints in all.
        angles: one for all joints, or one for each (rad).
        present: all commanded angles (rad, order of "Body"), on which coupled limits depend.

    Returns the n joints, their n angles (rad), and a remark on each clamped angle. Raises
    NaoError for unknown names, and if there are neither 1 nor n angles.
    """
    joints = body.joints(names)
    values = per_joint(joints, angles, "angle")
    result, remarks = clamped(body, dict(zip(joints, values, strict=True)), present)
    return list(joints), list(result.values()), remarks


def limited_changes(
    body: NaoBody, names: str | Sequence[str], changes: float | Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Clamp changes of angles so that the resulting angles are within the limits.

    The arguments, results and errors are those of ``limited_angles``, with ``changes`` relative
    to ``present`` (rad).
    """
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
    """Clamp one list of angles for each joint.

    Coupled limits are evaluated with the angles of equal index, the last one of shorter lists.

    Args:
        body: joints and limits.
        joints: n names.
        lists: n lists of angles (rad), which may differ in length.
        present: all commanded angles (rad, order of "Body").
        is_absolute: whether the lists contain angles, or changes relative to ``present``.

    Returns n lists as long as the given ones (rad), and the remarks. Raises NaoError if there are
    not n lists, and for an empty list.
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
    """Return the joints among ``names`` whose stiffness is 0; no command moves them.

    ``stiffnesses`` has one value from 0 to 1 for each joint of "Body". Raises NaoError for unknown
    names.
    """
    return [name for name in body.joints(names) if stiffnesses[body.index[name]] <= 0.0]
