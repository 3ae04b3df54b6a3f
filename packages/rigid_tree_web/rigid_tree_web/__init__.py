"""A browser page with robots: their bodies, frames, sliders and targets (viser).

``view`` opens it without ROS. Its parts are ``web``, the page itself, ``panels`` with controls,
and ``drawn``, the scene.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_web.robot_page import RobotPage, view

__all__ = ["RobotPage", "view"]

# Imported on first use: the node does without them.
__getattr__ = lazy_names(__name__)
