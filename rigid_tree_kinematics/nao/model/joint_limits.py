"""Limits of NAO's joints, some of which depend on the position of another joint.

Sources: Aldebaran, NAOqi documentation, "Joints": the limits of HeadPitch by HeadYaw and of
AnkleRoll by AnklePitch, which keep the shells apart.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.nao.model.body import LEFT_HIP, RIGHT_HIP, NaoBody

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
NEGLIGIBLE = 2e-6  # rad: rounding in single precision and in the tables


def coupled_limits(body: NaoBody, angles: Array) -> tuple[Array, Array]:
    """Return the lower and the upper limits of all joints (rad, order of "Body").

    ``angles`` (rad, order of "Body") are those on which the coupled limits depend.
    """
    lower, upper = body.lower.copy(), body.upper.copy()
    yaw = abs(angles[body.index["HeadYaw"]])
    _narrow(lower, upper, body.index["HeadPitch"], *_between(HEAD_PITCH, yaw))
    low, high = _between(ANKLE_ROLL, angles[body.index["LAnklePitch"]])
    _narrow(lower, upper, body.index["LAnkleRoll"], low, high)
    low, high = _between(ANKLE_ROLL, angles[body.index["RAnklePitch"]])
    _narrow(lower, upper, body.index["RAnkleRoll"], -high, -low)
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
            remarks.append(f"{name} {angle:.4f} clamped to {value:.4f}")
        result[name] = value
    return result, remarks


def couple_hips(body: NaoBody, commands: dict[str, float]) -> dict[str, float]:
    """Return commands (joint -> rad) with one value for both HipYawPitch joints.

    One motor moves both; as on the robot, the left one's command wins.
    """
    leader = commands.get(LEFT_HIP, commands.get(RIGHT_HIP))
    return commands if leader is None else {**commands, LEFT_HIP: leader, RIGHT_HIP: leader}


def _between(table: Array, at: float) -> tuple[float, float]:
    return (
        float(np.interp(at, table[:, 0], table[:, 1])),
        float(np.interp(at, table[:, 0], table[:, 2])),
    )


def _narrow(lower: Array, upper: Array, place: int, low: float, high: float) -> None:
    lower[place] = max(lower[place], low)
    upper[place] = min(upper[place], high)
