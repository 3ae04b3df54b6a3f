"""Flat arrays that the kernels of the conservative level read and write."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels.lanes import WIDE
from rigid_tree_kinematics.kernels.types import type_of
from rigid_tree_kinematics.model.columns import TABLE_COLUMNS

MARGIN = 1e-4  # m; what comes nearer is in doubt, and no motion is divided finer than this

# Kinds of obstacles, and the columns of their rows.
BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER, CLOUD = range(6)
OBSTACLE_KIND = 0
SIZE = 1  # 3 numbers: half sizes; radius; radius and half length; a cloud's radius
INVERSE = 4  # 12 numbers: from the base frame to the shape's frame
FIRST, LAST = 16, 17  # the rows of its planes, or the root of its cluster's or cloud's tree
OBSTACLE_HULL = 18  # its hull's first corner, and the one behind its last
OBSTACLE_BALL = 20  # a ball around the obstacle, 4 numbers
OBSTACLE_RADIUS = 24  # of its hull
OBSTACLE_COLUMNS = 25

# Columns of a tree, whose nodes are in depth-first order: low and high corner of a box around
# all that is below; which leaves, points or entries of ``order`` it holds itself; the node after
# all that is below it.
NODE_FIRST, NODE_LAST, NODE_NEXT = 6, 7, 8
NODE_COLUMNS = 9
LEAF_COLUMNS = 10  # three corners of a triangle and a radius around it; a point repeats itself

# Columns of an entity: its body, its spheres, whether it is checked against the world, its hulls.
BODY, FIRST_SPHERE, LAST_SPHERE, IN_WORLD, FIRST_HULL, LAST_HULL = range(6)
ENTITY_COLUMNS = 6
# Columns of a pair: two entities, their first rows of hull_reach and of Work.axes, and their row
# of maps or -1.
ONE, TWO, PAIR_REACH, PAIR_AXES, PAIR_MAP = range(5)
PAIR_COLUMNS = 5
# Columns of a hull: a ball around it (4 numbers), its radius, its corners.
HULL_RADIUS, HULL_FIRST, HULL_LAST = 4, 5, 6
HULL_COLUMNS = 7

# Columns of a map of two bodies: where its cells start; which positions it spans (-1: none), how
# many cells it has along them, the lowest value, the width of a cell, and 1 if the last cell is
# followed by the first. The cells of a pair that is apart everywhere on its map are left out.
MAP_FIRST, MAP_POSITION, MAP_CELLS, MAP_LOW, MAP_WIDTH, MAP_WRAPS = 0, 1, 4, 7, 10, 13
MAP_COLUMNS = 16
EVERYWHERE = -1  # in place of where the cells start

# Columns of a piece, an obstacle in float32: its inverse pose (12 numbers), sizes, and its kind;
# UNKNOWN for other kinds and for numbers above FARTHEST.
PIECE_SIZE, PIECE_KIND = 12, 15
UNKNOWN = -1
FARTHEST = 100.0  # m
# Columns of a joint in lanes: the joint above it, counted from 1, or 0 for the base; the
# position that it reads; 1 for a prismatic one; its balls.
ABOVE, SOURCE, SLIDES, FIRST_BALL, LAST_BALL = range(5)
JOINT_COLUMNS = 5

CHECKED, LAST_DOUBT, CLOSELY = range(3)  # entries of Work.counts
STACK = 128  # intervals of one motion that wait


Floats = NDArray[np.float32]


class LaneArrays(NamedTuple):
    """Balls in and around the links in their joints' frames (lengths in m), see ``lanes``."""

    moving: Integers  # (M,) the joints that move and carry parts, parents first
    joints: Integers  # (J, JOINT_COLUMNS)
    rates: Array  # (J, 2) multiplier and offset
    placements: Floats  # (J, 12) their frames at 0 in that of the joint above
    frames: Floats  # (J + 1, 12) of the base and of each joint when the model was made
    bounds: Floats  # (J, 4) a ball around all inner ones of a joint
    inner_balls: Floats  # (B, 4) inside the links
    carriers: Integers  # (E,) the joint of each entity, counted from 1; 0 the base, -1 unknown
    balls: Floats  # (E, 4) enclosing sphere
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
    balls: Array  # (E, 4) enclosing sphere, body frame
    spheres: Array  # (S, 4) body frame
    hulls: Array  # (H, HULL_COLUMNS) body frame
    corners: Array  # (C, 3) of the hulls, body frame
    reach: Array  # (E, nq) m (or m/m) that a point moves at most for a unit of each position
    pairs: Integers  # (P, PAIR_COLUMNS) two entities that must not touch each other
    pair_reach: Array  # (P, nq) the same for their distance
    hull_reach: Array  # (R, nq) the same for each hull of one, then of the other
    axes: Array  # (A, 3) the direction to try first for a gap between two hulls of a pair
    world: WorldArrays
    world_reach: Array  # (H, nq) reach of each hull, seen from the base
    maps: Array  # (K, MAP_COLUMNS) where pairs are proven apart, over two or three positions
    map_cells: NDArray[np.uint8]  # 1 in the cells where they are
    chains: Integers  # (E, L) the bodies whose joints move an entity, to the base; or -1
    chain_reach: Array  # (E, L) reach of each of these joints, 0 for those of several positions
    joint_axes: Array  # (n, 6) a point of each body's revolute joint and its direction, body frame
    lanes: LaneArrays


class Work(NamedTuple):
    """What the kernels write into; one for each thread."""

    q: Array  # (nq,)
    frames: Array  # (n, 12)
    steps: Array  # (nq,) how far each position moves
    speeds: Array  # (E + P,) what each check's distance can lose by that
    intervals: Array  # (STACK, 2)
    open: Integers  # (STACK, 1 + E + P): how many checks an interval needs, and which
    # (3,): CHECKED, configurations and motions so far; LAST_DOUBT, the check in doubt last;
    # CLOSELY, 1 to check the hulls of obstacles too: what is within millimetres of one is then
    # proven free, at twice the time where things do touch
    counts: Integers
    simplex: Array  # (4, 3)
    axes: Array  # (A, 3) where every two hulls of a pair had their gap last
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


def no_lanes(entities: int) -> LaneArrays:
    """Return the arrays of a robot with n entities, none of which the lanes check."""
    integers = np.zeros(0, dtype=np.int64)

    def none(columns: int) -> Floats:
        return np.zeros((0, columns), dtype=np.float32)

    return LaneArrays(
        moving=integers,
        joints=integers.reshape(0, JOINT_COLUMNS),
        rates=np.zeros((0, 2)),
        placements=none(12),
        frames=np.zeros((1, 12), dtype=np.float32),
        bounds=none(4),
        inner_balls=none(4),
        carriers=np.full(entities, -1),
        balls=none(4),
        spheres=none(4),
    )


def empty_model(positions: int) -> ConservativeModel:
    """Return a model without any entity and obstacle."""

    def none(columns: int) -> Array:
        return np.zeros((0, columns))

    integers = np.zeros(0, dtype=np.int64)
    return ConservativeModel(
        table=np.zeros((1, TABLE_COLUMNS)),
        rows=integers,
        frames=np.zeros((1, 12)),
        entities=integers.reshape(0, ENTITY_COLUMNS),
        balls=none(4),
        spheres=none(4),
        hulls=none(HULL_COLUMNS),
        corners=none(3),
        reach=none(positions),
        pairs=integers.reshape(0, PAIR_COLUMNS),
        pair_reach=none(positions),
        hull_reach=none(positions),
        axes=none(3),
        world=WorldArrays(
            obstacles=none(OBSTACLE_COLUMNS),
            planes=none(4),
            nodes=none(NODE_COLUMNS),
            leaves=none(LEAF_COLUMNS),
            points=none(3),
            tree=none(NODE_COLUMNS),
            order=integers,
            pieces=np.zeros((0, PIECE_KIND + 1), dtype=np.float32),
            corners=none(3),
        ),
        world_reach=none(positions),
        maps=none(MAP_COLUMNS),
        map_cells=np.zeros(0, dtype=np.uint8),
        chains=integers.reshape(0, 1),
        chain_reach=none(1),
        joint_axes=np.zeros((1, 6)),
        lanes=no_lanes(0),
    )


# The types of both, for the kernels' signatures.
MODEL = type_of(empty_model(1))
WORK = type_of(make_work(empty_model(1)))
