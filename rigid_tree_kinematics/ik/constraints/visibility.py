"""A disc seen by a sensor: view angle, range angle, and obstruction by the robot's links.

Modeled on ``VisibilityConstraint`` of MoveIt's kinematic_constraints.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot import BodySolids
from rigid_tree_kinematics.ik.constraints.bounds import DirectionBounds, ViewBounds
from rigid_tree_kinematics.ik.constraints.constraints import (
    Constraint,
    ConstraintGroup,
    check_sizes,
    keep,
    near_pose,
)
from rigid_tree_kinematics.model import CompiledTree

FEWEST_SIDES, MOST_SIDES = 3, 360


@dataclass(frozen=True, eq=False)
class VisibilityBounds(Constraint):
    """A disc on ``body`` is seen by a sensor on ``reference``.

    Args:
        body: the body with the disc.
        target: T_body_target (4x4); the disc is in its x-y plane and faces along z.
        sensor: T_reference_sensor (4x4), which looks along z.
        radius: of the disc, m. No part of the robot is in the cone from the sensor to the disc;
            0: not checked.
        max_view_angle: between the sensor's axis and that of the disc, rad; 0: any.
        max_range_angle: from the sensor's axis to the disc's center, rad; 0: any.
        reference: the body with the sensor; None: the base.
        sides: number of vertices of the disc that define its cone.
        solids: of the robot; None: obstructions are not checked.
        left_out: bodies that are allowed in the cone.

    Example:
        >>> from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
        >>> sensor = transform_from_xyz_rpy((0.5, 0, 1.5), (np.pi, 0, 0))  # looks down
        >>> marker = transform_from_xyz_rpy((0, 0, 0), (np.pi, 0, 0))  # faces backwards
        >>> seen = VisibilityBounds("panda_link8", marker, sensor, max_view_angle=0.5)
        >>> GeneralizedInverseKinematics(load_robot("panda"), [seen]).solve().success
        True
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

    def __post_init__(self) -> None:
        keep(self, target=near_pose(self.target, "VisibilityBounds: target"))
        keep(self, sensor=near_pose(self.sensor, "VisibilityBounds: sensor"))
        check_sizes(self, "radius", "max_view_angle", "max_range_angle")
        keep(self, sides=min(max(FEWEST_SIDES, self.sides), MOST_SIDES))

    def groups(self, compiled: CompiledTree, exact: bool) -> list[ConstraintGroup]:
        """Return the view angle and the range angle, where they are bounded."""
        found: list[ConstraintGroup] = []
        target, sensor = np.asarray(self.target), np.asarray(self.sensor)
        # A disc is never seen from behind, nor by the back of a sensor.
        view, in_range = (
            min(angle, 0.5 * math.pi) for angle in (self.max_view_angle, self.max_range_angle)
        )
        if view > 0.0:
            facing = (-target[:3, 2]).tolist()
            part = DirectionBounds(self.body, sensor[:3, 2].tolist(), view, facing, self.reference)
            found += [g._replace(quantity="view angle") for g in part.groups(compiled, exact)]
        if in_range > 0.0:
            point = target[:3, 3].tolist()
            seen = ViewBounds(self.body, sensor, in_range, self.reference, point)
            found += [g._replace(quantity="range angle") for g in seen.groups(compiled, exact)]
        return [group._replace(constraint=self) for group in found]

    @property
    def can_be_obstructed(self) -> bool:
        """Whether bodies in the cone are checked."""
        return self.solids is not None and self.radius > 0.0

    def obstruction(self, compiled: CompiledTree, frames: Array) -> float:
        """Return the depth (m) of the robot in the sensor's cone."""
        if self.solids is None or not self.can_be_obstructed:
            return 0.0
        T_base_sensor = np.asarray(self.sensor)
        if self.reference is not None:
            T_base_sensor = frames[compiled.index_of(self.reference)] @ T_base_sensor
        T_base_target = frames[compiled.index_of(self.body)] @ np.asarray(self.target)
        turns = 2.0 * math.pi * np.arange(self.sides) / self.sides
        disc = self.radius * np.column_stack([np.sin(turns), np.cos(turns), np.zeros(self.sides)])
        rim = disc @ T_base_target[:3, :3].T + T_base_target[:3, 3]
        return self.solids.depth_in_cone(
            frames, T_base_sensor[:3, 3], rim, frozenset(self.left_out)
        )
