"""How far a motion can take a body from where it is, which is less than for any configuration.

Along a motion with constant joint rates a point p has a velocity v, known at the configuration
looked at, and an acceleration that the reaches bound: the second derivative of p by the positions
of two joints is at most what the one nearer to the point does to it. So within a time t the point
moves at most |v| t + a t^2 / 2, and along a direction n at most |n . v| t + a t^2 / 2.
"""

from __future__ import annotations

import math
from typing import Any

from rigid_tree_kinematics.collision.conservative.placing import frame_of, placed
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.model.compiled import KIND, MULTIPLIER, PARENT, POSITION
from rigid_tree_kinematics.model.joints.joint_types import FIXED, FLOATING, PLANAR, PRISMATIC


@inlined
def write_accelerations(
    table: Any, chains: Any, chain_reach: Any, steps: Any, accelerations: Any
) -> None:
    """Write a bound for the points of each entity, for a motion by ``steps`` (nq,).

    It is infinite where a joint of several positions moves them.
    """
    for entity in range(chains.shape[0]):
        bound, beyond = 0.0, 0.0
        for place in range(chains.shape[1]):
            i = chains[entity, place]
            if i < 0:
                break
            at, kind = int(table[i, POSITION]), int(table[i, KIND])
            if kind in (PLANAR, FLOATING):
                for k in range(at, at + (3 if kind == PLANAR else 7)):
                    if steps[k] != 0.0:
                        bound = math.inf
                continue
            moved = chain_reach[entity, place] * steps[at]
            if kind != PRISMATIC:
                bound += abs(table[i, MULTIPLIER]) * steps[at] * (moved + 2.0 * beyond)
            beyond += moved
        accelerations[entity] = bound


@inlined
def place_twists(
    table: Any, rows: Any, frames: Any, joint_axes: Any, difference: Any, twists: Any
) -> None:
    """Write the bodies' twists in the base frame: velocity at its origin, angular velocity."""
    for row in range(rows.shape[0]):
        i = rows[row]
        parent, at, kind = int(table[i, PARENT]), int(table[i, POSITION]), int(table[i, KIND])
        for c in range(6):
            twists[i, c] = twists[parent, c] if parent > 0 else 0.0
        if kind in (FIXED, PLANAR, FLOATING):
            continue
        rate = table[i, MULTIPLIER] * difference[at]
        if rate == 0.0:
            continue
        m = frame_of(frames, i)
        x, y, z = joint_axes[i, 3], joint_axes[i, 4], joint_axes[i, 5]
        x, y, z = (
            rate * (m[0] * x + m[1] * y + m[2] * z),
            rate * (m[4] * x + m[5] * y + m[6] * z),
            rate * (m[8] * x + m[9] * y + m[10] * z),
        )
        if kind == PRISMATIC:
            twists[i, 0] += x
            twists[i, 1] += y
            twists[i, 2] += z
        else:
            a, b, c = placed(m, joint_axes[i, 0], joint_axes[i, 1], joint_axes[i, 2])
            twists[i, 0] += b * z - c * y
            twists[i, 1] += c * x - a * z
            twists[i, 2] += a * y - b * x
            twists[i, 3] += x
            twists[i, 4] += y
            twists[i, 5] += z


@inlined
def velocity_at(twists: Any, i: int, x: float, y: float, z: float) -> Any:
    """Return the velocity of a point of body ``i`` that is at (x, y, z)."""
    return (
        twists[i, 0] + twists[i, 4] * z - twists[i, 5] * y,
        twists[i, 1] + twists[i, 5] * x - twists[i, 3] * z,
        twists[i, 2] + twists[i, 3] * y - twists[i, 4] * x,
    )


@inlined
def time_to_move(speed: float, acceleration: float, distance: float) -> float:
    """Return the time before a point has moved so far at the earliest."""
    root = math.sqrt(speed * speed + 2.0 * acceleration * distance)
    return 2.0 * distance / (speed + root)
