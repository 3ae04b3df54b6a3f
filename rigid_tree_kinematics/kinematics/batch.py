"""The kernel for the body frames of many configurations, four at a time.

This is 2 to 3 times as fast as one at a time (``benchmarks.library.kinematics``).
"""

import math
from typing import Any

import numpy as np

import rigid_tree_kinematics.model.columns as columns
import rigid_tree_kinematics.model.joints.joint_types as joint_types
from rigid_tree_kinematics.kernels import MATRIX, STACK, TABLE, inlined, kernel, types
from rigid_tree_kinematics.kernels.lanes import (
    WIDTH,
    floor_of,
    lanes_of,
    load_lanes,
    prefetch,
    store_lanes,
    transposed,
    where_less,
)
from rigid_tree_kinematics.kinematics.kernels import body_transforms
from rigid_tree_kinematics.kinematics.motion import (
    HALF_PI,
    LARGEST_REDUCED,
    compose,
    read_table,
    shift,
    sincos_of_reduced,
    turn,
    turn_quaternion,
    turn_x,
    turn_y,
    turn_z,
)

ENTRIES = 12  # of a transform


@inlined
def _sincos(x: Any) -> Any:
    """Return ``motion.sincos`` of angles below LARGEST_REDUCED, in all lanes."""
    turns = floor_of(x * (2.0 / math.pi) + 0.5)
    r = x - turns * HALF_PI[0]
    r = r - turns * HALF_PI[1]
    r = r - turns * HALF_PI[2]
    s, c = sincos_of_reduced(r)
    half, quarter, next_quarter = turns * 0.5, turns * 0.25, turns * 0.25 + 0.25
    even = half - floor_of(half)  # 0 or 0.5
    s, c = where_less(even, 0.25, s, c), where_less(even, 0.25, c, s)
    s = where_less(quarter - floor_of(quarter), 0.5, s, 0.0 - s)
    c = where_less(next_quarter - floor_of(next_quarter), 0.5, c, 0.0 - c)
    return s, c


@inlined
def _column(q: Any, row: int, width: int, at: int) -> Any:
    """Return one position of four configurations."""
    k = row * width + at
    return lanes_of(q[k], q[k + width], q[k + 2 * width], q[k + 3 * width])


@inlined
def _read_frame(frames: Any, i: int) -> Any:
    k = i * ENTRIES * WIDTH
    return (
        load_lanes(frames, k), load_lanes(frames, k + 4), load_lanes(frames, k + 8),
        load_lanes(frames, k + 12), load_lanes(frames, k + 16), load_lanes(frames, k + 20),
        load_lanes(frames, k + 24), load_lanes(frames, k + 28), load_lanes(frames, k + 32),
        load_lanes(frames, k + 36), load_lanes(frames, k + 40), load_lanes(frames, k + 44),
    )  # fmt: skip


@inlined
def _write_frame(frames: Any, i: int, m: Any) -> None:
    for k in range(ENTRIES):
        store_lanes(frames, (i * ENTRIES + k) * WIDTH, m[k])


@inlined
def _write_row(out: Any, k: int, step: int, a: Any, b: Any, c: Any, d: Any) -> None:
    """Write a row of a frame for four configurations that are ``step`` apart."""
    one, two, three, four = transposed(a, b, c, d)
    store_lanes(out, k, one)
    store_lanes(out, k + step, two)
    store_lanes(out, k + 2 * step, three)
    store_lanes(out, k + 3 * step, four)


@inlined
def _moved(m: Any, table: Any, i: int, q: Any, row: int, width: int) -> Any:
    """Return ``m`` followed by the motion of body i's joint."""
    kind = int(table[i, columns.KIND])
    if kind == joint_types.FIXED:
        return m
    at = int(table[i, columns.POSITION])
    one = _column(q, row, width, at)
    if kind == joint_types.FLOATING:
        two, three = _column(q, row, width, at + 1), _column(q, row, width, at + 2)
        m = shift(m, one, two, three)
        x, y = _column(q, row, width, at + 3), _column(q, row, width, at + 4)
        z, w = _column(q, row, width, at + 5), _column(q, row, width, at + 6)
        m = turn_quaternion(m, x, y, z, w)
    elif kind == joint_types.PLANAR:
        m = shift(m, one, _column(q, row, width, at + 1), 0.0)
        s, c = _sincos(_column(q, row, width, at + 2))
        m = turn_z(m, c, s)
    else:
        x, y, z = table[i, columns.AXIS], table[i, columns.AXIS + 1], table[i, columns.AXIS + 2]
        value = one * table[i, columns.MULTIPLIER] + table[i, columns.OFFSET]
        if kind == joint_types.PRISMATIC:
            m = shift(m, value * x, value * y, value * z)
        else:
            s, c = _sincos(value)
            if kind == joint_types.REVOLUTE:
                m = turn(m, x, y, z, c, s)
            elif kind == joint_types.REVOLUTE_X:
                m = turn_x(m, c, s)
            elif kind == joint_types.REVOLUTE_Y:
                m = turn_y(m, c, s)
            else:
                m = turn_z(m, c, s)
    if table[i, columns.MOVED_CHILD] != 0.0:
        m = compose(m, read_table(table, i, columns.CHILD_TRANSFORM))
    return m


@inlined
def _largest_position(table: Any) -> float:
    """Return the largest position at which no angle exceeds LARGEST_REDUCED."""
    largest = LARGEST_REDUCED
    for i in range(1, table.shape[0]):
        scale = max(1.0, abs(table[i, columns.MULTIPLIER]))
        largest = min(largest, (LARGEST_REDUCED - abs(table[i, columns.OFFSET])) / scale)
    return largest


@kernel(types.boolean(TABLE, MATRIX, STACK))
def body_transforms_batch(table: Any, q: Any, out: Any) -> bool:
    """Batch version of ``body_transforms``: ``q`` (N, nq), ``out`` (N, n, 4, 4)."""
    rows, width, bodies = q.shape[0], q.shape[1], table.shape[0]
    flat, target = q.reshape(q.size), out.reshape(out.size)
    step = bodies * 16
    frames = np.empty(bodies * ENTRIES * WIDTH)
    for k in range(ENTRIES):
        for lane in range(WIDTH):
            frames[k * WIDTH + lane] = 1.0 if k % 5 == 0 else 0.0
    last = lanes_of(0.0, 0.0, 0.0, 1.0)
    limit = _largest_position(table)
    finite = True
    row = 0
    while row < rows:
        four = row + WIDTH <= rows
        for k in range(row * width, min(row + WIDTH, rows) * width):
            four &= abs(flat[k]) < limit  # false for NaN
        if not four:
            for k in range(row, min(row + WIDTH, rows)):
                finite &= body_transforms(table, q[k], out[k])
            row += WIDTH
            continue
        for i in range(bodies):
            m = _read_frame(frames, 0)
            if i > 0:
                m = compose(
                    _read_frame(frames, int(table[i, columns.PARENT])),
                    read_table(table, i, columns.FIXED_TRANSFORM),
                )
                m = _moved(m, table, i, flat, row, width)
                _write_frame(frames, i, m)
            k = row * step + i * 16
            _write_row(target, k, step, m[0], m[1], m[2], m[3])
            _write_row(target, k + 4, step, m[4], m[5], m[6], m[7])
            _write_row(target, k + 8, step, m[8], m[9], m[10], m[11])
            for lane in range(WIDTH):
                store_lanes(target, k + lane * step + 12, last)
                # Cache lines are prefetched long before they are written.
                prefetch(target, k + (lane + WIDTH) * step)
                prefetch(target, k + (lane + WIDTH) * step + 8)
        row += WIDTH
    return finite
