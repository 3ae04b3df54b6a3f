"""Poses as ALMotion writes them, and the support foot, which places NAO in the world.

A support foot is flat on the ground, so its pose on the ground (x, y, theta) and the joint angles
determine the pose of the torso. ALMotion's FRAME_ROBOT is the mean of both feet's positions,
with a vertical z and the feet's mean heading as x (Aldebaran, NAOqi documentation, "Cartesian
control: frames"). While both feet support the robot, that frame is fixed, even if a foot slides;
a single support foot is fixed itself.
"""

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import inverse, matrix_rpy, transform_from_xyz_rpy
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.model.body import FEET

SPACE_TORSO, SPACE_WORLD, SPACE_ROBOT = range(3)
LEVEL = 2e-3  # m: difference in height up to which both feet support the robot
# Bits of an axis mask: x, y, z, wx, wy, wz.
MASK_BITS = (1, 2, 4, 8, 16, 32)


def finite_numbers(values: Sequence[float]) -> Array:
    """Return n numbers as an array (n,). Raises NaoError if one of them is not finite."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise NaoError("a number is not finite")
    return numbers


def position6d(T: Array) -> list[float]:
    """Return x, y, z (m), wx, wy, wz (rad) of a 4x4, with R = Rz(wz) Ry(wy) Rx(wx)."""
    return [*map(float, T[:3, 3]), *map(float, matrix_rpy(T[:3, :3]))]


def pose_of(values: Sequence[float]) -> Array:
    """Return the 4x4 of a Position6D, or of a transform's 12 or 16 numbers, row by row.

    Raises NaoError for a wrong count, non-finite numbers, and rotations that are not orthonormal.
    """
    if len(values) not in (6, 12, 16):
        raise NaoError(f"a pose must have 6 numbers, or 12 or 16 in rows, not {len(values)}")
    numbers = finite_numbers(values)
    if len(numbers) == 6:
        return transform_from_xyz_rpy(numbers[:3].tolist(), numbers[3:].tolist())
    T = np.eye(4)
    T[:3] = numbers[:12].reshape(3, 4)
    rotation = T[:3, :3]
    # Numbers that were sent in single precision have errors of 1e-6.
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4) or np.linalg.det(rotation) < 0:
        raise NaoError("the rotation of the transform is not orthonormal")
    return T


def changed_pose(present: Array, change: Array) -> Array:
    """Return a pose (4x4) translated and rotated by ``change`` (4x4) along the space's axes."""
    moved: Array = present.copy()
    moved[:3, 3] += change[:3, 3]
    moved[:3, :3] = change[:3, :3] @ present[:3, :3]
    return moved


def axis_weights(mask: int) -> tuple[float, ...]:
    """Return inverse-kinematics weights (6,), orientation first, of an axis mask.

    Raises NaoError for a mask outside the range 1 to 63.
    """
    if not 1 <= mask <= 63:
        raise NaoError(f"axis mask {mask} is not in the range 1 to 63")
    x, y, z, wx, wy, wz = (1.0 if mask & bit else 0.0 for bit in MASK_BITS)
    return (wx, wy, wz, x, y, z)


def planar(x: float, y: float, theta: float) -> Array:
    """Return the 4x4 of a pose on the ground: x, y (m), theta (rad)."""
    return transform_from_xyz_rpy((x, y, 0.0), (0.0, 0.0, theta))


def places_along(moves: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the place after each move: x, y (m), theta (rad) in the frame of the start.

    Each move is relative to the place before it. Rotations add up; they may exceed a turn.
    """
    places, x, y, theta = [], 0.0, 0.0, 0.0
    for dx, dy, turn in moves:
        x += np.cos(theta) * dx - np.sin(theta) * dy
        y += np.sin(theta) * dx + np.cos(theta) * dy
        theta += turn
        places.append([float(x), float(y), float(theta)])
    return places


def along_arc(velocity: Sequence[float], seconds: float) -> Array:
    """Return the displacement (4x4) of a constant velocity (m/s, m/s, rad/s) over a time (s).

    It is the exponential of SE(2) (Lynch and Park, Modern Robotics, 2017, 3.3).
    """
    x, y, theta = (float(value) * seconds for value in velocity)
    sine = np.sinc(theta / np.pi)  # sin(theta) / theta
    cosine = np.sin(theta / 2.0) * np.sinc(theta / (2.0 * np.pi))  # (1 - cos(theta)) / theta
    return planar(sine * x - cosine * y, cosine * x + sine * y, theta)


def place_of(T: Array) -> list[float]:
    """Return x, y (m) and the heading (rad) of a frame (4x4)."""
    return [float(T[0, 3]), float(T[1, 3]), float(np.arctan2(T[1, 0], T[0, 0]))]


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
