"""Frames as twelve numbers, for kernels that place points by them."""

from __future__ import annotations

from typing import Any

from rigid_tree_kinematics.kernels import inlined


@inlined
def frame_of(frames: Any, i: int) -> Any:
    """Return row ``i`` as twelve numbers."""
    return (
        frames[i, 0], frames[i, 1], frames[i, 2], frames[i, 3],
        frames[i, 4], frames[i, 5], frames[i, 6], frames[i, 7],
        frames[i, 8], frames[i, 9], frames[i, 10], frames[i, 11],
    )  # fmt: skip


@inlined
def placed(m: Any, x: float, y: float, z: float) -> Any:
    """Return a point moved by the frame ``m``."""
    return (
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
    )
