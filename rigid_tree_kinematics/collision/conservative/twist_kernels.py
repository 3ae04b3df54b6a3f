"""Bounds of a body's displacement along a motion, tighter than the general ones.

Along a motion with constant joint rates, a point p has a velocity v, known at the configuration
checked, and an acceleration bounded by the reaches: the second derivative of p by the positions
of two joints is at most the reach of the joint nearer to the point. So within a time t the point
moves at most |v| t + a t^2 / 2, and along a direction n at most |n . v| t + a t^2 / 2.
"""

import math
from typing import NamedTuple

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.world.arrays import MARGIN, ConservativeModel
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Vector, read_table
from rigid_tree_kinematics.kinematics.vectors import cross, length, rotated, transformed, vector
from rigid_tree_kinematics.model.columns import KIND, MULTIPLIER, PARENT, POSITION
from rigid_tree_kinematics.model.joints.joint_types import FIXED, FLOATING, PLANAR, PRISMATIC


class Pace(NamedTuple):
    """Maximum displacement of a body's points in a time t: ``speed`` t + ``bend`` t^2 / 2.

    ``need`` is the clearance (m) that suffices for the time ``half``. ``acceleration`` is the
    points' maximum acceleration; infinite if unknown.
    """

    half: float
    speed: float
    bend: float
    need: float
    acceleration: float


@inlined
def pace_of(speed: float, now: float, acceleration: float, half: float) -> Pace:
    """Return the Pace of a speed bound of any configuration, or of speed ``now`` if less."""
    bend = 0.0
    if now + 0.5 * half * acceleration < speed:
        speed, bend = now, acceleration
    need = max(half * (speed + 0.5 * half * bend), 2.0 * MARGIN)
    return Pace(half, speed, bend, need, acceleration)


@inlined
def distance_moved(pace: Pace, time: float) -> float:
    """Return the maximum displacement within a time; ``need`` from ``half`` on."""
    return time * (pace.speed + 0.5 * time * pace.bend) if time < pace.half else pace.need


@inlined
def time_to_move(speed: float, acceleration: float, distance: float) -> float:
    """Return the minimum time in which a point can move a distance."""
    root = math.sqrt(speed * speed + 2.0 * acceleration * distance)
    return 2.0 * distance / (speed + root)


@inlined
def velocity_at(twists: Array, i: int, point: Vector) -> Vector:
    """Return the velocity of a point of body ``i``, base frame."""
    x, y, z = point
    return (
        twists[i, 0] + twists[i, 4] * z - twists[i, 5] * y,
        twists[i, 1] + twists[i, 5] * x - twists[i, 3] * z,
        twists[i, 2] + twists[i, 3] * y - twists[i, 4] * x,
    )


@inlined
def speed_of_sphere(twists: Array, i: int, center: Vector, radius: float) -> float:
    """Return the maximum current speed of the points of a sphere fixed to body ``i``."""
    return length(velocity_at(twists, i, center)) + length(vector(twists, i, 3)) * radius


@inlined
def write_accelerations(model: ConservativeModel, steps: Array, accelerations: Array) -> None:
    """Write a bound (E,) for the acceleration of each entity's points along a motion.

    ``steps`` (nq,) are the magnitudes of the joint rates. The bound is infinite if a joint of
    several positions moves the entity.
    """
    table = model.table
    for entity in range(model.chains.shape[0]):
        bound, beyond = 0.0, 0.0
        for place in range(model.chains.shape[1]):
            i = model.chains[entity, place]
            if i < 0:
                break
            at, kind = int(table[i, POSITION]), int(table[i, KIND])
            if kind in (PLANAR, FLOATING):
                for k in range(at, at + (3 if kind == PLANAR else 7)):
                    if steps[k] != 0.0:
                        bound = math.inf
            elif steps[at] != 0.0:
                moved = model.chain_reach[entity, place] * steps[at]
                if kind != PRISMATIC:
                    bound += abs(table[i, MULTIPLIER]) * steps[at] * (moved + 2.0 * beyond)
                beyond += moved
        accelerations[entity] = bound


@inlined
def write_twists(
    model: ConservativeModel, frames: Array, difference: Array, twists: Array
) -> None:
    """Write the bodies' twists in the base frame: velocity at its origin, angular velocity."""
    table = model.table
    for row in range(model.rows.shape[0]):
        i = model.rows[row]
        parent, at, kind = int(table[i, PARENT]), int(table[i, POSITION]), int(table[i, KIND])
        for c in range(6):
            twists[i, c] = twists[parent, c] if parent > 0 else 0.0
        if kind in (FIXED, PLANAR, FLOATING):
            continue
        rate = table[i, MULTIPLIER] * difference[at]
        if rate == 0.0:
            continue
        m = read_table(frames, i, 0)
        x, y, z = rotated(m, vector(model.joint_axes, i, 3))
        axis = (rate * x, rate * y, rate * z)
        velocity = axis
        if kind != PRISMATIC:
            velocity = cross(transformed(m, vector(model.joint_axes, i, 0)), axis)
            for c in range(3):
                twists[i, 3 + c] += axis[c]
        for c in range(3):
            twists[i, c] += velocity[c]
