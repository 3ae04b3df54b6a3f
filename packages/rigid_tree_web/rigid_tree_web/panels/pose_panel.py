"""The pose of a body: shown as numbers, and set by typed ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import matrix_rpy, transform_from_xyz_rpy

if TYPE_CHECKING:
    import viser

FARTHEST = 1e3  # m or deg, of a typed number


class PosePanel:
    """A folder with a body, its pose in the base frame, and whether only its position matters.

    ``choose`` is called with a body and this choice, ``move`` with a typed T_base_body, both in
    threads of the page.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        bodies: tuple[str, ...],
        body: str,
        choose: Callable[[str, bool], None],
        move: Callable[[Array], None],
    ) -> None:
        self._move = move
        far: dict[str, Any] = {"min": (-FARTHEST,) * 3, "max": (FARTHEST,) * 3}
        with gui.add_folder("Target"):
            self._body: Any = gui.add_dropdown("Body", bodies, initial_value=body)
            hint = "The target's orientation is ignored"
            self._free: Any = gui.add_checkbox("Position only", False, hint=hint)
            self._xyz: Any = gui.add_vector3("x, y, z (m)", (0.0,) * 3, step=0.01, **far)
            hint = "Roll, pitch, yaw about the fixed axes of the base"
            self._rpy: Any = gui.add_vector3(
                "r, p, y (deg)", (0.0,) * 3, step=1.0, hint=hint, **far
            )
        self._xyz.precision, self._rpy.precision = 3, 1
        for field in (self._body, self._free):
            field.on_update(
                lambda event: choose(self._body.value, self._free.value) if event.client else None
            )
        for numbers in (self._xyz, self._rpy):
            numbers.on_update(lambda event: self._typed() if event.client else None)

    def _typed(self) -> None:
        numbers = [float(value) for value in (*self._xyz.value, *self._rpy.value)]
        if all(abs(number) <= FARTHEST for number in numbers):  # also no NaN
            rpy = [math.radians(value) for value in numbers[3:]]
            self._move(transform_from_xyz_rpy(numbers[:3], rpy))

    def show(self, T: Array, position_only: bool) -> None:
        """Show T_base_body and whether only the position matters."""
        self._free.value = position_only
        self._xyz.value = tuple(round(float(value), 3) for value in T[:3, 3])
        self._rpy.value = tuple(round(math.degrees(a), 1) for a in matrix_rpy(T[:3, :3]))
