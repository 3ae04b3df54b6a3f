"""Flat arrays that the kernels of the conservative level read and write."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.kernels.types import type_of
from rigid_tree_kinematics.model.columns import TABLE_COLUMNS

MARGIN = 1e-4  # m; smaller distances are in doubt, and motions are not divided more finely

# Kinds of obstacles, and the columns of their rows.
BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER, CLOUD = range(6)
OBSTACLE_KIND = 0
SIZE = 1  # 3 numbers: half sizes; radius; radius and half length; a cloud's radius
INVERSE = 4  # 12 numbers: from the base frame to the shape's frame
FIRST, LAST = 16, 17  # the rows of its planes, or the root of its cluster's or cloud's tree
OBSTACLE_HULL = 18  # its hull's first corner, and the end
OBSTACLE_SPHERE = 20  # its bounding sphere, 4 numbers
OBSTACLE_RADIUS = 24  # of its hull
OBSTACLE_COLUMNS = 25

# Columns of a tree, whose nodes are in depth-first order: low and high corner of a box around the
# subtree; the node's own range of leaves, points or entries of ``order``; the node after the
# subtree.
NODE_FIRST, NODE_LAST, NODE_NEXT = 6, 7, 8
NODE_COLUMNS = 9
LEAF_COLUMNS = 10  # a triangle's corners and a radius around it; a sphere repeats its center

# Columns of an entity: its body, its spheres, whether it is checked against the world, its hulls.
BODY, FIRST_SPHERE, LAST_SPHERE, IN_WORLD, FIRST_HULL, LAST_HULL = range(6)
ENTITY_COLUMNS = 6
# Columns of a pair: two entities, their first rows of hull_reach and of Work.axes, and their row
# of maps or -1.
ONE, TWO, PAIR_REACH, PAIR_AXES, PAIR_MAP = range(5)
PAIR_COLUMNS = 5
# Columns of a hull: its bounding sphere (4 numbers), its radius, its corners.
HULL_RADIUS, HULL_FIRST, HULL_LAST = 4, 5, 6
HULL_COLUMNS = 7

# Columns of a map of two bodies: its first cell; which positions it spans (-1: none), the number
# of cells along them, the lowest value, the width of a cell, and 1 if the last cell is followed by
# the first. A pair that is apart everywhere on its map has no cells.
MAP_FIRST, MAP_POSITION, MAP_CELLS, MAP_LOW, MAP_WIDTH, MAP_WRAPS = 0, 1, 4, 7, 10, 13
MAP_COLUMNS = 16
EVERYWHERE = -1  # in place of the first cell

# Columns of a piece, an obstacle in float32: its inverse pose (12 numbers), sizes, and its kind;
# UNKNOWN for other kinds and for numbers above FARTHEST.
PIECE_SIZE, PIECE_KIND = 12, 15
UNKNOWN = -1
FARTHEST = 100.0  # m
# Columns of a joint in lanes: the joint above it, counted from 1, or 0 for the base; its position;
# 1 if it is prismatic; its inner spheres.
ABOVE, SOURCE, SLIDES, FIRST_INNER, LAST_INNER = range(5)
JOINT_COLUMNS = 5

CHECKED, LAST_DOUBT, CLOSELY = range(3)  # entries of Work.counts
STACK = 128  # intervals of one motion in the queue

Floats = NDArray[np.float32]


class LaneArrays(NamedTuple):
    """Spheres in and around the links in their joints' frames (lengths in m), see ``lanes``."""

    moving: Integers  # (M,) the joints that move and carry parts, parents first
    joints: Integers  # (J, JOINT_COLUMNS)
    rates: Array  # (J, 2) multiplier and offset
    placements: Floats  # (J, 12) frames at position 0, in that of the joint above
    frames: Floats  # (J + 1, 12) of the base and of each joint when the model was made
    bounds: Floats  # (J, 4) a bounding sphere of a joint's inner spheres
    inner_spheres: Floats  # (B, 4) inside the links
    carriers: Integers  # (E,) the joint of each entity, counted from 1; 0 the base, -1 unknown
    bounding_spheres: Floats  # (E, 4) of the entities
    spheres: Floats  # (S, 4)


class WorldArrays(NamedTuple):
    """Obstacles at one moment (lengths in m)."""

    obstacles: Array  # (W, OBSTACLE_COLUMNS)
    planes: Array  # (L, 4) outward normal and offset, in the obstacle's frame
    nodes: Array  # (K, NODE_COLUMNS) trees of clusters and clouds, in the obstacle's frame
    leaves: Array  # (M, LEAF_COLUMNS) of clusters
    points: Array  # (N, 3) of clouds
    tree: Array  # (T, NODE_COLUMNS) of boxes around the obstacles, base frame
    order: Integers  # (O,) the obstacles that it holds; a row in no leaf is not in use
    pieces: Floats  # (W, 16) the same obstacles, for lanes
    corners: Array  # (D, 3) of the obstacles' hulls, base frame


class ConservativeModel(NamedTuple):
    """A robot's spheres and the world at one moment, as flat arrays (lengths in m).

    An entity is the covering of a body or of an attached obstacle. Positions that do not move are
    constants: ``frames`` includes them.
    """

    table: Array  # (n, 34) the compiled tree
    rows: Integers  # bodies whose frames change, parents first
    frames: Array  # (n, 12) every body's frame when the model was made
    entities: Integers  # (E, ENTITY_COLUMNS)
    bounding_spheres: Array  # (E, 4) body frame
    spheres: Array  # (S, 4) body frame
    hulls: Array  # (H, HULL_COLUMNS) body frame
    corners: Array  # (C, 3) of the hulls, body frame
    reach: Array  # (E, nq) maximum displacement, m (or m/m), of a point per unit of each position
    pairs: Integers  # (P, PAIR_COLUMNS) two entities that must not touch each other
    pair_reach: Array  # (P, nq) the same for the distance of a pair
    hull_reach: Array  # (R, nq) the same for each hull of one of a pair, then of the other
    axes: Array  # (A, 3) the direction to try first for a gap between two hulls of a pair
    world: WorldArrays
    world_reach: Array  # (H, nq) reach of each hull in the base frame
    maps: Array  # (K, MAP_COLUMNS) where pairs are proven apart, over two or three positions
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
    # (3,): CHECKED, configurations and motions so far; LAST_DOUBT, the last check in doubt;
    # CLOSELY, 1 to check the hulls of obstacles too: bodies within millimeters of one are then
    # proven free, but checks of motions in collision take twice as long
    counts: Integers
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
        counts=np.array([0, -1, closely], dtype=np.int64),
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
        joints=_none(JOINT_COLUMNS, np.int64),
        rates=_none(2),
        placements=_none(12, np.float32),
        frames=np.zeros((1, 12), np.float32),
        bounds=_none(4, np.float32),
        inner_spheres=_none(4, np.float32),
        carriers=np.full(entities, -1),
        bounding_spheres=_none(4, np.float32),
        spheres=_none(4, np.float32),
    )


def empty_model(positions: int) -> ConservativeModel:
    """Return a model without any entity and obstacle."""
    world = WorldArrays(
        obstacles=_none(OBSTACLE_COLUMNS),
        planes=_none(4),
        nodes=_none(NODE_COLUMNS),
        leaves=_none(LEAF_COLUMNS),
        points=_none(3),
        tree=_none(NODE_COLUMNS),
        order=np.zeros(0, np.int64),
        pieces=_none(PIECE_KIND + 1, np.float32),
        corners=_none(3),
    )
    return ConservativeModel(
        table=np.zeros((1, TABLE_COLUMNS)),
        rows=np.zeros(0, np.int64),
        frames=np.zeros((1, 12)),
        entities=_none(ENTITY_COLUMNS, np.int64),
        bounding_spheres=_none(4),
        spheres=_none(4),
        hulls=_none(HULL_COLUMNS),
        corners=_none(3),
        reach=_none(positions),
        pairs=_none(PAIR_COLUMNS, np.int64),
        pair_reach=_none(positions),
        hull_reach=_none(positions),
        axes=_none(3),
        world=world,
        world_reach=_none(positions),
        maps=_none(MAP_COLUMNS),
        map_cells=np.zeros(0, np.uint8),
        chains=_none(1, np.int64),
        chain_reach=_none(1),
        joint_axes=np.zeros((1, 6)),
        lanes=no_lanes(0),
    )


# The types of both, for the kernels' signatures.
MODEL = type_of(empty_model(1))
WORK = type_of(make_work(empty_model(1)))
