"""Whether straight motions hold constraints, for callers outside of kernels."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.ik.constraints import MOTION
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.planning.constrained.motion_kernels import way_holds


def motion_holds(held: ConstraintSet, start: Array, end: Array, deadline: Deadline) -> bool:
    """Return whether the straight way between configurations (nq,) keeps the constraints.

    A little more strictly than they ask for; the ends are left out. Raises OutOfTimeError.
    """
    way = difference(held.compiled.position_kinds, start, end)
    kept = bool(way_holds(held.arrays, MOTION, start, way, held.work))
    return kept and held.unobstructed_along(np.array([start, end]), deadline)
