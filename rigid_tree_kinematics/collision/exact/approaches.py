"""How far parts of a robot can approach each other, and obstacles, along a motion."""

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot import Part
from rigid_tree_kinematics.collision.robot.parts import pair_reach, part_reach
from rigid_tree_kinematics.collision.robot.reach import Range
from rigid_tree_kinematics.kinematics.topology import between
from rigid_tree_kinematics.model import CompiledTree


class Approaches:
    """Maximum approaches of ``pairs`` of parts, then of ``movers`` and obstacles."""

    def __init__(
        self,
        compiled: CompiledTree,
        pairs: Sequence[tuple[Part, Part]],
        movers: Sequence[Part],
    ) -> None:
        self._compiled, self._pairs, self._movers = compiled, pairs, movers
        self._anywhere = self._reach(None)

    def along(self, a: Array, motion: Array) -> Array:
        """Return the maximum approaches (m) on a ``motion`` from ``a``, (nq,) each."""
        reach = self._anywhere
        if not np.isfinite(reach).all():
            # Without limits, a joint still moves by a finite distance.
            ends = a, between(self._compiled.position_kinds, a, motion)
            reach = self._reach((np.minimum(*ends), np.maximum(*ends)))
        return np.asarray(reach @ np.abs(motion))

    def _reach(self, within: Range | None) -> Array:
        """Return the approaches per unit of each position, (pairs and movers, nq)."""
        compiled = self._compiled
        rows = [pair_reach(compiled, one, two, within) for one, two in self._pairs]
        rows += [part_reach(compiled, part, 0, within) for part in self._movers]
        return np.array(rows).reshape(len(rows), compiled.position_count)
