"""The solids of a robot and a world at one configuration, measured pair by pair by coal."""

import functools
from typing import Any, NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.exact.answers import Contact, Distance
from rigid_tree_kinematics.collision.exact.robot_solids import RobotSolids
from rigid_tree_kinematics.collision.exact.world_solids import WorldSolids
from rigid_tree_kinematics.collision.robot.solids import Solid, coal_pose
from rigid_tree_kinematics.collision.world.arrays import Records
from rigid_tree_kinematics.model.transforms import inverse

HULLS_SUFFICE = 0.25  # of the clearance needed: meshes are not checked if their hulls prove it

# Two solids that are checked against each other.
COUPLE = np.dtype(
    [
        ("first", "i8"),  # one of the robot's
        ("second", "i8"),  # another one, or a row of the world, numbered after the robot's solids
        ("check", "i8"),  # see ``ExactLevel``: whose maximum approach applies
    ]
)


class _Met(NamedTuple):
    """A pair of solids with their poses and the padding between them."""

    one: Solid
    at_one: Any
    two: Solid
    at_two: Any
    slack: float

    @property
    def are_hulls(self) -> bool:
        """Whether both are their own hulls."""
        return self.one.hull is self.one.geometry and self.two.hull is self.two.geometry


class PlacedSolids:
    """The solids of a robot at one configuration, in a world.

    The solids ``i`` and ``j`` of a pair are ``first`` and ``second`` of a COUPLE; ``frames``
    (n, 4, 4) are the poses of the robot's solids.
    """

    def __init__(self, robot: RobotSolids, world: WorldSolids, frames: Array) -> None:
        self.frames = frames
        self._robot = robot
        self._world = world
        self._count = len(frames)
        self._coal_poses: dict[int, Any] = {}

    # -- bounds, of many couples at once --------------------------------------------------------

    @functools.cached_property
    def _boxes(self) -> tuple[Array, Array]:
        """Centers and half sizes (n, 3) of the robot's solids' boxes, base frame."""
        turns, shifts = self.frames[:, :3, :3], self.frames[:, :3, 3]
        centers = np.einsum("nij,nj->ni", turns, self._robot.box_centers) + shifts
        return centers, np.einsum("nij,nj->ni", np.abs(turns), self._robot.box_halves)

    def near_world(self, solids: Integers, growth: Array | float) -> tuple[Integers, Integers]:
        """Return pairs whose boxes, grown by ``growth`` (m), overlap: (k,) each.

        The first are among the robot's ``solids``, the second are obstacles.
        """
        centers, halves = self._boxes
        grown = halves + (growth + self._robot.radii + self._robot.padding)[:, np.newaxis]
        found = self._world.near(np.hstack([centers - grown, centers + grown])[solids])
        return solids[found[:, 0]], self._count + found[:, 1]

    def gaps(self, couples: Records) -> Array:
        """Return lower bounds of the distances (m) of couples (k,) of COUPLE."""
        robot, world, count = self._robot, self._world, self._count
        centers, halves = self._boxes
        turns, shifts = self.frames[:, :3, :3], self.frames[:, :3, 3]
        spheres = np.einsum("nij,nj->ni", turns, robot.spheres[:, :3]) + shifts
        first, own = couples["first"], couples["second"] < count
        second = np.minimum(couples["second"], count - 1)
        rows = couples["second"][~own] - count
        two_centers, two_halves, two_spheres = centers[second], halves[second], spheres[second]
        two_radii = robot.spheres[second, 3]
        two_centers[~own], two_halves[~own] = world.box_centers[rows], world.box_halves[rows]
        two_spheres[~own], two_radii[~own] = world.spheres[rows, :3], world.spheres[rows, 3]
        apart = np.linalg.norm(spheres[first] - two_spheres, axis=1)
        by_spheres = apart - robot.spheres[first, 3] - two_radii - robot.padding
        # Axis-aligned boxes are tighter around long or flat shapes.
        slack = robot.padding + robot.radii[first] + np.where(own, robot.radii[second], 0.0)
        beyond = np.abs(centers[first] - two_centers) - halves[first] - two_halves
        outside = np.maximum(beyond, 0.0)
        by_boxes = np.linalg.norm(outside, axis=1) + np.minimum(beyond.max(axis=1), 0.0) - slack
        return np.asarray(np.maximum(by_spheres, by_boxes))

    # -- one pair --------------------------------------------------------------------------------

    def name(self, item: int) -> str:
        """Return the body's name, or the obstacle's."""
        count = self._count
        return self._robot.names[item] if item < count else self._world.name(item - count)

    def _frame(self, item: int) -> Array:
        count = self._count
        return np.asarray(self.frames[item] if item < count else self._world.poses[item - count])

    def _coal_pose(self, item: int) -> Any:
        if item >= self._count:
            return self._world.coal_pose(item - self._count)
        if item not in self._coal_poses:
            self._coal_poses[item] = coal_pose(self.frames[item])
        return self._coal_poses[item]

    def _met(self, i: int, j: int, within: float) -> _Met | None:
        """Return a pair, a cloud with only the points nearer than ``within``; None if none is."""
        robot = self._robot
        one, slack = robot.solids[i], robot.padding + robot.solids[i].radius
        row = j - self._count
        if row < 0:
            two: Solid | None = robot.solids[j]
        elif self._world.is_cloud(row):
            half = robot.box_halves[i] + (within + slack)
            two = self._world.points_near(row, self.frames[i], robot.box_centers[i], half)
        else:
            two = self._world.solid(row)
        if two is None:
            return None
        return _Met(one, self._coal_pose(i), two, self._coal_pose(j), slack + two.radius)

    def contact(self, i: int, j: int) -> Contact | None:
        """Return the contact of two solids that touch or are nearer than the padding."""
        met = self._met(i, j, 0.0)
        if met is None:
            return None
        result = _collide(met, 0.0)
        if result.isCollision():
            found = result.getContact(0)
            depth = met.slack - float(found.penetration_depth)
            return Contact(self.name(i), self.name(j), depth, np.array(found.pos))
        inner = self._enclosed(i, j, met)
        if inner is None:
            return None
        return Contact(self.name(i), self.name(j), float(met.one.bounding_sphere[3]), inner)

    def distance(self, i: int, j: int, limit: float) -> Distance | None:
        """Return a pair's distance, None if hulls or a cloud's points are beyond ``limit``."""
        met = self._met(i, j, limit)
        if met is None or (not met.are_hulls and _between_hulls(met) > limit):
            return None
        distance, result = _coal_distance(met, met.one.geometry, met.two.geometry)
        names = self.name(i), self.name(j)
        inner = self._enclosed(i, j, met) if distance > 0.0 else None
        if inner is not None:
            # The depth is at least the distance from the surface around it.
            return Distance(-distance - met.slack, *names, inner, inner)
        one, two = np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())
        if distance > 0.0:  # move from the points of a cloud to the surfaces of its spheres
            along = (two - one) / distance
            one, two = one + met.one.radius * along, two - met.two.radius * along
        return Distance(distance - met.slack, *names, one, two)

    def clearance(self, i: int, j: int, need: float, least: float) -> float:
        """Return a lower bound of a pair's distance; 0 if the distance is below ``least``.

        A bound of ``need`` or more suffices. The distance of two meshes, which takes up to a
        hundred times longer, is computed only if collision tests do not decide.
        """
        met = self._met(i, j, need)
        if met is None:
            return need
        between_hulls = _between_hulls(met)
        if met.are_hulls or between_hulls >= HULLS_SUFFICE * need:
            return between_hulls if between_hulls >= least else 0.0
        if self._enclosed(i, j, met) is not None:
            return 0.0
        if _collide(met, least).isCollision():
            return 0.0
        if not _collide(met, need).isCollision():
            return need
        apart = _coal_distance(met, met.one.geometry, met.two.geometry)[0] - met.slack
        return apart if apart >= least else 0.0

    def _enclosed(self, i: int, j: int, met: _Met) -> Array | None:
        """Return a point of one solid that is inside the other's closed surface."""
        solids = {i: met.one, j: met.two}
        for inner, outer in ((i, j), (j, i)):
            solid = solids[outer]
            if solid.surface is None:
                continue
            place = self._frame(outer)
            T = inverse(place) @ self._frame(inner)
            members = solids[inner].members @ T[:3, :3].T + T[:3, 3]
            for k in np.flatnonzero(solid.may_enclose(members)):
                if solid.encloses(members[k]):
                    return np.asarray((place @ np.append(members[k], 1.0))[:3])
        return None


def _collide(met: _Met, margin: float) -> Any:
    """Return coal's result for two geometries that are nearer than a margin or not."""
    import coal

    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.security_margin = met.slack + margin
    coal.collide(met.one.geometry, met.at_one, met.two.geometry, met.at_two, request, result)
    return result


def _between_hulls(met: _Met) -> float:
    return _coal_distance(met, met.one.hull, met.two.hull)[0] - met.slack


def _coal_distance(met: _Met, one: Any, two: Any) -> tuple[float, Any]:
    """Return coal's distance between two geometries, and its result object."""
    import coal

    request, result = coal.DistanceRequest(), coal.DistanceResult()
    distance = coal.distance(one, met.at_one, two, met.at_two, request, result)
    return float(distance), result
