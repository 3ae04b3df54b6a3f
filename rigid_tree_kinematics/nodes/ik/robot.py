"""The robot of the inverse kinematics server: its model, its current state, its solvers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription
from rigid_tree_kinematics.nodes.ik.parameters import IkSettings

SOLVERS_KEPT = 64  # prepared solvers; callers of ever new problems must not fill the memory


@dataclass(frozen=True)
class Problem:
    """What a solver is prepared for; equal problems share one."""

    body: str
    base: str
    weights: tuple[float, ...]  # turn about x, y, z, shift along x, y, z
    locked: tuple[str, ...]
    position_tolerance: float  # m
    orientation_tolerance: float  # rad


class IkRobot(Robot):
    """A robot with solvers prepared for the problems that are asked."""

    def __init__(self, description: RobotDescription, settings: IkSettings) -> None:
        super().__init__(description)
        self.bodies = frozenset(self.tree.compiled().body_names)
        self.apply(settings)

    def apply(self, settings: IkSettings) -> None:
        """Prepare solvers with these settings from now on."""

        def make(problem: Problem) -> InverseKinematics:
            return InverseKinematics(
                self.tree,
                problem.body,
                problem.base,
                weights=problem.weights,
                locked=problem.locked,
                position_tolerance=problem.position_tolerance,
                orientation_tolerance=problem.orientation_tolerance,
                max_restarts=settings.max_restarts,
                random_seed=settings.random_seed,
            )

        self.solver = lru_cache(SOLVERS_KEPT)(make)
