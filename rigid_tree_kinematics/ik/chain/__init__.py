"""The chain of joints that a search moves, its errors, settings and results."""

from rigid_tree_kinematics.ik.chain import settings
from rigid_tree_kinematics.ik.chain.chain import (
    BALL,
    BEFORE,
    ENTRY,
    LOWER,
    SAMPLE_LOWER,
    SAMPLE_UPPER,
    SLIDES,
    STEP_MULTIPLIER,
    STEP_OFFSET,
    TURN,
    UPPER,
    VARIABLE,
    Chain,
    compile_chain,
)
from rigid_tree_kinematics.ik.chain.result import (
    IKResult,
    IKStatus,
    positions_outside,
    quick_result,
)

__all__ = [
    "BALL",
    "BEFORE",
    "ENTRY",
    "LOWER",
    "SAMPLE_LOWER",
    "SAMPLE_UPPER",
    "SLIDES",
    "STEP_MULTIPLIER",
    "STEP_OFFSET",
    "TURN",
    "UPPER",
    "VARIABLE",
    "Chain",
    "IKResult",
    "IKStatus",
    "compile_chain",
    "positions_outside",
    "quick_result",
    "settings",
]
