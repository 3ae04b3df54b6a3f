"""Limits of NAO's joints, some dependent on another joint, and clamping of commands.

Sources: Aldebaran, NAOqi documentation, "Joints": the limits of HeadPitch by HeadYaw and of
AnkleRoll by AnklePitch, which keep the shells apart.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.text import told_apart
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model.body import LEFT_HIP, RIGHT_HIP, NaoBody, per_joint

# |HeadYaw|, lowest and highest HeadPitch (rad); linear in between.
HEAD_PITCH: Array = np.array(
    [
        (0.000000, -0.671951, 0.515047),
        (0.486074, -0.671951, 0.422021),
        (0.756077, -0.548033, 0.370010),
        (0.903033, -0.479965, 0.330041),
        (1.089958, -0.430049, 0.300022),
        (1.526988, -0.330041, 0.200015),
        (2.086017, -0.449073, 0.330041),
    ]
)
# LAnklePitch, lowest and highest LAnkleRoll (rad); the right one's are mirrored.
ANKLE_ROLL: Array = np.array(
    [
        (-1.189442, -0.049916, 0.075049),
        (-0.840027, -0.179943, 0.169995),
        (-0.700051, -0.397935, 0.220086),
        (-0.449946, -0.397935, 0.768992),
        (0.100007, -0.397935, 0.768992),
        (0.349938, -0.397935, 0.550477),
        (0.922755, 0.000000, 0.049916),
    ]
)
# Joint, the joint on which its limits depend, their table, and its sign.
COUPLED = (
    ("HeadPitch", "HeadYaw", HEAD_PITCH, 1.0),
    ("LAnkleRoll", "LAnklePitch", ANKLE_ROLL, 1.0),
    ("RAnkleRoll", "RAnklePitch", ANKLE_ROLL, -1.0),
)
NEGLIGIBLE = 2e-6  # rad: rounding in single precision and in the tables


def coupled_limits(body: NaoBody, angles: Array) -> tuple[Array, Array]:
    """Return the lower and upper limits of all joints (rad) at angles (rad, order of "Body")."""
    lower, upper = body.lower.copy(), body.upper.copy()
    for joint, other, table, sign in COUPLED:
        at = angles[body.index[other]]
        place = body.index[joint]
        ends = [
            np.interp(abs(at) if table is HEAD_PITCH else at, *table.T[[0, k]]) for k in (1, 2)
        ]
        low, high = sorted(sign * end for end in ends)
        lower[place], upper[place] = max(lower[place], low), min(upper[place], high)
    return lower, upper


def within_limits(body: NaoBody, angles: Array) -> Array:
    """Return angles (rad, order of "Body") clamped to all limits, the coupled ones last."""
    inside = np.clip(angles, body.lower, body.upper)
    return np.clip(inside, *coupled_limits(body, inside))


def clamped(
    body: NaoBody, commands: Mapping[str, float], present: Array
) -> tuple[dict[str, float], list[str]]:
    """Return commands (joint -> rad) clamped to the limits, and a remark on each change.

    Coupled limits depend on ``present`` (rad, order of "Body") for joints without a command.
    """
    wanted = np.array(present, dtype=float)
    for name, angle in commands.items():
        wanted[body.index[name]] = angle
    inside = within_limits(body, wanted)
    result, remarks = {}, []
    for name, angle in commands.items():
        value = float(inside[body.index[name]])
        if abs(value - angle) <= NEGLIGIBLE:
            value = float(angle)
        else:
            given, clamped = told_apart(angle, value, digits=5)
            remarks.append(f"{name} {given} clamped to {clamped}")
        result[name] = value
    return result, remarks


def couple_hips(body: NaoBody, commands: dict[str, float]) -> dict[str, float]:
    """Return commands (joint -> rad) with one value for both HipYawPitch joints.

    One motor moves both; as on the robot, the left one's command wins.
    """
    leader = commands.get(LEFT_HIP, commands.get(RIGHT_HIP))
    return commands if leader is None else {**commands, LEFT_HIP: leader, RIGHT_HIP: leader}


def with_both_hips(names: Iterable[str]) -> set[str]:
    """Return these names, with both HipYawPitch joints if one is among them."""
    hips, given = {LEFT_HIP, RIGHT_HIP}, set(names)
    return given | hips if given & hips else given


def limited_angles(
    body: NaoBody, names: str | Sequence[str], angles: float | Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Clamp angles (rad), one for all joints or one each; return joints, angles and remarks.

    Coupled limits depend on ``present``, all commanded angles (order of "Body"). Raises NaoError
    for unknown names and a wrong number of angles.
    """
    joints = body.joints(names)
    values = per_joint(joints, angles, "angle")
    result, remarks = clamped(body, dict(zip(joints, values, strict=True)), present)
    return list(joints), list(result.values()), remarks


def limited_changes(
    body: NaoBody, names: str | Sequence[str], changes: float | Sequence[float], present: Array
) -> tuple[list[str], list[float], list[str]]:
    """Clamp changes (rad) so that ``present`` + change is within the limits."""
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
    Unless ``is_absolute`` the angles are relative to ``present``. Raises NaoError for a wrong
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
    """Return the joints among ``names`` with stiffness 0, which commands do not move."""
    return [name for name in body.joints(names) if stiffnesses[body.index[name]] <= 0.0]
