"""A path of straight ways whose corners are rounded by parabolas, for the timing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.model.transforms import Array

LARGEST_PART = 0.45  # of a straight way, that the rounding at one of its ends may take
LARGEST_RADIUS = 0.5  # rad (m): how far before a corner its rounding begins
SMALLEST_RADIUS = 0.01
ALLOWED_DEVIATION = 5e-5  # m, between the parabola and the chords that are checked for it
MOST_CHORDS = 200

MotionFree = Callable[[Array, Array], bool]
Movement = Callable[[Array], float]  # how far (m) a difference of positions moves any point


def rounded_pieces(
    points: Array, free: MotionFree | None, movement: Movement
) -> list[BlendedPath]:
    """Return the pieces between the corners that cannot be rounded: there one has to stop.

    ``points`` (k, n) are the corners. A rounding is taken if the chords along it are free and
    nothing moves noticeably farther than they do. Without ``free`` no corner is rounded.
    """
    radii = np.zeros(len(points))
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    for k in range(1, len(points) - 1):
        radius = min(LARGEST_RADIUS, LARGEST_PART * float(min(lengths[k - 1], lengths[k])))
        before = (points[k] - points[k - 1]) / lengths[k - 1]
        after = (points[k + 1] - points[k]) / lengths[k]
        while free is not None and radius >= SMALLEST_RADIUS:
            if _is_free(points[k], before, after, radius, free, movement):
                radii[k] = radius
                break
            radius *= 0.5
    stops = [0, *(k for k in range(1, len(points) - 1) if radii[k] == 0.0), len(points) - 1]
    return [
        BlendedPath(points[first : last + 1], radii[first : last + 1])
        for first, last in itertools.pairwise(stops)
    ]


def _is_free(
    corner: Array,
    before: Array,
    after: Array,
    radius: float,
    free: MotionFree,
    movement: Movement,
) -> bool:
    # A parabola leaves the chord of a fraction h of it by at most h^2 / 8 times its second
    # derivative, which is twice this difference.
    bend = radius * (after - before)
    chords = max(2, math.ceil(math.sqrt(movement(bend) / (4.0 * ALLOWED_DEVIATION))))
    if chords > MOST_CHORDS:
        return False
    t = np.linspace(0.0, 1.0, chords + 1)[:, np.newaxis]
    along = corner - radius * (1.0 - t) ** 2 * before + radius * t**2 * after
    return all(free(first, last) for first, last in itertools.pairwise(along))


class BlendedPath:
    """Straight ways and parabolas by length; at a corner without radius the ends of the piece.

    It has what toppra asks of a path: ``__call__(s, order)``, ``dof``, ``path_interval``.
    On a parabola from ``before`` to ``after`` (unit vectors), as long as its radius is twice, the
    derivative goes linearly from one to the other, so the first derivative is continuous.
    """

    def __init__(self, points: Array, radii: Array) -> None:
        directions = np.diff(points, axis=0)
        lengths = np.linalg.norm(directions, axis=1)
        directions = directions / lengths[:, np.newaxis]
        starts, positions, first, second = [0.0], [], [], []
        for k, direction in enumerate(directions):
            positions.append(points[k] + radii[k] * direction)
            first.append(direction)
            second.append(np.zeros_like(direction))
            starts.append(starts[-1] + lengths[k] - radii[k] - radii[k + 1])
            if k + 1 < len(directions):
                positions.append(points[k + 1] - radii[k + 1] * direction)
                first.append(direction)
                second.append((directions[k + 1] - direction) / (2.0 * radii[k + 1]))
                starts.append(starts[-1] + 2.0 * radii[k + 1])
        self.breaks = np.array(starts)
        self._positions = np.array(positions)
        self._first = np.array(first)
        self._second = np.array(second)

    @property
    def dof(self) -> int:
        """How many positions there are."""
        return int(self._positions.shape[1])

    @property
    def duration(self) -> float:
        """The end of the parameter."""
        return float(self.breaks[-1])

    @property
    def path_interval(self) -> Array:
        """The first and the last value of the path's parameter, (2,)."""
        return np.array([0.0, self.duration])

    def __call__(self, s: float | Array, order: int = 0) -> Array:
        """Return the position or a derivative at one parameter (n,) or several (m, n)."""
        at = np.atleast_1d(s)
        piece: NDArray[np.int64] = np.clip(
            np.searchsorted(self.breaks, at, side="right") - 1, 0, len(self._first) - 1
        )
        along = (at - self.breaks[piece])[:, np.newaxis]
        if order == 0:
            values = self._positions[piece] + along * (
                self._first[piece] + 0.5 * along * self._second[piece]
            )
        elif order == 1:
            values = self._first[piece] + along * self._second[piece]
        elif order == 2:
            values = self._second[piece]
        else:
            values = np.zeros((len(at), self.dof))
        return values[0] if np.ndim(s) == 0 else values
