"""The world as arrays, which follow a scene's changes one obstacle at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.scene import Obstacle, PlacedShape
from rigid_tree_kinematics.collision.world.arrays import (
    BOX,
    CYLINDER,
    FARTHEST,
    FIRST,
    INVERSE,
    LAST,
    LEAF_COLUMNS,
    NODE_COLUMNS,
    NODE_FIRST,
    NODE_NEXT,
    OBSTACLE_COLUMNS,
    OBSTACLE_HULL,
    OBSTACLE_KIND,
    OBSTACLE_RADIUS,
    PIECE_KIND,
    SIZE,
    SPHERE,
    UNKNOWN,
    Floats,
    WorldArrays,
)
from rigid_tree_kinematics.collision.world.box_tree import build_tree
from rigid_tree_kinematics.collision.world.pieces import Piece, pieces_of_placed
from rigid_tree_kinematics.collision.world.rows import Rows
from rigid_tree_kinematics.collision.world.world_kernels import BOUND_COLUMNS, place_pieces
from rigid_tree_kinematics.errors import DescriptionError

OBSTACLES_A_NODE = 4
# If more than half of an array's rows, and more than these, are idle, all are rebuilt.
IDLE_ROWS = 1000


@dataclass(frozen=True, eq=False)
class PlacedPiece:
    """One piece of an obstacle, in one row: the piece ``number`` of its shape."""

    obstacle: str
    shape: PlacedShape
    number: int
    piece: Piece


class World:
    """Obstacles as rows of arrays. A world never changes.

    ``updated`` returns the next one, which shares the rest with this one. The arrays may have more
    rows than are in use: ``order`` lists those of ``obstacles`` that are.
    """

    def __init__(self) -> None:
        self._present: set[Obstacle] = set()
        self._known: dict[str, tuple[Obstacle, list[int]]] = {}  # and their rows
        self._pieces: list[PlacedPiece | None] = []
        self._obstacles = Rows(np.zeros((0, OBSTACLE_COLUMNS)))
        self._in_use = Rows(np.zeros(0, dtype=np.bool_))
        self._poses = Rows(np.zeros((0, 4, 4)))
        self._shapes = Rows(np.zeros((0, BOUND_COLUMNS)))
        self._bounds = Rows(np.zeros((0, BOUND_COLUMNS)))
        self._corners = Rows(np.zeros((0, 3)))
        self._placed_corners = Rows(np.zeros((0, 3)))
        self._planes = Rows(np.zeros((0, 4)))
        self._nodes = Rows(np.zeros((0, NODE_COLUMNS)))
        self._leaves = Rows(np.zeros((0, LEAF_COLUMNS)))
        self._points = Rows(np.zeros((0, 3)))
        self.order: Integers = np.zeros(0, dtype=np.int64)
        self.tree: Array = np.zeros((0, NODE_COLUMNS))
        self._in_lanes = _in_lanes(self._obstacles.array)

    @property
    def arrays(self) -> WorldArrays:
        """The arrays of the conservative level."""
        return WorldArrays(
            obstacles=self._obstacles.array,
            planes=self._planes.array,
            nodes=self._nodes.array,
            leaves=self._leaves.array,
            points=self._points.array,
            tree=self.tree,
            order=self.order,
            pieces=self._in_lanes,
            corners=self._placed_corners.array,
        )

    @property
    def obstacles(self) -> Array:
        """(W, OBSTACLE_COLUMNS) as in ``ConservativeModel``."""
        return self._obstacles.array

    @property
    def poses(self) -> Array:
        """(W, 4, 4) frames of the pieces' shapes, base frame."""
        return self._poses.array

    @property
    def bounds(self) -> Array:
        """(W, BOUND_COLUMNS) a box and a ball around each piece, base frame."""
        return self._bounds.array

    @property
    def nodes(self) -> Array:
        """(K, NODE_COLUMNS) as in ``ConservativeModel``."""
        return self._nodes.array

    @property
    def points(self) -> Array:
        """(N, 3) as in ``ConservativeModel``."""
        return self._points.array

    def placed_piece(self, row: int) -> PlacedPiece:
        """Return the piece in a row of ``order``."""
        found = self._pieces[row]
        assert found is not None, "a row that is in use"
        return found

    def updated(self, obstacles: Mapping[str, Obstacle]) -> World:
        """Return the world of these obstacles, by name; this one if nothing changed.

        Raises DescriptionError, with the obstacle's name, if a mesh cannot be read.
        """
        # Sets, since all obstacles are compared when one has changed.
        gone = self._present.difference(obstacles.values())
        new = [o for o in obstacles.values() if o not in self._present]
        if not gone and not new:
            return self
        world = World() if self._is_idle(len(gone)) else self._copy()
        if not world._known:
            gone, new = set(), list(obstacles.values())
        world._change(gone, new)
        world._present = set(obstacles.values())
        return world

    def _is_idle(self, gone: int) -> bool:
        """Return whether most rows would be idle."""
        pools = (self._obstacles, self._corners, self._planes, self._nodes)
        idle = any(pool.free > IDLE_ROWS and 2 * pool.free > pool.used for pool in pools)
        return idle or 2 * gone > len(self._known)

    def _copy(self) -> World:
        twin = World()
        twin._known = dict(self._known)
        twin._pieces = list(self._pieces)
        for name, value in vars(self).items():
            if isinstance(value, Rows):
                setattr(twin, name, value.copy())
        return twin

    def _change(self, gone: Iterable[Obstacle], new: Sequence[Obstacle]) -> None:
        moved: list[tuple[Obstacle, list[int]]] = []
        added: list[Obstacle] = []
        left = {item.name: self._known.pop(item.name) for item in gone}
        for obstacle in new:
            old = left.get(obstacle.name)
            if old is not None and old[0].shapes is obstacle.shapes:
                moved.append((obstacle, left.pop(obstacle.name)[1]))
            else:
                added.append(obstacle)
        for _, rows in left.values():
            for row in rows:
                self._remove(row)
        moved += [(obstacle, self._add(obstacle)) for obstacle in added]
        poses = self._poses.writable()
        for obstacle, rows in moved:
            self._known[obstacle.name] = obstacle, rows
            for row in rows:
                poses[row] = obstacle.pose @ self.placed_piece(row).shape.pose
        place_pieces(
            np.array([row for _, rows in moved for row in rows], dtype=np.int64),
            poses,
            self._shapes.array,
            self._corners.array,
            self._obstacles.writable(),
            self._bounds.writable(),
            self._placed_corners.writable(),
        )
        self.order = np.flatnonzero(self._in_use.array)
        self.tree = build_tree(self._bounds.array, self.order, OBSTACLES_A_NODE)
        self._in_lanes = _in_lanes(self._obstacles.array[self.order])

    def _add(self, obstacle: Obstacle) -> list[int]:
        """Take rows for an obstacle's pieces, and fill in what does not depend on its pose."""
        rows = []
        for placed in obstacle.shapes:
            try:
                pieces = pieces_of_placed(placed)
            except DescriptionError as error:
                raise DescriptionError(f"obstacle '{obstacle.name}': {error}") from error
            for number, piece in enumerate(pieces):
                row = self._take_row()
                self._pieces[row] = PlacedPiece(obstacle.name, placed, number, piece)
                self._fill(row, piece)
                rows.append(row)
        return rows

    def _take_row(self) -> int:
        row = self._obstacles.take(1)
        for pool in (self._in_use, self._poses, self._shapes, self._bounds):
            pool.take(1)
        self._in_use.writable()[row] = True
        if row == len(self._pieces):
            self._pieces.append(None)
        return row

    def _fill(self, row: int, piece: Piece) -> None:
        entry = self._obstacles.writable()[row]
        entry[:] = 0.0
        entry[OBSTACLE_KIND] = piece.kind
        entry[SIZE : SIZE + 3] = piece.size
        bounds = self._shapes.writable()[row]
        bounds[:6], bounds[6:] = piece.box, piece.ball
        if piece.hull is not None:
            first, last = _put(self._corners, piece.hull.corners)
            self._placed_corners.take(last - first)
            entry[OBSTACLE_HULL], entry[OBSTACLE_HULL + 1] = first, last
            entry[OBSTACLE_RADIUS] = piece.hull.radius
        if piece.planes is not None:
            entry[FIRST], entry[LAST] = _put(self._planes, piece.planes)
        held = None
        if piece.leaves is not None:
            held, _ = _put(self._leaves, piece.leaves)
        elif piece.points is not None:
            held, _ = _put(self._points, piece.points)
        if piece.nodes is not None and held is not None:
            first, last = _put(self._nodes, piece.nodes)
            nodes = self._nodes.array[first:last]
            nodes[:, NODE_FIRST:NODE_NEXT] += held
            nodes[:, NODE_NEXT] += first
            entry[FIRST], entry[LAST] = first, last

    def _remove(self, row: int) -> None:
        piece = self.placed_piece(row).piece
        self._pieces[row] = None
        entry = self._obstacles.array[row]
        first, last = (int(value) for value in entry[FIRST : LAST + 1])
        if piece.hull is not None:
            begin, count = int(entry[OBSTACLE_HULL]), len(piece.hull.corners)
            self._corners.give(begin, count)
            self._placed_corners.give(begin, count)
        if piece.planes is not None:
            self._planes.give(first, last - first)
        if piece.nodes is not None:
            held = int(self._nodes.array[first:last, NODE_FIRST].min())
            if piece.leaves is not None:
                self._leaves.give(held, len(piece.leaves))
            if piece.points is not None:
                self._points.give(held, len(piece.points))
            self._nodes.give(first, last - first)
        self._in_use.writable()[row] = False
        for pool in (self._obstacles, self._in_use, self._poses, self._shapes, self._bounds):
            pool.give(row, 1)


def _in_lanes(obstacles: Array) -> Floats:
    """Return ``pieces`` of WorldArrays for some rows of its ``obstacles``."""
    pieces = np.empty((len(obstacles), PIECE_KIND + 1), dtype=np.float32)
    pieces[:, :12] = obstacles[:, INVERSE : INVERSE + 12]
    pieces[:, 12:15] = obstacles[:, SIZE : SIZE + 3]
    known = np.isin(obstacles[:, OBSTACLE_KIND], (BOX, SPHERE, CYLINDER))
    known &= (np.abs(pieces[:, :15]) <= FARTHEST).all(axis=1)
    pieces[:, PIECE_KIND] = np.where(known, obstacles[:, OBSTACLE_KIND], UNKNOWN)
    return pieces


def _put(pool: Rows, block: Array) -> tuple[int, int]:
    """Write a block into free rows; return the first, and the one behind the last."""
    first = pool.take(len(block))
    last = first + len(block)
    pool.writable()[first:last] = block
    return first, last
