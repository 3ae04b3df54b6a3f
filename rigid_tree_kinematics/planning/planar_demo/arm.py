"""A planar two-link arm among polygons: the problem of a MATLAB demo of RRT on the torus.

Links are segments, obstacles are polygons; both joints are continuous, so the configuration space
is a torus. PLANAR_DEMO has the parameters of the demo.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Prism
from rigid_tree_kinematics.errors import CollisionError, PlanningError
from rigid_tree_kinematics.kinematics.arguments import in_threads
from rigid_tree_kinematics.model.joints import CIRCLE
from rigid_tree_kinematics.planning.configuration_map import CELLS, TURN, ConfigurationMap
from rigid_tree_kinematics.planning.planar_demo.kernels import (
    DEEPEST,
    fill_map,
    link_clearances,
    motion_is_free,
)
from rigid_tree_kinematics.planning.problem import Space
from rigid_tree_kinematics.text import told_apart

JOINTS = ("joint_1", "joint_2")


@dataclass(frozen=True, eq=False)
class PlanarArm:
    """The arm, its start, the goal of its tip, and the obstacles.

    Args:
        lengths: of the two links, m.
        base: x, y of the first joint, m.
        obstacles: polygons by their corners (k, 2), m.
        start: both joint angles, rad, counterclockwise; the second is relative to the first link.
        goal: x, y of the end of the second link, m.
        margin: minimum clearance of every path, m.

    Raises PlanningError: an obstacle is not a polygon, base or goal are in one, or the goal is out
    of reach.
    """

    lengths: Array
    base: Array
    obstacles: tuple[Array, ...]
    start: Array
    goal: Array
    margin: float = 0.005
    edges: Array = field(init=False)  # (n, 4)

    def __post_init__(self) -> None:
        for name in ("lengths", "base", "start", "goal"):
            value = np.array(getattr(self, name), dtype=np.float64)
            if value.shape != (2,) or not np.isfinite(value).all():
                raise PlanningError(f"{name}: two finite numbers, not {getattr(self, name)}")
            object.__setattr__(self, name, value)
        if self.lengths.min() <= 0.0:
            raise PlanningError(f"lengths must be greater than zero, not {self.lengths.tolist()}")
        if not (math.isfinite(self.margin) and self.margin >= 0.0):
            raise PlanningError(f"margin must be finite and not negative, not {self.margin}")
        polygons = []
        for number, corners in enumerate(self.obstacles, start=1):
            try:
                polygons.append(Prism(np.array(corners), 0.0, 1.0).corners)
            except CollisionError as error:
                raise PlanningError(f"obstacle {number}: {error}") from error
        object.__setattr__(self, "obstacles", tuple(polygons))
        edges = [_edges(corners) for corners in polygons]
        object.__setattr__(self, "edges", np.vstack([*edges, np.empty((0, 4))]))
        self._check_points()

    def _check_points(self) -> None:
        for name in ("base", "goal"):
            point = getattr(self, name)
            for number, corners in enumerate(self.obstacles, start=1):
                if _contains(corners, point):
                    where = ", ".join(f"{value:g}" for value in point)
                    raise PlanningError(f"the {name} ({where}) is in obstacle {number}")
        distance = float(np.linalg.norm(self.goal - self.base))
        low, high = abs(self.lengths[0] - self.lengths[1]), self.lengths.sum()
        if not low <= distance <= high:
            found, nearest, farthest = told_apart(distance, low, high, digits=4)
            raise PlanningError(
                f"the goal is {found} m from the base; the arm reaches {nearest} to {farthest} m"
            )

    @cached_property
    def space(self) -> Space:
        """The torus of both angles, sampled over one turn."""
        return Space.of_kinds([CIRCLE, CIRCLE], [0.0, 0.0], [TURN, TURN])

    @property
    def goals(self) -> tuple[Array, Array]:
        """Both configurations at the goal, angles in [0, 2 pi): elbow to the right, to the left.

        By the law of cosines (Lynch and Park, "Modern Robotics", 2017, section 6.1).
        """
        x, y = self.goal - self.base
        one, two = self.lengths
        cosine = (x * x + y * y - one * one - two * two) / (2.0 * one * two)
        bend = math.acos(min(1.0, max(-1.0, cosine)))
        found = []
        for q2 in (bend, -bend):
            q1 = math.atan2(y, x) - math.atan2(two * math.sin(q2), one + two * math.cos(q2))
            found.append(np.array([q1 % TURN, q2 % TURN]))
        return found[0], found[1]

    def points(self, q: ArrayLike) -> Array:
        """Return base, elbow and tip of the arm (3, 2); for a batch q (n, 2): (n, 3, 2)."""
        angles = np.cumsum(np.asarray(q, dtype=np.float64), axis=-1)
        along = np.stack([np.cos(angles), np.sin(angles)], axis=-1) * self.lengths[:, np.newaxis]
        steps = np.concatenate([np.zeros_like(along[..., :1, :]), along], axis=-2)
        return np.asarray(self.base + np.cumsum(steps, axis=-2))

    def clearance(self, q: ArrayLike) -> float:
        """Return the clearance of the links from the obstacles, m; 0 if they intersect an edge."""
        q1, q2 = np.asarray(q, dtype=np.float64)
        if not len(self.edges):
            return math.inf
        return float(min(link_clearances(self.base, self.lengths, self.edges, q1, q2)))

    def map(self, cells: int = CELLS) -> ConfigurationMap:
        """Return the map of angle pairs at which a link intersects an obstacle, over one turn."""
        angles = np.linspace(0.0, TURN, cells)
        blocked = np.empty((cells, cells), dtype=np.bool_)

        def fill(begin: int, end: int) -> bool:
            part = slice(begin, end)
            space = np.empty((cells, 2)), np.empty(self.edges.shape)
            fill_map(
                self.base, self.lengths, self.edges, angles[part], angles, blocked[part], *space
            )
            return True

        in_threads(fill, cells)
        return ConfigurationMap(JOINTS, angles, angles.copy(), blocked, self.map_key(cells))

    def map_key(self, cells: int = CELLS) -> str:
        """Return a key of the map, equal for equal arms and obstacles."""
        numbers = self.lengths.tolist(), self.base.tolist(), self.edges.tolist()
        return f"planar arm {numbers}, {cells} cells"

    # -- the planner's interface (planning.Validity) ------------------------------------------

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether the motion, in each angle's shorter direction, satisfies the margin."""
        difference, waiting = self.space.difference(start, end), np.empty((DEEPEST, 2))
        robot = self.base, self.lengths, self.edges, self.margin
        return bool(motion_is_free(*robot, start, difference, waiting))

    def why(self, q: Array) -> str:
        """Return which link is too near to an obstacle; empty if none is."""
        for number, corners in enumerate(self.obstacles, start=1):
            q1, q2 = q.tolist()
            gaps = link_clearances(self.base, self.lengths, _edges(corners), q1, q2)
            for link, gap in enumerate(gaps, start=1):
                if gap == 0.0:
                    return f"link {link} crosses obstacle {number}"
                if gap <= self.margin:
                    return f"link {link} is {gap:.4f} m from obstacle {number}"
        return ""

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> None:
        """Return None: the exact answer is fast enough."""


def _edges(corners: Array) -> Array:
    return np.hstack([corners, np.roll(corners, -1, axis=0)])


def _contains(corners: Array, point: Array) -> bool:
    """Return whether a polygon contains a point, by counting crossings of a ray."""
    x, y = point
    inside = False
    for x1, y1, x2, y2 in _edges(corners):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            inside = not inside
    return inside


PLANAR_DEMO = PlanarArm(
    lengths=np.array([0.9, 1.2]),
    base=np.array([0.0, 0.0]),
    obstacles=(
        np.array([(0.8, 1.0), (1.0, 1.0), (1.0, 0.5), (0.8, 0.4), (0.7, 0.5)]),
        np.array([(0.0, -1.0), (-1.0, -1.0), (-1.0, -0.5), (0.0, -0.5)]),
        np.array([(0.3, 1.0), (0.3, 0.5), (0.0, 0.5), (0.0, 1.0)]),
    ),
    start=np.array([0.0, -3.14]),
    goal=np.array([0.2314, 1.1871]),
)
