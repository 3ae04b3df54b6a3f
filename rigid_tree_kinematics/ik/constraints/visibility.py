"""A disc that a sensor sees: from which side, how far from its axis, and past the robot's links.

After ``VisibilityConstraint`` of MoveIt's kinematic_constraints.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot import BodySolids
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.constraints.bounds import DirectionBounds, ViewBounds
from rigid_tree_kinematics.ik.constraints.constraints import (
    METER,
    RADIAN,
    Constraint,
    Quantity,
    State,
    keep,
)
from rigid_tree_kinematics.model.transforms import checked_pose

FEWEST_SIDES, MOST_SIDES = 3, 360


@dataclass(frozen=True, eq=False)
class VisibilityBounds(Constraint):
    """A disc on ``body`` is seen by a sensor on ``reference``.

    Args:
        body: that the disc is fixed to.
        target: T_body_target (4x4); the disc is in its x-y plane, and is seen from where z points.
        sensor: T_reference_sensor (4x4), which looks along z.
        radius: of the disc, m. The cone from the sensor to the disc has nothing of the robot in
            it; 0: whatever is in it.
        max_view_angle: between the sensor's axis and that of the disc, rad; 0: any.
        max_range_angle: from the sensor's axis to the disc's middle, rad; 0: any.
        reference: the body that the sensor is fixed to; None: the base.
        sides: the corners of the disc that make its cone.
        solids: of the robot; None: nothing stands in the way.
        left_out: bodies that may be in the cone.
    """

    body: str
    target: ArrayLike = field(repr=False)
    sensor: ArrayLike = field(repr=False)
    radius: float = 0.0
    max_view_angle: float = 0.0
    max_range_angle: float = 0.0
    reference: str | None = None
    sides: int = 16
    solids: BodySolids | None = field(default=None, repr=False)
    left_out: Collection[str] = ()
    weight: float = 1.0
    quantities: ClassVar[tuple[Quantity, ...]] = (
        ("view angle", RADIAN, 0, 1),
        ("range angle", RADIAN, 1, 2),
        ("line of sight", METER, 2, 3),
    )

    def __post_init__(self) -> None:
        keep(self, target=checked_pose(self.target, "VisibilityBounds: target"))
        keep(self, sensor=checked_pose(self.sensor, "VisibilityBounds: sensor"))
        for name in ("radius", "max_view_angle", "max_range_angle"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ModelError(
                    f"VisibilityBounds: {name} is finite and not negative, not {value!r}"
                )
        keep(self, sides=min(max(FEWEST_SIDES, self.sides), MOST_SIDES))

    @property
    def angles(self) -> list[Constraint]:
        """What the two angles ask for, as constraints that can be projected to."""
        found: list[Constraint] = []
        target, sensor = np.asarray(self.target), np.asarray(self.sensor)
        if self.max_view_angle > 0.0:
            # From behind it is never seen.
            most = min(self.max_view_angle, 0.5 * math.pi)
            found.append(
                DirectionBounds(
                    self.body,
                    sensor[:3, 2].tolist(),
                    most,
                    (-target[:3, 2]).tolist(),
                    self.reference,
                )
            )
        if self.max_range_angle > 0.0:
            most = min(self.max_range_angle, 0.5 * math.pi)
            point = target[:3, 3].tolist()
            found.append(ViewBounds(self.body, sensor, most, self.reference, point))
        return found

    @property
    def is_judged(self) -> bool:
        """Whether something may stand in the way."""
        return self.solids is not None and self.radius > 0.0

    def obstruction(self, state: State) -> float:
        """Return how deep (m) the robot reaches into the cone of sight."""
        if self.solids is None or not self.is_judged:
            return 0.0
        T_base_sensor = np.asarray(self.sensor)
        if self.reference is not None:
            frame = state.frames[state.compiled.index_of(self.reference)]
            T_base_sensor = frame @ T_base_sensor
        T_base_target = state.frames[state.compiled.index_of(self.body)] @ np.asarray(self.target)
        turns = 2.0 * math.pi * np.arange(self.sides) / self.sides
        disc = self.radius * np.column_stack([np.sin(turns), np.cos(turns), np.zeros(self.sides)])
        rim = disc @ T_base_target[:3, :3].T + T_base_target[:3, 3]
        return self.solids.depth_in_cone(
            state.frames, T_base_sensor[:3, 3], rim, frozenset(self.left_out)
        )

    def errors(self, state: State) -> Array:
        """Return by how much both angles are too large (rad), and what is in the way (m)."""
        found = np.zeros(3)
        for angle in self.angles:
            at = 0 if isinstance(angle, DirectionBounds) else 1
            found[at] = float(np.linalg.norm(angle.errors(state)))
        found[2] = self.obstruction(state)
        return found
