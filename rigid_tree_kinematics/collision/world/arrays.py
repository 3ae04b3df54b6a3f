"""Arrays that the kernels of the conservative level read and write."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.kernels.types import type_of
from rigid_tree_kinematics.model.columns import TABLE_COLUMNS

MARGIN = 1e-4  # m; smaller distances are undecided, and motions are not divided more finely

BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER, CLOUD = range(6)  # kinds of obstacles

OBSTACLE = np.dtype(
    [
        ("kind", "i8"),
        ("size", "f8", (3,)),  # half sizes; radius; radius and half length; a cloud's radius
        ("inverse", "f8", (12,)),  # from the base frame to the shape's frame
        ("sphere", "f8", (4,)),  # around it, base frame
        ("hull_radius", "f8"),
        # First row and end of its rows in the arrays of these names; equal if it has none:
        ("corners", "i8", (2,)),  # of its hull
        ("planes", "i8", (2,)),  # of a polyhedron
        ("nodes", "i8", (2,)),  # of the tree of a cluster or a cloud
        ("leaves", "i8", (2,)),  # of a cluster
        ("points", "i8", (2,)),  # of a cloud
    ]
)
# The nodes of a tree are in depth-first order.
NODE = np.dtype(
    [
        ("low", "f8", (3,)),  # corners of a box around the subtree
        ("high", "f8", (3,)),
        ("first", "i8"),  # the node's own leaves, points or entries of ``order``
        ("last", "i8"),
        ("next", "i8"),  # the node after the subtree
    ]
)
LEAF_COLUMNS = 10  # a triangle's corners and a radius around it; a sphere repeats its center

ENTITY = np.dtype(
    [
        ("body", "i8"),
        ("first_sphere", "i8"),
        ("last_sphere", "i8"),
        ("in_world", "i8"),  # 1: checked against the world
        ("first_hull", "i8"),
        ("last_hull", "i8"),
    ]
)
PAIR = np.dtype(
    [
        ("one", "i8"),  # entities
        ("two", "i8"),
        ("reach", "i8"),  # its first row of hull_reach
        ("axes", "i8"),  # its first row of Work.axes
        ("map", "i8"),  # its row of maps; -1: none
    ]
)
HULL = np.dtype(
    [("sphere", "f8", (4,)), ("radius", "f8"), ("first_corner", "i8"), ("last_corner", "i8")]
)
# A map of two bodies, over the positions of two or three joints.
MAP = np.dtype(
    [
        ("first", "i8"),  # its first cell, or EVERYWHERE
        ("position", "i8", (3,)),  # -1: none
        ("cells", "i8", (3,)),  # their number along the position
        ("low", "f8", (3,)),  # the lowest value of the position
        ("width", "f8", (3,)),  # of a cell
        ("wraps", "i8", (3,)),  # 1: the last cell is followed by the first
    ]
)
EVERYWHERE = -1  # the pair is apart everywhere on its map, which has no cells

# An obstacle for lanes.
PIECE = np.dtype([("inverse", "f4", (12,)), ("size", "f4", (3,)), ("kind", "i4")])
UNKNOWN = -1  # in place of other kinds, and if a number is above FARTHEST
FARTHEST = 100.0  # m
# A joint in lanes.
JOINT = np.dtype(
    [
        ("above", "i8"),  # the joint above it, counted from 1; 0: the base
        ("position", "i8"),
        ("slides", "i8"),  # 1: prismatic
        ("first_inner", "i8"),  # its inner spheres
        ("last_inner", "i8"),
    ]
)

# Entries of Work.counts:
CHECKED = 0  # configurations and motions checked so far
LAST_UNDECIDED = 1  # the last check that was not decided, or -1
# 1: hulls of obstacles are checked, too. Bodies within millimeters of one are then proven free,
# but checks of motions in collision take twice as long.
CLOSELY = 2
OBSTACLE_MET = 3  # the row for which an entity was undecided last
SPHERE_MET = 4  # the inner sphere that met it, or -1
STACK = 128  # intervals of one motion in the queue

Floats = NDArray[np.float32]
Records = NDArray[Any]  # of one of the types above


class LaneArrays(NamedTuple):
    """Spheres in and around the links in their joints' frames (lengths in m), see ``lanes``."""

    moving: Integers  # (M,) the joints that move and carry parts, parents first
    joints: Records  # (J,) of JOINT
    rates: Array  # (J, 2) multiplier and offset
    placements: Floats  # (J, 12) frames at position 0, in that of the joint above
    frames: Floats  # (J + 1, 12) of the base and of each joint when the model was made
    bounds: Floats  # (J, 4) a bounding sphere of a joint's inner spheres
    inner_spheres: Floats  # (B, 4) inside the links
    owners: Integers  # (B,) their entities
    carriers: Integers  # (E,) the joint of each entity, counted from 1; 0 the base, -1 unknown
    bounding_spheres: Floats  # (E, 4) of the entities
    spheres: Floats  # (S, 4)


class WorldArrays(NamedTuple):
    """Obstacles at one moment (lengths in m)."""

    obstacles: Records  # (W,) of OBSTACLE
    planes: Array  # (L, 4) outward normal and offset, in the obstacle's frame
    nodes: Records  # (K,) of NODE: trees of clusters and clouds, in the obstacle's frame
    leaves: Array  # (M, LEAF_COLUMNS) of clusters
    points: Array  # (N, 3) of clouds
    tree: Records  # (T,) of NODE: boxes around the obstacles, base frame
    order: Integers  # (W,) the obstacles in the order of its leaves
    pieces: Records  # (W,) of PIECE: the same obstacles, for lanes
    corners: Array  # (D, 3) of the obstacles' hulls, base frame


class ConservativeModel(NamedTuple):
    """A robot's spheres and the world at one moment, as arrays (lengths in m).

    An entity is the covering of a body or of an attached obstacle. Positions that do not move are
    constants: ``frames`` includes them.
    """

    table: Array  # (n, 34) the compiled tree
    rows: Integers  # bodies whose frames change, parents first
    frames: Array  # (n, 12) every body's frame when the model was made
    entities: Records  # (E,) of ENTITY
    bounding_spheres: Array  # (E, 4) body frame
    spheres: Array  # (S, 4) body frame
    hulls: Records  # (H,) of HULL, body frame
    corners: Array  # (C, 3) of the hulls, body frame
    reach: Array  # (E, nq) maximum displacement, m (or m/m), of a point per unit of each position
    pairs: Records  # (P,) of PAIR: entities that must not touch each other
    pair_reach: Array  # (P, nq) the same for the distance of a pair
    hull_reach: Array  # (R, nq) the same for each hull of one of a pair, then of the other
    axes: Array  # (A, 3) the direction to try first for a gap between two hulls of a pair
    world: WorldArrays
    world_reach: Array  # (H, nq) reach of each hull in the base frame
    maps: Records  # (K,) of MAP: where pairs are proven apart
    map_cells: NDArray[np.uint8]  # 1 in the cells where they are
    chains: Integers  # (E, L) the bodies whose joints move an entity, to the base; or -1
    chain_reach: Array  # (E, L) reach of each of these joints, 0 for those of several positions
    joint_axes: Array  # (n, 6) a point of each body's revolute joint and its direction, body frame
    lanes: LaneArrays


class Work(NamedTuple):
    """The kernels' work space; one for each thread."""

    q: Array  # (nq,)
    frames: Array  # (n, 12)
    steps: Array  # (nq,) magnitudes of the displacements of the positions
    speeds: Array  # (E + P,) maximum approach of each check by these
    intervals: Array  # (STACK, 2)
    open: Integers  # (STACK, 1 + E + P): the number of an interval's checks, and their indices
    counts: Integers  # (5,) CHECKED to SPHERE_MET, see above
    simplex: Array  # (4, 3)
    axes: Array  # (A, 3) the last direction of the gap between two hulls of a pair
    axis: Array  # (3,)
    twists: Array  # (n, 6) of the bodies along the motion, base frame
    accelerations: Array  # (E,) of each entity's points along the motion, at most
    lanes: Floats  # ((J + 1) * 12 * 16,) frames of the joints along the motion


def make_work(model: ConservativeModel, closely: bool = True) -> Work:
    """Return work arrays for kernels that take ``model``."""
    checks = len(model.entities) + len(model.pairs)
    return Work(
        q=np.empty(model.reach.shape[1]),
        frames=model.frames.copy(),
        steps=np.zeros(model.reach.shape[1]),
        speeds=np.empty(checks),
        intervals=np.empty((STACK, 2)),
        open=np.empty((STACK, 1 + checks), dtype=np.int64),
        counts=np.array([0, -1, closely, -1, -1], dtype=np.int64),
        simplex=np.empty((4, 3)),
        axes=model.axes.copy(),
        axis=np.empty(3),
        twists=np.zeros((len(model.frames), 6)),
        accelerations=np.zeros(len(model.entities)),
        lanes=np.repeat(model.lanes.frames, WIDE),
    )


def _none(columns: int, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    return np.zeros((0, columns), dtype)


def no_lanes(entities: int) -> LaneArrays:
    """Return the arrays of a robot with n entities, none of which the lanes check."""
    return LaneArrays(
        moving=np.zeros(0, np.int64),
        joints=np.zeros(0, JOINT),
        rates=_none(2),
        placements=_none(12, np.float32),
        frames=np.zeros((1, 12), np.float32),
        bounds=_none(4, np.float32),
        inner_spheres=_none(4, np.float32),
        owners=np.zeros(0, np.int64),
        carriers=np.full(entities, -1),
        bounding_spheres=_none(4, np.float32),
        spheres=_none(4, np.float32),
    )


def empty_world() -> WorldArrays:
    """Return the arrays of a world without obstacles."""
    return WorldArrays(
        obstacles=np.zeros(0, OBSTACLE),
        planes=_none(4),
        nodes=np.zeros(0, NODE),
        leaves=_none(LEAF_COLUMNS),
        points=_none(3),
        tree=np.zeros(0, NODE),
        order=np.zeros(0, np.int64),
        pieces=np.zeros(0, PIECE),
        corners=_none(3),
    )


def empty_model(positions: int) -> ConservativeModel:
    """Return a model without any entity and obstacle."""
    return ConservativeModel(
        table=np.zeros((1, TABLE_COLUMNS)),
        rows=np.zeros(0, np.int64),
        frames=np.zeros((1, 12)),
        entities=np.zeros(0, ENTITY),
        bounding_spheres=_none(4),
        spheres=_none(4),
        hulls=np.zeros(0, HULL),
        corners=_none(3),
        reach=_none(positions),
        pairs=np.zeros(0, PAIR),
        pair_reach=_none(positions),
        hull_reach=_none(positions),
        axes=_none(3),
        world=empty_world(),
        world_reach=_none(positions),
        maps=np.zeros(0, MAP),
        map_cells=np.zeros(0, np.uint8),
        chains=_none(1, np.int64),
        chain_reach=_none(1),
        joint_axes=np.zeros((1, 6)),
        lanes=no_lanes(0),
    )


# The types of both, for the kernels' signatures.
MODEL = type_of(empty_model(1))
WORK = type_of(make_work(empty_model(1)))
