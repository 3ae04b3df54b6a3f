"""Execution of joint trajectories: simulated robots, and collisions ahead of moving ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.execution.driven_robot import CONTROLLERS, MODES, DrivenRobot
    from rigid_tree_kinematics.execution.remaining_path import (
        Blockage,
        RemainingPath,
        start_errors,
    )

__all__ = ["CONTROLLERS", "MODES", "Blockage", "DrivenRobot", "RemainingPath", "start_errors"]

# Simulators do not load the collision library, nor planners the dynamics.
__getattr__ = lazy_names(__name__)
