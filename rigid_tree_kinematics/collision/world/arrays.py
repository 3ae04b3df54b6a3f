"""What the kernels of the conservative level read and write, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, VECTOR
from rigid_tree_kinematics.model.compiled import TABLE_COLUMNS

MARGIN = 1e-4  # m; whoever comes nearer is in doubt, and no motion is cut finer than this

# Kinds of obstacles, and the columns of their rows.
BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER, CLOUD = range(6)
OBSTACLE_KIND = 0
SIZE = 1  # 3 numbers: half sizes; radius; radius and half length; a cloud's radius
INVERSE = 4  # 12 numbers: from the base frame to the shape's frame
FIRST, LAST = 16, 17  # the rows of its planes, or the root of its cluster's or cloud's tree
OBSTACLE_HULL = 18  # its hull's first and last corner
OBSTACLE_BALL = 20  # a ball around the obstacle (4 numbers), and the hull's radius
OBSTACLE_COLUMNS = 25

# Columns of a tree, whose nodes stand in depth-first order: low and high corner of a box around
# all that is below; which leaves, points or entries of ``order`` it holds itself; the node after
# all that is below it.
NODE_FIRST, NODE_LAST, NODE_NEXT = 6, 7, 8
NODE_COLUMNS = 9
LEAF_COLUMNS = 10  # three corners of a triangle and a radius around it; a point repeats itself

ENTITY_COLUMNS = 6
PAIR_COLUMNS = 5
# Columns of a hull: a ball around it (4 numbers), its radius, its corners.
HULL_RADIUS, HULL_FIRST, HULL_LAST = 4, 5, 6
HULL_COLUMNS = 7

# Columns of a map of two bodies: where its cells begin; which positions it spans (-1: none), how
# many cells it has along them, the lowest value, the width of a cell, and 1 if the last cell is
# followed by the first. The cells of a pair that is apart everywhere on its map are left out.
MAP_FIRST, MAP_POSITION, MAP_CELLS, MAP_LOW, MAP_WIDTH, MAP_WRAPS = 0, 1, 4, 7, 10, 13
MAP_COLUMNS = 16
EVERYWHERE = -1  # in the place of where the cells begin

CLOSELY = 2  # of Work.counts: 1 to ask the hulls of obstacles too
STACK = 128  # intervals of one motion that wait


class ConservativeModel(NamedTuple):
    """A robot's spheres and the world at one moment, as flat arrays (lengths in m).

    An entity is a body's covering, or that of an obstacle attached to a body. Positions that do
    not move are frozen in: what they alone carry stands in ``frames``.
    """

    table: Array  # (n, 34) the compiled tree
    rows: NDArray[np.int64]  # bodies whose frames change, parents first
    frames: Array  # (n, 12) every body's frame when the model was made
    # (E, ENTITY_COLUMNS): body, first and last sphere, checked against the world, first and last
    # hull
    entities: NDArray[np.int64]
    balls: Array  # (E, 4) enclosing sphere, body frame
    spheres: Array  # (S, 4) body frame
    hulls: Array  # (H, HULL_COLUMNS) body frame
    corners: Array  # (C, 3) of the hulls, body frame
    reach: Array  # (E, nq) m (or m/m) that a point moves at most for a unit of each position
    # (P, PAIR_COLUMNS) two entities that must not touch each other, their first rows of hull_reach
    # and of Work.axes, and their row of maps or -1
    pairs: NDArray[np.int64]
    pair_reach: Array  # (P, nq) the same for their distance
    hull_reach: Array  # (R, nq) the same for each hull of one, then of the other
    axes: Array  # (A, 3) where to look first for a gap between two hulls of a pair
    obstacles: Array  # (W, OBSTACLE_COLUMNS)
    planes: Array  # (L, 4) outward normal and offset, in the obstacle's frame
    nodes: Array  # (K, NODE_COLUMNS) trees of clusters and clouds, in the obstacle's frame
    leaves: Array  # (M, LEAF_COLUMNS) of clusters
    points: Array  # (N, 3) of clouds
    tree: Array  # (T, NODE_COLUMNS) of boxes around the obstacles, base frame
    order: NDArray[np.int64]  # (O,) the obstacles that it holds; a row in no leaf is not in use
    world_corners: Array  # (D, 3) of the obstacles' hulls, base frame
    world_reach: Array  # (H, nq) reach of each hull, seen from the base
    maps: Array  # (K, MAP_COLUMNS) where pairs are surely apart, over two or three positions
    map_cells: NDArray[np.uint8]  # 1 in the cells where they are
    chains: NDArray[np.int64]  # (E, L) the bodies whose joints move an entity, to the base; or -1
    chain_reach: Array  # (E, L) reach of each of these joints, 0 for those of several positions
    joint_axes: Array  # (n, 6) a point of each body's revolute joint and its direction, body frame


class Work(NamedTuple):
    """What the kernels write into; one for each thread."""

    q: Array  # (nq,)
    frames: Array  # (n, 12)
    steps: Array  # (nq,) how far each position moves
    speeds: Array  # (E + P,) what each check's distance can lose by that
    intervals: Array  # (STACK, 2)
    open: NDArray[np.int64]  # (STACK, 1 + E + P): how many checks an interval needs, and which
    # (3,): configurations looked at; the check that was in doubt last; CLOSELY
    counts: NDArray[np.int64]
    simplex: Array  # (4, 3)
    axes: Array  # (A, 3) where every two hulls of a pair had their gap last
    axis: Array  # (3,)
    twists: Array  # (n, 6) of the bodies along the motion, base frame
    accelerations: Array  # (E,) of each entity's points along the motion, at most


ROWS = types.int64[:, ::1]
MODEL = types.NamedTuple(
    (
        MATRIX,
        types.int64[::1],
        MATRIX,
        ROWS,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        ROWS,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        MATRIX,
        types.int64[::1],
        MATRIX,
        MATRIX,
        MATRIX,
        types.uint8[::1],
        ROWS,
        MATRIX,
        MATRIX,
    ),
    ConservativeModel,
)
WORK = types.NamedTuple(
    (
        VECTOR,
        MATRIX,
        VECTOR,
        VECTOR,
        MATRIX,
        ROWS,
        types.int64[::1],
        MATRIX,
        MATRIX,
        VECTOR,
        MATRIX,
        VECTOR,
    ),
    Work,
)


def make_work(model: ConservativeModel, closely: bool = True) -> Work:
    """Return work arrays for kernels that take ``model``."""
    checks = len(model.entities) + len(model.pairs)
    return Work(
        np.empty(model.reach.shape[1]),
        model.frames.copy(),
        np.zeros(model.reach.shape[1]),
        np.empty(checks),
        np.empty((STACK, 2)),
        np.empty((STACK, 1 + checks), dtype=np.int64),
        np.array([0, -1, closely], dtype=np.int64),
        np.empty((4, 3)),
        model.axes.copy(),
        np.empty(3),
        np.zeros((len(model.frames), 6)),
        np.zeros(len(model.entities)),
    )


def empty_model(positions: int) -> ConservativeModel:
    """Return a model that knows of nothing, for kernels that take one in any case."""
    rows, numbers = np.zeros((0, ENTITY_COLUMNS), dtype=np.int64), np.zeros((0, 4))
    return ConservativeModel(
        np.zeros((1, TABLE_COLUMNS)),
        np.zeros(0, dtype=np.int64),
        np.zeros((1, 12)),
        rows,
        numbers,
        numbers,
        np.zeros((0, HULL_COLUMNS)),
        np.zeros((0, 3)),
        np.zeros((0, positions)),
        np.zeros((0, PAIR_COLUMNS), dtype=np.int64),
        np.zeros((0, positions)),
        np.zeros((0, positions)),
        np.zeros((0, 3)),
        np.zeros((0, OBSTACLE_COLUMNS)),
        numbers,
        np.zeros((0, NODE_COLUMNS)),
        np.zeros((0, LEAF_COLUMNS)),
        np.zeros((0, 3)),
        np.zeros((0, NODE_COLUMNS)),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, 3)),
        np.zeros((0, positions)),
        np.zeros((0, MAP_COLUMNS)),
        np.zeros(0, dtype=np.uint8),
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0)),
        np.zeros((1, 6)),
    )
