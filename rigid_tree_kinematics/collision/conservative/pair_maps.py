"""Pairs proven apart, at some or all positions of the joints between them.

A map has the positions of two or three joints at which two bodies are proven apart.

Bodies two joints apart, such as a forearm and a shoulder, are always close: without a map, their
hulls would have to be checked along every motion.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.conservative.pair_map_kernels import WAITING, fill_map
from rigid_tree_kinematics.collision.robot.reach import rows_between
from rigid_tree_kinematics.collision.shapes.fit_cache import cached_fit, rounded
from rigid_tree_kinematics.collision.world import ConservativeModel, make_work
from rigid_tree_kinematics.collision.world.arrays import Records
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.joints import CIRCLE, INTERVAL

MAPS_VERSION = 2  # increment when the maps of a robot change: they are cached on disk

# m; the approach of two bodies within one cell along one side, by the number of sides
CELL = {2: 0.004, 3: 0.015}
FEWEST_CELLS, MOST_CELLS = 8, 1024  # along one side
MOST_IN_A_MAP = 2**18  # cells; beyond, they grow
MOST_CHECKS = 100_000  # for one map, a tenth of a second
MOST_IN_ALL = 300_000

# Of the search for pairs that cannot collide:
PROOF_CELLS = 2**20  # along each angle: a turn is halved at most 20 times
PROOF_CHECKS = 300_000  # of one pair, about half a second
ALL_PROOF_CHECKS = 3_000_000


@dataclass(frozen=True, eq=False)
class PairMaps:
    """``maps`` and ``map_cells`` of a ConservativeModel, and the row of each mapped pair."""

    maps: Records
    cells: NDArray[np.uint8]
    row_of: dict[tuple[int, int], int]


NO_MAPS = PairMaps(np.zeros(0, arrays.MAP), np.zeros(0, dtype=np.uint8), {})


def pair_maps(
    compiled: CompiledTree, model: ConservativeModel, pairs: Sequence[tuple[int, int]]
) -> PairMaps:
    """Return maps of those ``pairs`` that have few joints between them, in the model's order.

    They are cached on disk, since they take up to a tenth of a second each.
    """
    chosen = [
        (number, area)
        for number in range(len(pairs))
        if (area := _map_of(compiled, model.pair_reach[number])) is not None
    ]
    if not chosen:
        return NO_MAPS
    maps = np.concatenate([area for _, area in chosen])
    sizes = maps["cells"].prod(axis=1)

    def fill() -> NDArray[np.uint8]:
        work = make_work(model)
        filled = [np.zeros(size, dtype=np.uint8) for size in sizes]
        boxes = np.empty((WAITING, 6), dtype=np.int64)
        left = MOST_IN_ALL
        # Pairs with two joints first: they are close, and their maps are nearly always decisive.
        joints = (maps["position"] >= 0).sum(axis=1)
        for k in np.argsort(joints):
            number, area = chosen[k]
            most = min(left, MOST_CHECKS)
            home = compiled.home.copy()
            one = of_pair(compiled, model, number)
            left -= fill_map(one, number, home, area, filled[k], boxes, most, work)
        return np.packbits(np.concatenate(filled))

    content: list[Any] = [compiled.table, _flat(maps), model.entities.view(np.int64)]
    content += [model.pairs.view(np.int64), model.spheres, _flat(model.hulls)]
    content += [model.corners, compiled.home, compiled.lower, compiled.upper]
    digest = hashlib.sha256(b"".join(rounded(part).tobytes() for part in content))
    total = int(sizes.sum())
    packed = cached_fit(
        f"{digest.hexdigest()}-maps-{MAPS_VERSION}", fill, np.uint8, (-(-total // 8),)
    )
    row_of = {pairs[number]: k for k, (number, _) in enumerate(chosen)}
    cells = np.split(np.unpackbits(packed, count=total), np.cumsum(sizes)[:-1])
    # A pair that is apart everywhere needs no cells.
    left = [part[:0] if part.all() else part for part in cells]
    lengths = np.array([len(part) for part in left])
    firsts = np.cumsum(lengths) - lengths
    maps["first"] = np.where(lengths == 0, arrays.EVERYWHERE, firsts)
    return PairMaps(maps, np.concatenate(left), row_of)


def of_pair(compiled: CompiledTree, model: ConservativeModel, number: int) -> ConservativeModel:
    """Return a model with only the bodies that ``pair_cleared`` needs for one pair."""
    pair, bodies = model.pairs[number], model.entities["body"].tolist()
    one, two = bodies[pair["one"]], bodies[pair["two"]]
    return model._replace(rows=rows_between(compiled, one, two))


def _map_of(compiled: CompiledTree, reach: Array) -> Records | None:
    """Return a map (1,) without its cells' offset; None if a pair has none."""
    between = np.flatnonzero(reach > 0.0)
    kinds = compiled.position_kinds[between]
    if not 2 <= len(between) <= 3 or not np.isin(kinds, (INTERVAL, CIRCLE)).all():
        return None
    low, high = compiled.lower[between].copy(), compiled.upper[between].copy()
    circle = kinds == CIRCLE
    low[circle], high[circle] = -math.pi, math.pi
    if not np.isfinite([low, high, reach[between]]).all() or (low >= high).any():
        return None
    wanted = np.ceil((high - low) * reach[between] / CELL[len(between)])
    cells = np.clip(wanted, FEWEST_CELLS, MOST_CELLS)
    while cells.prod() > MOST_IN_A_MAP:
        cells[cells.argmax()] = math.ceil(0.8 * cells.max())
    return _map(between, cells, low, high, circle)


def _map(
    between: Integers, cells: Array | Integers, low: Array, high: Array, wraps: Mask | int = 0
) -> Records:
    """Return a map (1,) over the positions ``between``, without its cells' offset."""
    area = np.zeros(1, arrays.MAP)
    area["position"], area["cells"] = -1, 1
    count = len(between)
    area["position"][0, :count], area["cells"][0, :count] = between, cells
    area["low"][0, :count], area["width"][0, :count] = low, (high - low) / cells
    area["wraps"][0, :count] = wraps
    return area


def _flat(records: Records) -> Array:
    """Return records as rows of numbers."""
    return np.column_stack([records[name] for name in records.dtype.names or ()]).astype(float)


def pairs_apart(
    compiled: CompiledTree, model: ConservativeModel, pairs: Sequence[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """Return which ``pairs`` cannot collide, even beyond the joint limits.

    These are pairs with one or two revolute joints between them, such as an arm's base and its
    upper arm, which on some arms are too close to check motions quickly.
    """
    work = make_work(model)
    no_cells = np.empty(0, dtype=np.uint8)
    boxes = np.empty((WAITING, 6), dtype=np.int64)
    found = set()
    left = ALL_PROOF_CHECKS
    for number, pair in enumerate(pairs):
        between = np.flatnonzero(model.pair_reach[number] > 0.0)
        turning = compiled.is_angle[between].all() and np.isfinite(model.pair_reach[number]).all()
        if not 1 <= len(between) <= 2 or not turning:
            continue
        turn = np.full(len(between), math.pi)
        area = _map(between, np.full(len(between), PROOF_CELLS), -turn, turn)
        one, q = of_pair(compiled, model, number), compiled.home.copy()
        most = min(PROOF_CHECKS, left)
        steps = fill_map(one, number, q, area, no_cells, boxes, most, work)
        if steps > 0:
            found.add(pair)
        left -= abs(steps)
    return frozenset(found)
