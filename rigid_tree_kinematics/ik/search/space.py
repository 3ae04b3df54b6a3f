"""The variables of a search: conversion of configurations, ball joints, random starts."""

import math

import numpy as np

import rigid_tree_kinematics.ik.chain.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics.motion import compose, read_table, sincos, turn_quaternion

# Rotates z to x: the alignment of a ball's first rotation; chain.py aligns all others with z.
X_FROM_Z = (0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0)


@inlined
def load_variables(steps: Array, variables: Array, q: Array, x: Array) -> bool:
    """Read the chain's variables from a configuration; return False for a zero quaternion."""
    for v in range(variables.shape[0]):
        ball = int(variables[v, layout.BALL])
        at = int(variables[v, layout.ENTRY])
        if ball == 0:
            x[v] = q[at]
            continue
        x[v] = 0.0
        if abs(ball) == 1:
            norm2 = q[at] ** 2 + q[at + 1] ** 2 + q[at + 2] ** 2 + q[at + 3] ** 2
            if norm2 < 1e-18:
                return False
            scale = 1.0 / math.sqrt(norm2)
            put_reference(variables, v, x, -scale if ball < 0 else scale, scale, q, at)
    refresh_balls(steps, variables, x)
    return True


@inlined
def put_reference(
    variables: Array, v: int, x: Array, vector_scale: float, scale: float, q: Array, at: int
) -> None:
    """Copy a quaternion behind the variables, conjugated if the vector's scale is negative."""
    to = int(variables[v, layout.REFERENCE])
    for k in range(3):
        x[to + k] = vector_scale * q[at + k]
    x[to + 3] = scale * q[at + 3]


@inlined
def store_variables(variables: Array, x: Array, seed: Array, q: Array) -> None:
    """Write the variables (recentered ball joints) to a configuration, angles near the seed."""
    for v in range(variables.shape[0]):
        ball = int(variables[v, layout.BALL])
        at = int(variables[v, layout.ENTRY])
        if ball == 0:
            q[at] = nearest_equivalent(variables, v, x[v], seed[at])
        elif abs(ball) == 1:
            by = int(variables[v, layout.REFERENCE])
            sign = -1.0 if ball < 0 else 1.0
            # Of the two quaternions of a rotation, the one on the seed's side.
            side = seed[at + 3] * x[by + 3]
            for k in range(3):
                side += seed[at + k] * sign * x[by + k]
            side = -1.0 if side < 0.0 else 1.0
            for k in range(3):
                q[at + k] = side * sign * x[by + k]
            q[at + 3] = side * x[by + 3]


@inlined
def nearest_equivalent(variables: Array, v: int, value: float, near: float) -> float:
    """Return the nearest equivalent value within the limits."""
    turn = float(variables[v, layout.TURN])
    if turn == 0.0 or abs(near - value) <= 0.5 * turn:
        return value
    lower, upper = variables[v, layout.LOWER], variables[v, layout.UPPER]
    turns = np.floor((near - value) / turn + 0.5)
    # Unlike math's, NumPy's functions take infinite limits.
    turns = min(max(turns, np.ceil((lower - value) / turn)), np.floor((upper - value) / turn))
    moved = value + turns * turn
    return moved if lower <= moved <= upper else value


@inlined
def draw_variables(
    steps: Array, variables: Array, free: int, x: Array, seed: int, count: int
) -> None:
    """Draw the free variables randomly within their limits, from the count-th number on."""
    for v in range(free):
        ball = int(variables[v, layout.BALL])
        if ball == 0:
            u = uniform(seed, count)
            count += 1
            low, high = variables[v, layout.SAMPLE_LOWER], variables[v, layout.SAMPLE_UPPER]
            x[v] = low + (high - low) * u
            if x[v] > high:
                x[v] = high
        else:
            x[v] = 0.0
            if abs(ball) == 1:
                # Shoemake 1992: uniform over the rotations.
                to = int(variables[v, layout.REFERENCE])
                u = uniform(seed, count)
                s1, c1 = sincos(2.0 * math.pi * uniform(seed, count + 1))
                s2, c2 = sincos(2.0 * math.pi * uniform(seed, count + 2))
                count += 3
                inner, outer = math.sqrt(1.0 - u), math.sqrt(u)
                x[to], x[to + 1] = inner * s1, inner * c1
                x[to + 2], x[to + 3] = outer * s2, outer * c2
    refresh_balls(steps, variables, x)


@inlined
def refresh_balls(steps: Array, variables: Array, x: Array) -> None:
    """Write the reference rotations into the steps, which must belong to one search."""
    if x.shape[0] == variables.shape[0]:
        return  # no balls
    for k in range(steps.shape[0] - 1):
        v = int(steps[k, layout.VARIABLE])
        if abs(int(variables[v, layout.BALL])) == 1:
            at = int(variables[v, layout.REFERENCE])
            m = read_table(steps, k, layout.BALL_BEFORE)
            m = turn_quaternion(m, x[at], x[at + 1], x[at + 2], x[at + 3])
            m = compose(m, X_FROM_Z)
            for i in range(12):
                steps[k, layout.BEFORE + i] = m[i]


@inlined
def recenter_balls(steps: Array, variables: Array, x: Array) -> None:
    """Move the three rotations of every ball joint into its reference, to start from zero."""
    if x.shape[0] == variables.shape[0]:
        return
    for v in range(variables.shape[0]):
        if abs(int(variables[v, layout.BALL])) == 1:
            at = int(variables[v, layout.REFERENCE])
            a, b, c, w = x[at], x[at + 1], x[at + 2], x[at + 3]
            for k in range(3):
                s, co = sincos(0.5 * x[v + k])
                if k == 0:
                    a, b, c, w = a * co + w * s, b * co + c * s, c * co - b * s, w * co - a * s
                elif k == 1:
                    a, b, c, w = a * co - c * s, b * co + w * s, c * co + a * s, w * co - b * s
                else:
                    a, b, c, w = a * co + b * s, b * co - a * s, c * co + w * s, w * co - c * s
                x[v + k] = 0.0
            scale = 1.0 / math.sqrt(a * a + b * b + c * c + w * w)
            x[at], x[at + 1] = a * scale, b * scale
            x[at + 2], x[at + 3] = c * scale, w * scale
    refresh_balls(steps, variables, x)
