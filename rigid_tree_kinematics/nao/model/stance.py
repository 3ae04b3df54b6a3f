"""The support foot, which relates the model to the world.

A support foot is flat on the ground, so its pose on the ground (x, y, theta) and the joint angles
determine the pose of the torso. ALMotion's FRAME_ROBOT is the mean of both feet's positions,
with a vertical z and the feet's mean heading as x (Aldebaran, NAOqi documentation, "Cartesian
control: frames"). While both feet support the robot, that frame is fixed, even if a foot slides;
a single support foot is fixed itself.
"""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nao.model.body import FEET
from rigid_tree_kinematics.nao.model.pose import place_of, planar

LEVEL = 2e-3  # m: difference in height up to which both feet support the robot


class Stance:
    """The support foot and its pose on the ground.

    Methods take both soles as foot -> T_torso_sole (4x4).
    """

    def __init__(self, soles: dict[str, Array]) -> None:
        """Place FRAME_ROBOT at the origin of the world."""
        self.support = FEET[0]
        self.T_world_support: Array = np.eye(4)
        self.place(soles, 0.0, 0.0, 0.0)

    def torso(self, soles: dict[str, Array]) -> Array:
        """Return T_world_torso (4x4)."""
        return self.T_world_support @ inverse(soles[self.support])

    def robot(self, soles: dict[str, Array]) -> Array:
        """Return T_world_robot (4x4): midway between the feet, z upwards."""
        T_world_torso = self.torso(soles)
        return robot_frame(*(T_world_torso @ soles[foot] for foot in FEET))

    def place(self, soles: dict[str, Array], x: float, y: float, theta: float) -> None:
        """Place FRAME_ROBOT at x, y (m), theta (rad) in the world."""
        self._robot_place = [x, y, theta]
        here = planar(*place_of(self.robot(soles)))
        moved = planar(x, y, theta) @ inverse(here) @ self.T_world_support
        self.T_world_support = planar(*place_of(moved))

    def update(self, soles: dict[str, Array]) -> None:
        """Choose the support foot after joints have moved: the lower one, or both."""
        other = FEET[1 - FEET.index(self.support)]
        T_world_other = self.torso(soles) @ soles[other]
        height = T_world_other[2, 3]
        if abs(height) <= LEVEL:
            self.place(soles, *self._robot_place)
            return
        if height < 0.0:
            self.support = other
            self.T_world_support = planar(*place_of(T_world_other))
        self._robot_place = place_of(self.robot(soles))


def robot_frame(left: Array, right: Array) -> Array:
    """Return T_world_robot (4x4), midway between two soles in the world (4x4), z upwards."""
    heading = left[:2, 0] / np.hypot(*left[:2, 0]) + right[:2, 0] / np.hypot(*right[:2, 0])
    middle = (left[:3, 3] + right[:3, 3]) / 2.0
    T = planar(middle[0], middle[1], float(np.arctan2(heading[1], heading[0])))
    T[2, 3] = middle[2]
    return T
