"""The robot of the inverse kinematics server: its model, its current state, its solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription
from rigid_tree_kinematics.nodes.ik.parameters import IkSettings

SOLVERS_KEPT = 64  # bounds the memory that requests with many different problems take


@dataclass(frozen=True)
class Problem:
    """The arguments of a solver; equal problems share one."""

    body: str
    base: str
    weights: tuple[float, ...]  # rotation about x, y, z, translation along x, y, z
    locked: tuple[str, ...]
    position_tolerance: float  # m
    orientation_tolerance: float  # rad


def cached_solvers(
    tree: RigidBodyTree, settings: IkSettings
) -> Callable[[Problem], InverseKinematics]:
    """Return a function that returns the solver of a problem, prepared once."""

    @lru_cache(SOLVERS_KEPT)
    def solver(problem: Problem) -> InverseKinematics:
        return InverseKinematics(
            tree,
            problem.body,
            problem.base,
            weights=problem.weights,
            locked=problem.locked,
            position_tolerance=problem.position_tolerance,
            orientation_tolerance=problem.orientation_tolerance,
            max_restarts=settings.max_restarts,
            random_seed=settings.random_seed,
        )

    return solver


class IkRobot(Robot):
    """A robot with solvers for the problems of requests."""

    def __init__(self, description: RobotDescription, settings: IkSettings) -> None:
        super().__init__(description)
        self.apply(settings)

    def apply(self, settings: IkSettings) -> None:
        """Prepare solvers with these settings from now on."""
        self.solver = cached_solvers(self.tree, settings)
