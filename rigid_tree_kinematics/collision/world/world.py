"""The obstacles of a scene as arrays, at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.scene import Obstacle, PlacedShape
from rigid_tree_kinematics.collision.world.arrays import Records, WorldArrays, empty_world
from rigid_tree_kinematics.collision.world.box_tree import build_tree
from rigid_tree_kinematics.collision.world.pieces import Piece, pieces_of_placed
from rigid_tree_kinematics.errors import DescriptionError

OBSTACLES_A_NODE = 4
LANE_KINDS = (arrays.BOX, arrays.SPHERE, arrays.CYLINDER, arrays.CLOUD)


@dataclass(frozen=True, eq=False)
class PlacedPiece:
    """One piece of an obstacle in one row: piece ``number`` of its shape."""

    obstacle: str
    shape: PlacedShape
    number: int
    piece: Piece


@dataclass(frozen=True, eq=False)
class World:
    """Obstacles as W rows of arrays, one for each piece. Immutable."""

    obstacles: Mapping[str, Obstacle]
    pieces: tuple[PlacedPiece, ...]  # (W,)
    poses: Array  # (W, 4, 4) of the pieces' shapes, base frame
    boxes: Array  # (W, 6) low and high corner of a box around each piece, base frame
    arrays: WorldArrays  # of the conservative level


NO_OBSTACLES = World({}, (), np.zeros((0, 4, 4)), np.zeros((0, 6)), empty_world())


def follow(obstacles: Mapping[str, Obstacle], previous: World = NO_OBSTACLES) -> World:
    """Return the world with these obstacles, by name; the ``previous`` one if it has the same.

    Rows of obstacles with the same shapes as before are copied from it. Raises DescriptionError,
    with the obstacle's name, if a mesh cannot be read.
    """
    known = previous.obstacles
    changed = {name for name, _ in obstacles.items() - known.items()}
    gone = known.keys() - obstacles.keys()
    if not changed and not gone:
        return previous
    reshaped = {
        name
        for name in changed
        if name not in known or known[name].shapes is not obstacles[name].shapes
    }
    lost = gone | reshaped
    stays = np.array([piece.obstacle not in lost for piece in previous.pieces], dtype=np.bool_)
    new = [
        piece for name in obstacles if name in reshaped for piece in _pieces_of(obstacles[name])
    ]
    pieces = (*compress(previous.pieces, stays), *new)
    poses = np.concatenate([previous.poses[stays], np.zeros((len(new), 4, 4))])
    boxes = np.concatenate([previous.boxes[stays], np.zeros((len(new), 6))])
    made = _with_pieces(previous.arrays, stays, [placed.piece for placed in new])
    moved = np.array(
        [row for row, placed in enumerate(pieces) if placed.obstacle in changed], dtype=np.int64
    )
    at = [obstacles[pieces[row].obstacle].pose @ pieces[row].shape.pose for row in moved]
    poses[moved] = np.reshape(at, (-1, 4, 4))
    _place(made, boxes, poses, moved, [pieces[row].piece for row in moved])
    order = np.arange(len(pieces))
    made = made._replace(tree=build_tree(boxes, order, OBSTACLES_A_NODE), order=order)
    return World(dict(obstacles), pieces, poses, boxes, made)


def _pieces_of(obstacle: Obstacle) -> list[PlacedPiece]:
    """Return the pieces of an obstacle's shapes."""
    try:
        return [
            PlacedPiece(obstacle.name, placed, number, piece)
            for placed in obstacle.shapes
            for number, piece in enumerate(pieces_of_placed(placed))
        ]
    except DescriptionError as error:
        raise DescriptionError(f"obstacle '{obstacle.name}': {error}") from error


def _with_pieces(before: WorldArrays, stays: Mask, new: Sequence[Piece]) -> WorldArrays:
    """Return arrays of the rows that stay and of new pieces, which are not placed yet."""
    obstacles = np.concatenate([before.obstacles[stays], np.zeros(len(new), arrays.OBSTACLE)])
    for row, piece in zip(obstacles[len(obstacles) - len(new) :], new, strict=True):
        row["kind"], row["size"] = piece.kind, piece.size
        row["hull_radius"] = 0.0 if piece.hull is None else piece.hull.radius
    tables = {}
    for name in ("corners", "planes", "nodes", "leaves", "points"):
        rows, lengths = getattr(before, name), np.diff(before.obstacles[name])[:, 0]
        if lengths[~stays].any():
            rows = rows[np.repeat(stays, lengths)]
        blocks = [getattr(piece, name) for piece in new]
        lengths = np.concatenate([lengths[stays], np.array([*map(len, blocks)], dtype=np.int64)])
        ends = np.cumsum(lengths)
        obstacles[name][:, 0], obstacles[name][:, 1] = ends - lengths, ends
        added = any(map(len, blocks))
        # Rows of ``corners`` are written when their piece is placed.
        tables[name] = np.concatenate([rows, *blocks]) if added or name == "corners" else rows
    pieces = np.concatenate([before.pieces[stays], np.zeros(len(new), arrays.PIECE)])
    return before._replace(obstacles=obstacles, pieces=pieces, **tables)


def _place(
    made: WorldArrays, boxes: Array, poses: Array, rows: Integers, pieces: Sequence[Piece]
) -> None:
    """Write the values of some rows and their pieces that depend on the poses (W, 4, 4)."""
    R, t = poses[rows, :3, :3], poses[rows, :3, 3]
    inverses = np.concatenate(
        [R.transpose(0, 2, 1), -np.einsum("nji,nj->ni", R, t)[:, :, np.newaxis]], axis=2
    )
    made.obstacles["inverse"][rows] = inverses.reshape(-1, 12)
    own_boxes = np.reshape([piece.box for piece in pieces], (-1, 6))
    low, high = own_boxes[:, :3], own_boxes[:, 3:]
    middle = np.einsum("nij,nj->ni", R, 0.5 * (low + high)) + t
    half = np.einsum("nij,nj->ni", np.abs(R), 0.5 * (high - low))
    boxes[rows] = np.hstack([middle - half, middle + half])
    spheres = np.reshape([piece.bounding_sphere for piece in pieces], (-1, 4)).copy()
    spheres[:, :3] = np.einsum("nij,nj->ni", R, spheres[:, :3]) + t
    made.obstacles["sphere"][rows] = spheres
    for row, piece in zip(rows, pieces, strict=True):
        if len(piece.corners):
            first, last = made.obstacles[row]["corners"]
            made.corners[first:last] = piece.corners @ poses[row, :3, :3].T + poses[row, :3, 3]
    made.pieces[rows] = _in_lanes(made.obstacles[rows], own_boxes)


def _in_lanes(obstacles: Records, boxes: Array) -> Records:
    """Return ``pieces`` of WorldArrays for some rows of its ``obstacles``.

    ``boxes`` (n, 6) are around them, each in the frame of its shape.
    """
    pieces = np.zeros(len(obstacles), arrays.PIECE)
    pieces["inverse"], pieces["size"] = obstacles["inverse"], obstacles["size"]
    known = np.isin(obstacles["kind"], LANE_KINDS)
    for numbers in (pieces["inverse"], boxes):
        known &= (np.abs(numbers) <= arrays.FARTHEST).all(axis=1)
    pieces["kind"] = np.where(known, obstacles["kind"], arrays.UNKNOWN)
    return pieces
