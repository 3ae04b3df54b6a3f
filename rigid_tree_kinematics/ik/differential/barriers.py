"""Barriers: distances that do not shrink below a minimum, so that the robot slides along."""

import math

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.chain import positive
from rigid_tree_kinematics.ik.differential.near import DECAY_RATE
from rigid_tree_kinematics.model import CompiledTree


class PlaneBarrier:
    """Keeps a point of a frame on one side of a plane: normal * point >= offset.

    Args:
        frame: name of a body.
        normal: (3,) in the base frame, of any length, towards the allowed side.
        offset: m, along the normal.
        point: (3,) in the body's frame, m.
        decay_rate: 1/s; the distance shrinks at most by this share of itself in a second.

    Example:
        >>> table = PlaneBarrier("panda_link8", normal=(0, 0, 1), offset=0.5)
        >>> turns = JointVelocityTask()
        >>> ik = DifferentialIK(load_robot("panda"), [turns], barriers=[table])
        >>> turns.set_target([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        >>> print([ik.step(0.01) for _ in range(100)][-1].message)
        Followed. Active: plane of 'panda_link8'.
    """

    def __init__(
        self,
        frame: str,
        normal: ArrayLike,
        offset: float,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        decay_rate: float = DECAY_RATE,
    ) -> None:
        direction, place = np.array(normal, dtype=float), np.array(point, dtype=float)
        length = float(np.linalg.norm(direction))
        finite = np.isfinite(place).all() and math.isfinite(offset) and math.isfinite(length)
        if direction.shape != (3,) or place.shape != (3,) or not (finite and length > 0.0):
            raise ModelError(f"barrier of '{frame}': a normal (not 0), an offset and a point")
        self.frame = frame
        rate = positive(decay_rate, "decay_rate")
        self._planes = [np.concatenate((place, direction / length, [offset, rate]))]
        self.names: tuple[str, ...] = (f"plane of '{frame}'",)

    def planes(self, compiled: CompiledTree) -> Array:
        """Return the rows (k, PLANE_COLUMNS) of the kernels; raises UnknownNameError."""
        body = compiled.index_of(self.frame)
        return np.array([np.concatenate(([body], plane)) for plane in self._planes])


class PositionBarrier(PlaneBarrier):
    """Keeps a point of a frame inside a box along the base's axes.

    Args:
        frame: name of a body.
        lower, upper: (3,), m; infinite where there is no bound.
        point, decay_rate: see ``PlaneBarrier``.

    Example:
        >>> room = PositionBarrier("panda_link8", lower=(-np.inf, -np.inf, 0.5))
        >>> room.names
        ("lower z bound of 'panda_link8'",)
    """

    def __init__(
        self,
        frame: str,
        lower: ArrayLike = (-np.inf,) * 3,
        upper: ArrayLike = (np.inf,) * 3,
        *,
        point: ArrayLike = (0.0, 0.0, 0.0),
        decay_rate: float = DECAY_RATE,
    ) -> None:
        low, high = np.array(lower, dtype=float), np.array(upper, dtype=float)
        if low.shape != (3,) or high.shape != (3,) or not (low <= high).all():
            raise ModelError(f"barrier of '{frame}': lower and upper bounds (3,), not {low, high}")
        self.frame = frame
        self._planes, names = [], []
        for axis, label in enumerate("xyz"):
            for sign, bound, side in ((1.0, low[axis], "lower"), (-1.0, high[axis], "upper")):
                if math.isfinite(bound):
                    plane = PlaneBarrier(
                        frame, sign * np.eye(3)[axis], sign * bound, point=point,
                        decay_rate=decay_rate,
                    )  # fmt: skip
                    self._planes += plane._planes
                    names.append(f"{side} {label} bound of '{frame}'")
        if not names:
            raise ModelError(f"barrier of '{frame}': no bound is finite")
        self.names = tuple(names)
