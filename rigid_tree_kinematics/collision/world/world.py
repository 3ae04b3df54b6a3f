"""The world as arrays, updated incrementally with the obstacles of a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.scene import Obstacle
from rigid_tree_kinematics.collision.world.arrays import NODE_COLUMNS, WorldArrays
from rigid_tree_kinematics.collision.world.box_tree import (
    build_tree,
    insert_box,
    remove_box,
    with_room,
)
from rigid_tree_kinematics.collision.world.store import Block, PlacedPiece, Store, placed_pieces

OBSTACLES_A_NODE = 4
ROOM = 8  # of a leaf, for additions
GROWTH = 16  # a tree is rebuilt after 1/16 of its rows have been added
FEW_ROWS = 16  # can always be added before that

_Entry = tuple[Obstacle, list[int]]  # and its rows


class World:
    """Obstacles as rows of arrays. Immutable.

    ``updated`` returns the next one, which shares unchanged rows with this one. The arrays can
    have unused rows; those that the leaves of ``tree`` list in ``order`` are in use.
    """

    def __init__(self) -> None:
        self._store = Store()
        self._base: dict[str, _Entry] = {}  # the obstacles when the tree was built
        self._changed: dict[str, _Entry | None] = {}  # since then; None: removed
        self._rows = 0  # in use
        self._room = 0  # additions left before the tree is rebuilt
        self._freed: list[Block] = []  # not used by this world, but possibly by others
        self.order: Integers = np.zeros(0, dtype=np.int64)
        self.tree: Array = np.zeros((0, NODE_COLUMNS))
        self._store.enter(self.tree)

    @property
    def arrays(self) -> WorldArrays:
        """The arrays of the conservative level."""
        store = self._store
        return WorldArrays(
            obstacles=store.obstacles.array,
            planes=store.planes.array,
            nodes=store.nodes.array,
            leaves=store.leaves.array,
            points=store.points.array,
            tree=self.tree,
            order=self.order,
            pieces=store.in_lanes.array,
            corners=store.placed_corners.array,
        )

    @property
    def poses(self) -> Array:
        """(W, 4, 4) frames of the pieces' shapes, base frame."""
        return self._store.poses.array

    @property
    def bounds(self) -> Array:
        """(W, BOUND_COLUMNS) a box and a sphere around each piece, base frame."""
        return self._store.bounds.array

    def placed_piece(self, row: int) -> PlacedPiece:
        """Return the piece in a row that is in use."""
        found: PlacedPiece = self._store.placed_pieces.array[row]
        return found

    def replaced(self, obstacles: Mapping[str, Obstacle]) -> World:
        """Return the world with these obstacles, by name; this one if nothing changed.

        Raises the same errors as ``updated``.
        """
        removed = dict.fromkeys(name for name in self._entries() if name not in obstacles)
        return self.updated({**removed, **obstacles})

    def updated(self, changes: Mapping[str, Obstacle | None]) -> World:
        """Return the world with some obstacles, by name, replaced or removed; this one if equal.

        Raises DescriptionError, with the obstacle's name, if a mesh cannot be read.
        """
        new = {
            name: obstacle
            for name, obstacle in changes.items()
            if (self._entry(name) or (None,))[0] is not obstacle
        }
        if not new:
            return self
        with self._store.lock:
            if self._is_worth_following(len(new)):
                return self._changed_by(new)
            every = {name: obstacle for name, (obstacle, _) in self._entries().items()} | new
            return World()._changed_by({name: item for name, item in every.items() if item})

    def _entry(self, name: str) -> _Entry | None:
        return self._changed[name] if name in self._changed else self._base.get(name)

    def _entries(self) -> dict[str, _Entry]:
        """Return all obstacles with their names."""
        known = self._base | self._changed
        return {name: entry for name, entry in known.items() if entry is not None}

    def _is_worth_following(self, changes: int) -> bool:
        """Return whether the next world can share most rows with this one."""
        few = changes < self._rows and changes <= max(FEW_ROWS, self._rows // 2)
        return few and not self._store.is_idle(self._rows)

    def _changed_by(self, changes: Mapping[str, Obstacle | None]) -> World:
        # Meshes are read before anything is written, as one may be unreadable.
        pieces = {name: placed_pieces(item) for name, item in changes.items() if item is not None}
        world = World.__new__(World)
        store = world._store = self._store_to_add_to()
        world._freed = list(self._freed) if store is self._store else []
        world._changed, world._base = dict(self._changed), self._base
        removed_rows: list[int] = []
        placed: list[_Entry] = []
        for name, obstacle in changes.items():
            old, rows = self._entry(name) or (None, [])
            removed_rows += rows
            is_moved = old is not None and obstacle is not None and old.shapes is obstacle.shapes
            world._freed += store.blocks_of(rows, of_shapes=not is_moved)
            if obstacle is None:
                world._changed[name] = None
                continue
            twins = store.moved(rows) if is_moved else store.add(pieces[name])
            world._changed[name] = obstacle, twins
            placed.append((obstacle, twins))
        store.place(placed)
        added = [row for _, rows in placed for row in rows]
        world._rows = self._rows - len(removed_rows) + len(added)
        world._room = self._room - len(added)
        world._change_tree(self, removed_rows, added)
        store.enter(world.tree)
        return world

    def _store_to_add_to(self) -> Store:
        """Return the store or a copy; rows that no world uses are freed."""
        store = self._store
        if not store.is_newest(self.tree):
            store = store.copy()
            store.give(self._freed)
        elif store.is_alone(self.tree):
            store.give(self._freed)
            self._freed = []
        return store

    def _change_tree(
        self, before: World, removed_rows: Sequence[int], added: Sequence[int]
    ) -> None:
        """Update the tree for removed and added rows."""
        bounds = self.bounds
        if self._room >= 0:
            self.tree, self.order = before.tree.copy(), before.order.copy()
            for row in removed_rows:
                remove_box(self.tree, self.order, bounds, row)
            if all(insert_box(self.tree, self.order, bounds, row, ROOM) for row in added):
                return
        self._base, self._changed = self._entries(), {}
        rows = chain.from_iterable(rows for _, rows in self._base.values())
        order = np.fromiter(rows, dtype=np.int64)
        tree = build_tree(bounds, order, OBSTACLES_A_NODE)
        self.tree, self.order = with_room(tree, order, ROOM)
        self._room = max(FEW_ROWS, len(order) // GROWTH)
