"""The array rows that worlds share, and the values of an obstacle's rows."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.scene import Obstacle, PlacedShape
from rigid_tree_kinematics.collision.world.arrays import Floats
from rigid_tree_kinematics.collision.world.pieces import Piece, pieces_of_placed
from rigid_tree_kinematics.collision.world.world_kernels import BOUND_COLUMNS, place_pieces
from rigid_tree_kinematics.errors import DescriptionError

# A piece has the same row in all of these pools, and blocks of rows in the others.
ROW_POOLS = ("obstacles", "poses", "shapes", "bounds", "in_lanes", "placed_pieces")
CORNER_POOLS = ("corners", "placed_corners")
# A new store is started if more than half of a pool's rows, and more than these, are idle.
IDLE_ROWS = 1000

Block = tuple[str, int, int]  # rows of a pool: its name, first row, count


@dataclass(frozen=True, eq=False)
class PlacedPiece:
    """One piece of an obstacle in one row: piece ``number`` of its shape."""

    obstacle: str
    shape: PlacedShape
    number: int
    piece: Piece


def placed_pieces(obstacle: Obstacle) -> list[PlacedPiece]:
    """Return the pieces of an obstacle's shapes.

    Raises DescriptionError, with the obstacle's name, if a mesh cannot be read.
    """
    try:
        return [
            PlacedPiece(obstacle.name, placed, number, piece)
            for placed in obstacle.shapes
            for number, piece in enumerate(pieces_of_placed(placed))
        ]
    except DescriptionError as error:
        raise DescriptionError(f"obstacle '{obstacle.name}': {error}") from error


class Rows:
    """An array that grows and reuses rows. Growing replaces ``array``."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.used = 0  # rows, free ones included
        self.free = 0
        self._gaps: dict[int, list[int]] = {}  # first rows of free blocks, by their length

    def copy(self) -> Rows:
        """Return an independent copy."""
        twin = Rows(self.array.copy())
        twin.used, twin.free = self.used, self.free
        twin._gaps = {length: list(begins) for length, begins in self._gaps.items()}
        return twin

    def take(self, count: int) -> int:
        """Allocate a block of ``count`` rows; return the first."""
        fitting = [length for length, begins in self._gaps.items() if begins and length >= count]
        if fitting:
            length = min(fitting)
            first = self._gaps[length].pop()
            self.free -= length
            if length > count:
                self.give(first + count, length - count)
            return first
        first = self.used
        self.used += count
        if self.used > len(self.array):
            grown = np.zeros((max(2 * first, self.used), *self.array.shape[1:]), self.array.dtype)
            grown[:first] = self.array[:first]
            self.array = grown
        return first

    def put(self, block: NDArray[Any]) -> tuple[int, int]:
        """Write a block into free rows; return the first row and the end."""
        first = self.take(len(block))
        last = first + len(block)
        self.array[first:last] = block
        return first, last

    def give(self, first: int, count: int) -> None:
        """Free a block."""
        if count:
            self._gaps.setdefault(count, []).append(first)
            self.free += count


class Store:
    """Row pools shared by several worlds; only the newest world adds rows.

    Rows are never overwritten while a world's tree exists; the arrays of the conservative level
    keep it alive, too. Callers hold ``lock`` while they add rows.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._trees: list[weakref.ref[Array]] = []  # of the worlds that still exist
        self._newest: weakref.ref[Array] | None = None
        self.obstacles = Rows(np.zeros((0, arrays.OBSTACLE_COLUMNS)))
        self.poses = Rows(np.zeros((0, 4, 4)))
        self.shapes = Rows(np.zeros((0, BOUND_COLUMNS)))
        self.bounds = Rows(np.zeros((0, BOUND_COLUMNS)))
        self.in_lanes = Rows(np.zeros((0, arrays.PIECE_KIND + 1), dtype=np.float32))
        self.placed_pieces = Rows(np.zeros(0, dtype=object))
        self.corners = Rows(np.zeros((0, 3)))
        self.placed_corners = Rows(np.zeros((0, 3)))
        self.planes = Rows(np.zeros((0, 4)))
        self.nodes = Rows(np.zeros((0, arrays.NODE_COLUMNS)))
        self.leaves = Rows(np.zeros((0, arrays.LEAF_COLUMNS)))
        self.points = Rows(np.zeros((0, 3)))

    def copy(self) -> Store:
        """Return an independent copy that no world uses yet."""
        twin = Store()
        for name, value in vars(self).items():
            if isinstance(value, Rows):
                setattr(twin, name, value.copy())
        return twin

    def enter(self, tree: Array) -> None:
        """Add the tree of the newest world."""
        self._newest = weakref.ref(tree)
        self._trees.append(self._newest)

    def is_newest(self, tree: Array) -> bool:
        """Return whether a tree belongs to the world added last."""
        return self._newest is not None and self._newest() is tree

    def is_alone(self, tree: Array) -> bool:
        """Return whether all other trees were deleted."""
        self._trees = [known for known in self._trees if known() is not None]
        return all(known() is tree for known in self._trees)

    def is_idle(self, rows: int) -> bool:
        """Return whether a world of ``rows`` rows leaves most of the store unused."""
        pools = (self.obstacles, self.corners, self.planes, self.nodes)
        idle = any(pool.free > IDLE_ROWS and 2 * pool.free > pool.used for pool in pools)
        return idle or self.obstacles.used > 2 * (rows + IDLE_ROWS)

    def give(self, blocks: Iterable[Block]) -> None:
        """Free blocks that no world uses."""
        for name, first, count in blocks:
            pool: Rows = getattr(self, name)
            if pool is self.placed_pieces:
                pool.array[first : first + count] = None
            pool.give(first, count)

    def add(self, pieces: Iterable[PlacedPiece]) -> list[int]:
        """Return rows with pieces, without pose-dependent values."""
        rows = []
        for placed in pieces:
            row = self._take_row()
            self.placed_pieces.array[row] = placed
            self._fill(row, placed.piece)
            rows.append(row)
        return rows

    def moved(self, rows: Sequence[int]) -> list[int]:
        """Return new rows with the same pieces, without pose-dependent values."""
        twins = []
        for row in rows:
            twin = self._take_row()
            for name in ROW_POOLS:
                array = getattr(self, name).array
                array[twin] = array[row]
            first, last = self._hull(row)
            self._put_corners(twin, self.corners.array[first:last])
            twins.append(twin)
        return twins

    def place(self, placed: Sequence[tuple[Obstacle, Sequence[int]]]) -> None:
        """Write the pose-dependent values of obstacles into their rows."""
        for obstacle, rows in placed:
            for row in rows:
                self.poses.array[row] = obstacle.pose @ self.placed_pieces.array[row].shape.pose
        changed = np.array([row for _, rows in placed for row in rows], dtype=np.int64)
        place_pieces(
            changed,
            self.poses.array,
            self.shapes.array,
            self.corners.array,
            self.obstacles.array,
            self.bounds.array,
            self.placed_corners.array,
        )
        self.in_lanes.array[changed] = _in_lanes(self.obstacles.array[changed])

    def blocks_of(self, rows: Iterable[int], *, of_shapes: bool) -> list[Block]:
        """Return the blocks of rows; those ``of_shapes`` are shared with moved copies."""
        blocks: list[Block] = []
        for row in rows:
            first, last = self._hull(row)
            blocks += [(name, row, 1) for name in ROW_POOLS]
            blocks += [(name, first, last - first) for name in CORNER_POOLS]
            if of_shapes:
                blocks += self._blocks_of_shape(row)
        return blocks

    def _blocks_of_shape(self, row: int) -> Iterator[Block]:
        piece = self.placed_pieces.array[row].piece
        ends = self.obstacles.array[row, arrays.FIRST : arrays.LAST + 1]
        first, last = (int(value) for value in ends)
        if piece.planes is not None:
            yield "planes", first, last - first
        if piece.nodes is not None:
            held = int(self.nodes.array[first:last, arrays.NODE_FIRST].min())
            if piece.leaves is not None:
                yield "leaves", held, len(piece.leaves)
            if piece.points is not None:
                yield "points", held, len(piece.points)
            yield "nodes", first, last - first

    def _take_row(self) -> int:
        rows = {getattr(self, name).take(1) for name in ROW_POOLS}
        return int(rows.pop())

    def _hull(self, row: int) -> tuple[int, int]:
        """Return the first corner of a row's hull, and the end."""
        first, last = self.obstacles.array[row, arrays.OBSTACLE_HULL : arrays.OBSTACLE_HULL + 2]
        return int(first), int(last)

    def _put_corners(self, row: int, corners: Array) -> None:
        span = self.corners.put(corners) if len(corners) else (0, 0)
        self.placed_corners.take(len(corners))
        self.obstacles.array[row, arrays.OBSTACLE_HULL : arrays.OBSTACLE_HULL + 2] = span

    def _fill(self, row: int, piece: Piece) -> None:
        entry = self.obstacles.array[row]
        entry[:] = 0.0
        entry[arrays.OBSTACLE_KIND] = piece.kind
        entry[arrays.SIZE : arrays.SIZE + 3] = piece.size
        bounds = self.shapes.array[row]
        bounds[:6], bounds[6:] = piece.box, piece.bounding_sphere
        if piece.hull is not None:
            self._put_corners(row, piece.hull.corners)
            entry[arrays.OBSTACLE_RADIUS] = piece.hull.radius
        if piece.planes is not None:
            entry[arrays.FIRST], entry[arrays.LAST] = self.planes.put(piece.planes)
        held = None
        if piece.leaves is not None:
            held, _ = self.leaves.put(piece.leaves)
        elif piece.points is not None:
            held, _ = self.points.put(piece.points)
        if piece.nodes is not None and held is not None:
            first, last = self.nodes.put(piece.nodes)
            nodes = self.nodes.array[first:last]
            nodes[:, arrays.NODE_FIRST : arrays.NODE_NEXT] += held
            nodes[:, arrays.NODE_NEXT] += first
            entry[arrays.FIRST], entry[arrays.LAST] = first, last


def _in_lanes(obstacles: Array) -> Floats:
    """Return ``pieces`` of WorldArrays for some rows of its ``obstacles``."""
    pieces = np.empty((len(obstacles), arrays.PIECE_KIND + 1), dtype=np.float32)
    pieces[:, :12] = obstacles[:, arrays.INVERSE : arrays.INVERSE + 12]
    pieces[:, 12:15] = obstacles[:, arrays.SIZE : arrays.SIZE + 3]
    kinds = obstacles[:, arrays.OBSTACLE_KIND]
    known = np.isin(kinds, (arrays.BOX, arrays.SPHERE, arrays.CYLINDER))
    known &= (np.abs(pieces[:, :15]) <= arrays.FARTHEST).all(axis=1)
    pieces[:, arrays.PIECE_KIND] = np.where(known, kinds, arrays.UNKNOWN)
    return pieces
