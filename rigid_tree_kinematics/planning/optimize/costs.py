"""The costs of a path: second differences, distances below the clearance, and postures.

The cost is half the sum, over the points of a path, of these squares, each times a weight:

- the second difference of each position (rad, m), which is zero on an even straight line; the
  weight is the square of the median velocity limit by the joint's own, so slow joints move less,
- each distance below the wanted clearance (m); the weight is CLEARANCE_WEIGHT,
- the deviation of joints from the wanted posture (rad, m); the weight is POSTURE_WEIGHT.
"""

from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.model.configuration import configuration_mapping, configuration_vector
from rigid_tree_kinematics.model.joints import INTERVAL
from rigid_tree_kinematics.planning.problem import PlanSettings, Space
from rigid_tree_kinematics.servo.obstacles import distance_gradients

CLEARANCE_WEIGHT = 20.0  # rad^2/m^2: a path bends by a few centimeters around an edge
POSTURE_WEIGHT = 0.05  # the posture is reached about a radian away from the ends


@dataclass(frozen=True, eq=False)
class _Gap:
    """What is missing to the clearance near a point (k,), m, and its gradients (k, moving)."""

    missing: Array
    gradients: Array


class Costs:
    """The costs of paths (n, nq) with given ends, and steps that reduce them.

    Raises UnknownNameError and ConfigurationError for a posture that does not fit the robot.
    """

    def __init__(self, checker: CollisionChecker, space: Space, settings: PlanSettings) -> None:
        compiled, moving = checker.compiled, space.moving
        self._checker, self._moving, self._clearance = checker, moving, settings.clearance
        self._velocities = compiled.velocity_of_position[moving]
        speeds = compiled.velocity_limit[self._velocities]
        finite = speeds[np.isfinite(speeds)]
        usual = float(np.median(finite)) if len(finite) else 1.0
        self._stiffness = np.where(np.isfinite(speeds), (usual / speeds) ** 2, 1.0)
        limited = space.kinds[moving] == INTERVAL
        self._lower = np.where(limited, space.lower[moving], -np.inf)
        self._upper = np.where(limited, space.upper[moving], np.inf)
        posture = settings.posture or {}
        home = configuration_mapping(compiled, compiled.home)
        self._posture = configuration_vector(compiled, {**home, **posture})[moving]
        joints = np.array(compiled.joint_of_position)[moving]
        self._pull = POSTURE_WEIGHT * np.isin(joints, list(posture))

    def gaps(self, points: Array) -> list[_Gap]:
        """Return the gaps at the inner points of a path."""
        return [self._gap(np.ascontiguousarray(q)) for q in points[1:-1]]

    def total(self, points: Array, gaps: list[_Gap]) -> float:
        """Return the cost of a path."""
        x = points[:, self._moving]
        missing = sum(float(gap.missing @ gap.missing) for gap in gaps)
        pulled = float(((x - self._posture) ** 2 @ self._pull).sum())
        bends = _second_differences(len(x)) @ x
        bent = float((bends**2 @ self._stiffness).sum())
        return 0.5 * (bent + CLEARANCE_WEIGHT * missing + pulled)

    def descent(self, points: Array, gaps: list[_Gap]) -> Array:
        """Return the Gauss-Newton step (n, nq) of the inner points; the ends do not move."""
        from scipy.linalg import solveh_banded

        x = points[:, self._moving]
        count, width = len(x) - 2, x.shape[1]
        differences = _second_differences(len(x))
        inner = differences[:, 1:-1].T @ differences
        slope = self._stiffness * (inner @ x) + self._pull * (x[1:-1] - self._posture)
        curvature = np.kron(inner[:, 1:-1], np.diag(self._stiffness)) + np.diag(
            np.tile(self._pull, count)
        )
        for k, gap in enumerate(gaps):
            block = slice(k * width, (k + 1) * width)
            curvature[block, block] += CLEARANCE_WEIGHT * gap.gradients.T @ gap.gradients
            slope[k] -= CLEARANCE_WEIGHT * gap.missing @ gap.gradients
        # Second differences couple a point with the next two.
        bands = np.zeros((2 * width + 1, len(curvature)))
        for k, band in enumerate(bands):
            band[: len(band) - k] = np.diagonal(curvature, -k)
        step = np.zeros_like(points)
        solved = solveh_banded(bands, -slope.ravel(), lower=True)
        step[1:-1, self._moving] = solved.reshape(count, width)
        return step

    def within_limits(self, points: Array) -> Array:
        """Return points with positions clamped to the limits."""
        inside = np.array(points)
        inside[:, self._moving] = np.clip(points[:, self._moving], self._lower, self._upper)
        return inside

    def _gap(self, q: Array) -> _Gap:
        near = self._checker.near(q, self._clearance, self._clearance)
        if not near:
            return _Gap(np.zeros(0), np.zeros((0, len(self._moving))))
        missing = np.array([self._clearance - item.distance for item in near])
        return _Gap(missing, distance_gradients(self._checker, q, near, self._velocities))


def _second_differences(count: int) -> Array:
    """Return the matrix (n, n) of a path's second differences, as if it rested at its ends."""
    matrix = np.eye(count, k=1) - 2.0 * np.eye(count) + np.eye(count, k=-1)
    matrix[0, 0] = matrix[-1, -1] = -1.0
    return matrix
