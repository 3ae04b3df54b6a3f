"""The draggable targets: gizmos with arrows and rings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model import transforms

if TYPE_CHECKING:
    import viser


SIZE = 0.25  # m


class TargetGizmo:
    """A gizmo in a robot's base frame; ``dragged`` is called in a thread of the page."""

    def __init__(
        self,
        server: viser.ViserServer,
        base: str,
        dragged: Callable[[], None],
        name: str = "target",
    ) -> None:
        self._point: Array | None = None
        self._gizmo = server.scene.add_transform_controls(
            f"{base}/{name}", scale=SIZE, visible=False, depth_test=False
        )
        self._gizmo.on_update(lambda _: dragged())

    def remove(self) -> None:
        """Remove the target from the page."""
        self._gizmo.remove()

    def constrain(self, holds: bool, point: Array | None) -> None:
        """Keep the orientation, aim the z axis at a point in the base frame, or neither."""
        self._gizmo.disable_rotations = holds or point is not None
        self._point = point

    @property
    def visible(self) -> bool:
        """Whether the target is shown."""
        return bool(self._gizmo.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._gizmo.visible = visible

    @property
    def pose(self) -> Array:
        """T_base_target (4x4); its z axis points at the point, if there is one."""
        w, x, y, z = self._gizmo.wxyz
        T = transforms.transform(self._gizmo.position, transforms.quaternion_matrix([x, y, z, w]))
        direction = np.zeros(3) if self._point is None else self._point - T[:3, 3]
        if direction.any():
            T[:3, :3] @= transforms.rotation_taking_z_to(
                T[:3, :3].T @ direction / np.linalg.norm(direction)
            )
        return T

    @pose.setter
    def pose(self, T: Array) -> None:
        x, y, z, w = transforms.matrix_quaternion(T[:3, :3]).tolist()
        self._gizmo.position, self._gizmo.wxyz = T[:3, 3], (w, x, y, z)


class TargetPair:
    """The target of the panel, and another one for the other tip of a robot with two.

    ``dragged`` is called with the number of a gizmo in a thread of the page.
    """

    def __init__(
        self, server: viser.ViserServer, base: str, dragged: Callable[[int], None]
    ) -> None:
        self._gizmos = [
            TargetGizmo(server, base, partial(dragged, number), name)
            for number, name in enumerate(("target", "other target"))
        ]
        self.active = 0  # the number of the panel's

    @property
    def pose(self) -> Array:
        """T_base_target (4x4) of the panel's target."""
        return self._gizmos[self.active].pose

    @pose.setter
    def pose(self, T: Array) -> None:
        self._gizmos[self.active].pose = T

    def show_other(self, T: Array) -> None:
        """Put the other target at T_base_target (4x4)."""
        self._gizmos[1 - self.active].pose = T

    def show(self, shown: bool, both: bool) -> None:
        """Show or hide the panel's target, and the other one."""
        self._gizmos[self.active].visible = shown
        self._gizmos[1 - self.active].visible = both

    def constrain(self, holds: bool, point: Array | None) -> None:
        """Keep the orientation, aim the z axis at a point in the base frame, or neither."""
        for gizmo in self._gizmos:
            gizmo.constrain(holds, point)
