"""Joint axes and chains, which the kernels use to bound a body's motion."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot.parts import Part
from rigid_tree_kinematics.collision.robot.reach import axis_of, reach_by_row
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.columns import CHILD_TRANSFORM, KIND
from rigid_tree_kinematics.model.joints import FIXED, POSITION_COUNTS


def joint_axes(compiled: CompiledTree) -> Array:
    """Return each body's joint axis as a point and a direction in the body's frame, (n, 6).

    They do not depend on the configuration. For a prismatic joint only the direction is valid;
    for joints of several positions the row is ignored.
    """
    lines = np.zeros((len(compiled.table), 6))
    for line, entry in zip(lines, compiled.table, strict=True):
        child = entry[CHILD_TRANSFORM : CHILD_TRANSFORM + 12].reshape(3, 4)
        line[:3] = -child[:, :3].T @ child[:, 3]
        line[3:] = child[:, :3].T @ axis_of(entry)
    return lines


def chains_of(compiled: CompiledTree, parts: Sequence[Part]) -> tuple[NDArray[np.int64], Array]:
    """Return ``chains`` and ``chain_reach`` of a ConservativeModel."""
    chains = [_chain(compiled, part) for part in parts]
    longest = max(map(len, chains), default=0)
    rows = np.full((len(chains), longest), -1, dtype=np.int64)
    reaches = np.zeros((len(chains), longest))
    for number, chain in enumerate(chains):
        for place, (row, reach) in enumerate(chain):
            rows[number, place], reaches[number, place] = row, reach
    return rows, reaches


@lru_cache(maxsize=4096)
def _chain(compiled: CompiledTree, part: Part) -> list[tuple[int, float]]:
    """Return the bodies whose joints move a part, up to the base, with their reach."""
    chain = []
    for row, reach in reach_by_row(compiled, part.row, part.spheres):
        kind = int(compiled.table[row, KIND])
        if kind != FIXED:
            chain.append((row, float(reach.sum()) if POSITION_COUNTS[kind] == 1 else 0.0))
    return chain
