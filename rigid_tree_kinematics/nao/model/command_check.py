"""Checks of joint commands before they are sent: limits, lengths, stiffness."""

from __future__ import annotations

from collections.abc import Sequence

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.model.body import NaoBody
from rigid_tree_kinematics.nao.model.joint_limits import clamped
from rigid_tree_kinematics.nao.model.motion_model import per_joint


def limited_angles(
    body: NaoBody, names: Sequence[str], angles: Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Cut angles at the limits.

    Args:
        body: joints and limits.
        names: joints, chains or groups; n joints in all.
        angles: one for all joints, or one for each (rad).
        present: all commanded angles (rad, order of "Body"), on which coupled limits depend.

    Returns the n joints, their n angles (rad), and a remark on each angle that was cut. Raises
    NaoError for unknown names, and for another number of angles than 1 and n.
    """
    joints = body.joints(names)
    values = per_joint(joints, angles, "angle")
    cut, remarks = clamped(body, dict(zip(joints, values, strict=True)), present)
    return list(joints), list(cut.values()), remarks


def limited_changes(
    body: NaoBody, names: Sequence[str], changes: Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Cut changes of angles so that the resulting angles are within the limits.

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
    names: Sequence[str],
    lists: Sequence[Sequence[float]],
    present: Array,
    is_absolute: bool,
) -> tuple[list[str], list[list[float]], list[str]]:
    """Cut one list of angles for each joint.

    Coupled limits are evaluated with the angles of equal index, the last one of shorter lists.

    Args:
        body: joints and limits.
        names: joints, chains or groups; n joints in all.
        lists: n lists of angles (rad), which may differ in length.
        present: all commanded angles (rad, order of "Body").
        is_absolute: whether the lists hold angles, or changes relative to ``present``.

    Returns the n joints, n lists as long as the given ones (rad), and the remarks. Raises NaoError
    for unknown names, for another number of lists than n, and for an empty list.
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
        _, cut, new_remarks = check(body, joints, values, present)
        for row, given, value in zip(rows, lists, cut, strict=True):
            if turn < len(given):
                row.append(value)
        remarks |= dict.fromkeys(new_remarks)
    return joints, rows, list(remarks)


def limp_joints(body: NaoBody, names: Sequence[str], stiffnesses: Array) -> list[str]:
    """Return the joints among ``names`` whose stiffness is 0; no command moves them.

    ``stiffnesses`` holds one value from 0 to 1 for each joint of "Body". Raises NaoError for
    unknown names.
    """
    joints = body.joints(names)
    values = stiffnesses[body.places(joints)]
    return [joint for joint, value in zip(joints, values, strict=True) if value <= 0.0]
