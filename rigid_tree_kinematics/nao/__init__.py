"""NAO: its model behind ALMotion's methods, the connection to a robot, and a simulated robot."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigid_tree_kinematics.nao.motion_model import NaoMotionModel

__all__ = ["NaoMotionModel"]


# The model loads compiled kernels: imported when somebody asks for it.
def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module("rigid_tree_kinematics.nao.motion_model"), name)
