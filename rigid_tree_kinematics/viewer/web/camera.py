"""The camera that shows given points as large as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array

FIELD_OF_VIEW = 0.9  # rad, upright
DIRECTION = np.array([-1.3, 1.4, -0.7])  # of the view: from the front, the right and above
FLAT = 0.1  # height over width of what is seen from above instead, like a map: x right, y up
FROM_ABOVE = np.array([0.0, 0.2, -1.0])
NEAREST = 0.3  # m, from the camera to the first point
MARGIN = 0.08  # of half the picture
# On a phone the folded panel is at the bottom: this much of half the picture.
NARROW, FOLDED_PANEL = 0.8, 0.16  # width over height


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera at a position, with a point in the middle of its picture (m)."""

    position: Array
    look_at: Array


def fitted_camera(points: Array, aspect: float) -> Camera:
    """Return the nearest camera that shows all points (n, 3) beside the panel.

    ``aspect`` is the picture's width over its height. With axes x to the right, y up and z ahead,
    a point is in the picture if |x| <= z tan(a / 2) aspect and |y| <= z tan(a / 2), where a is
    FIELD_OF_VIEW. Both are linear in the camera's position, so the solution has a closed form.
    """
    *sides, height = np.ptp(points, axis=0)
    direction = FROM_ABOVE if height < FLAT * max(sides) else DIRECTION
    ahead = direction / np.linalg.norm(direction)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    x, y, z = points @ right, points @ up, points @ ahead
    slope = np.tan(0.5 * FIELD_OF_VIEW)
    edge = 1.0 - MARGIN
    bottom = -edge + (FOLDED_PANEL if aspect < NARROW else 0.0)
    # The left edge, for example, bounds the camera's x from above, the more the nearer it is.
    bounds = [
        ((x - high * s * z).max(), (x - low * s * z).min(), low * s, high * s)
        for x, s, low, high in ((x, slope * aspect, -edge, edge), (y, slope, bottom, edge))
    ]
    depths = [(most - least) / (high - low) for least, most, low, high in bounds]
    depth = min(*depths, z.min() - NEAREST)
    across, upwards = (
        0.5 * (least + most + (low + high) * depth) for least, most, low, high in bounds
    )
    position = across * right + upwards * up + depth * ahead
    return Camera(position, position + (0.5 * (z.min() + z.max()) - depth) * ahead)


def box_corners(points: Array) -> Array:
    """Return the corners (8, 3) of the box around points (n, 3); none (0, 3) without points."""
    if not len(points):
        return np.zeros((0, 3))
    ends = np.stack((points.min(axis=0), points.max(axis=0)))
    return np.stack(np.meshgrid(*ends.T, indexing="ij"), axis=-1).reshape(-1, 3)
