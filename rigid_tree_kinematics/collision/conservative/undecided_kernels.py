"""The kernel that finds where a motion that is not proven free is most likely in collision."""

import math
from typing import Any

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.obstacle_distance import obstacle_distance
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.kinematics.motion import Transform, twelve
from rigid_tree_kinematics.kinematics.topology import KINDS, write_between
from rigid_tree_kinematics.kinematics.vectors import transformed, vector


@inlined
def _frame_at(work: Work, joint: int, sample: int) -> Transform:
    """Return a joint's frame at one sample of the motion; 0 is the base."""
    lanes, k = work.lanes, 12 * WIDE * joint + sample
    return (
        lanes[k], lanes[k + WIDE], lanes[k + 2 * WIDE], lanes[k + 3 * WIDE],
        lanes[k + 4 * WIDE], lanes[k + 5 * WIDE], lanes[k + 6 * WIDE], lanes[k + 7 * WIDE],
        lanes[k + 8 * WIDE], lanes[k + 9 * WIDE], lanes[k + 10 * WIDE], lanes[k + 11 * WIDE],
    )  # fmt: skip


@kernel(types.int64(MODEL, KINDS, VECTOR, VECTOR, WORK))
def find_undecided(
    model: ConservativeModel, kinds: Integers, a: Array, difference: Array, work: Work
) -> int:
    """Return the check that ``motion_verdict`` could not decide, after it returned UNDECIDED.

    The configuration is in ``work.q``, an obstacle's row in ``work.counts``. If an
    inner sphere met an obstacle, it is the sample at which the sphere is deepest inside.
    """
    sphere, w = work.counts[arrays.SPHERE_MET], work.counts[arrays.OBSTACLE_MET]
    if sphere < 0:
        return int(work.counts[arrays.LAST_UNDECIDED])
    lanes: Any = model.lanes
    entity = int(lanes.owners[sphere])
    inverse = twelve(model.world.obstacles[w]["inverse"])
    center = vector(lanes.inner_spheres, sphere, 0)
    least, deepest = math.inf, 0
    for sample in range(WIDE):
        m = _frame_at(work, lanes.carriers[entity], sample)
        local = transformed(inverse, transformed(m, center))
        distance, _ = obstacle_distance(model.world, w, local, math.inf)
        if distance < least:
            least, deepest = distance, sample
    write_between(kinds, a, difference, deepest / (WIDE - 1), work.q)
    return entity
