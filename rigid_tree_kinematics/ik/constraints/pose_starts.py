"""Starts of projections that already bring bodies to their target poses."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints.constraints import Constraint, PoseTarget
from rigid_tree_kinematics.ik.single import SingleTargetIK
from rigid_tree_kinematics.model import CompiledTree

RESTARTS = 50  # for one pose


class PoseStarts:
    """Inverse kinematics of the pose targets among constraints, one after the other.

    Each moves the joints of its chain that those before it do not move. Projections onto several
    poses from random configurations mostly end in local minima, where this search restarts.
    """

    def __init__(
        self, compiled: CompiledTree, constraints: Sequence[Constraint], locked: Collection[str]
    ) -> None:
        self._solvers: list[tuple[SingleTargetIK, Array]] = []
        taken = set(locked)
        for target in constraints:
            if not isinstance(target, PoseTarget):
                continue
            try:
                solver = SingleTargetIK(
                    compiled,
                    target.body,
                    target.reference,
                    tool=target.tool,
                    locked=taken,
                    timeout=math.inf,
                    max_restarts=RESTARTS,
                )
            except ModelError:
                continue  # no joint of the chain is left to move
            taken.update(solver.joint_names)
            self._solvers.append((solver, np.array(target.target)))

    def moved(self, q: Array) -> Array:
        """Return a configuration near ``q`` (nq,) with bodies at their poses, if it is found."""
        for solver, T in self._solvers:
            result = solver.solve(T, q)
            if result.success:
                q = q.copy()
                moved = list(solver.involved)
                q[moved] = result.configuration[moved]
        return q
