"""Frames of the moving joints at sixteen samples of a motion, its start and end included."""

import math
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.world.arrays import ConservativeModel, Work
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.lanes import WIDE, floor_of, load_lanes, sixteen, store_lanes
from rigid_tree_kinematics.kinematics.motion import compose, read_table, turn_z

TURN = 2.0 * math.pi
STEP = 1.0 / (WIDE - 1)  # of the motion, from one sample to the next


@inlined
def read_frame(lanes: Any, number: int) -> Any:
    """Return a joint's frame at all samples; 0 is the base."""
    k, w = 12 * WIDE * number, WIDE
    return (
        load_lanes(lanes, k), load_lanes(lanes, k + w), load_lanes(lanes, k + 2 * w),
        load_lanes(lanes, k + 3 * w), load_lanes(lanes, k + 4 * w), load_lanes(lanes, k + 5 * w),
        load_lanes(lanes, k + 6 * w), load_lanes(lanes, k + 7 * w), load_lanes(lanes, k + 8 * w),
        load_lanes(lanes, k + 9 * w), load_lanes(lanes, k + 10 * w), load_lanes(lanes, k + 11 * w),
    )  # fmt: skip


@inlined
def _sincos(turns: Any) -> Any:
    """Return sine and cosine of angles in turns, by Taylor series of half the angle."""
    h = (turns - floor_of(turns + 0.5)) * math.pi
    z = h * h
    s = 1.0 - z * (1.0 / 72.0 - z * (1.0 / 7920.0 - z * (1.0 / 1235520.0)))
    s = h * (1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0) * s)))
    c = 1.0 - z * (1.0 / 56.0 - z * (1.0 / 5040.0 - z * (1.0 / 665280.0)))
    c = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0) * c))
    return 2.0 * s * c, 1.0 - 2.0 * s * s


@inlined
def _place_joint(model: ConservativeModel, work: Work, j: int, a: Array, motion: Array) -> None:
    """Write the frames of joint ``j`` at all samples."""
    joints: Any = model.lanes
    at, rate = joints.joints[j]["position"], joints.rates[j, 0]
    start, step = rate * a[at] + joints.rates[j, 1], rate * motion[at] * STEP
    above = read_frame(work.lanes, joints.joints[j]["above"])
    m = compose(above, read_table(joints.placements, j, 0))
    if joints.joints[j]["slides"] == 1:
        x = sixteen(start, step)
        m = (
            m[0], m[1], m[2], m[2] * x + m[3], m[4], m[5], m[6], m[6] * x + m[7],
            m[8], m[9], m[10], m[10] * x + m[11],
        )  # fmt: skip
    else:
        first = start / TURN
        s, c = _sincos(sixteen(first - math.floor(first), step / TURN))
        m = turn_z(m, c, s)
    for k in range(12):
        store_lanes(work.lanes, (12 * (j + 1) + k) * WIDE, m[k])


@inlined
def place_joints(model: ConservativeModel, work: Work, a: Array, motion: Array) -> None:
    """Write the frames of all moving joints along a motion from ``a``, (nq,) each."""
    moving = model.lanes.moving
    for k in range(moving.shape[0]):
        _place_joint(model, work, moving[k], a, motion)
