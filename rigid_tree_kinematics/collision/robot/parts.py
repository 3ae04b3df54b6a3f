"""Shapes of bodies and attached obstacles, and bounds of the approach speeds of pairs."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.robot.reach import Range, common_ancestor, reach_of_spheres
from rigid_tree_kinematics.collision.robot.solids import Solid, solids_of_placed
from rigid_tree_kinematics.collision.scene import PlacedShape
from rigid_tree_kinematics.collision.shapes import Hull, fitted_hulls
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.fit_cache import (
    fitted_spheres,
    rounded,
    shape_fingerprint,
)
from rigid_tree_kinematics.collision.shapes.spheres import as_spheres
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.columns import KIND, PARENT, POSITION

MOST_CACHED = 50_000  # results of a function for one robot
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Part:
    """All shapes of one body, or one attached obstacle, fixed to body ``row``."""

    name: str
    row: int
    shapes: tuple[PlacedShape, ...]
    spheres: Array  # (k, 4) body frame, containing the shapes
    bounding_sphere: Array  # (4,)
    hulls: tuple[Hull, ...]  # body frame; none if some shape has none
    reach: Array  # (nq,)
    digest: str  # of the shapes and their body

    @cached_property
    def solids(self) -> tuple[tuple[Solid, Array], ...]:
        """The solids of the shapes and their poses on the body.

        Raises DescriptionError, with the part's name, if a mesh file cannot be read.
        """
        with _named(self.name):
            return tuple((s, p.pose) for p in self.shapes for s in solids_of_placed(p))


def make_part(compiled: CompiledTree, name: str, row: int, shapes: Iterable[PlacedShape]) -> Part:
    """Return a part for shapes in the frame of body ``row``.

    Raises DescriptionError, with the part's ``name``, if a mesh file cannot be read.
    """
    shapes = tuple(shapes)
    spheres, digests = [], []
    hulls: list[Hull] = []
    without_hulls = False
    for placed in shapes:
        with _named(name):
            fingerprint = shape_fingerprint(placed.shape)  # finding a mesh file takes a while
            fitted = fitted_spheres(placed.shape, fingerprint)
            found = fitted_hulls(placed.shape, fingerprint)
        digests.append((fingerprint, rounded(placed.pose).tolist()))
        rotation, shift = placed.pose[:3, :3], placed.pose[:3, 3]
        without_hulls = without_hulls or not found
        hulls += [Hull(hull.corners @ rotation.T + shift, hull.radius) for hull in found]
        moved = fitted[:, :3] @ rotation.T + shift
        spheres.append(np.column_stack([moved, fitted[:, 3]]))
    covering = np.concatenate(spheres)
    reach = reach_of_spheres(compiled, row, covering)
    sphere = enclosing_sphere(covering)
    own_hulls = () if without_hulls else tuple(hulls)
    return Part(name, row, shapes, covering, sphere, own_hulls, reach, f"{row} {digests}")


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Prefix errors of mesh files with a part's name."""
    try:
        yield
    except DescriptionError as error:
        raise DescriptionError(f"collision shape of '{name}': {error}") from error


def _cached(function: Function) -> Function:
    """Cache a function of a robot and hashable arguments while the robot exists."""
    results: WeakKeyDictionary[CompiledTree, dict[Any, Any]] = WeakKeyDictionary()

    @wraps(function)
    def cached(compiled: CompiledTree, *arguments: Any) -> Any:
        known = results.setdefault(compiled, {})
        if arguments not in known:
            if len(known) >= MOST_CACHED:
                known.clear()
            known[arguments] = function(compiled, *arguments)
        return known[arguments]

    return cast(Function, cached)


def pair_reach(compiled: CompiledTree, one: Part, two: Part, within: Range | None = None) -> Array:
    """Return the maximum approach of two parts per unit of each position, (nq,)."""
    stop = common_ancestor(compiled, one.row, two.row)
    return part_reach(compiled, one, stop, within) + part_reach(compiled, two, stop, within)


def part_reach(compiled: CompiledTree, part: Part, stop: int, within: Range | None) -> Array:
    """Return the reach of a part relative to body ``stop``, (nq,), cached for all positions."""
    if within is None:
        return _part_reach(compiled, part, stop)
    return reach_of_spheres(compiled, part.row, part.spheres, stop, within)


@_cached
def _part_reach(compiled: CompiledTree, part: Part, stop: int) -> Array:
    return reach_of_spheres(compiled, part.row, part.spheres, stop)


@_cached
def approach(compiled: CompiledTree, one: Part, two: Part) -> tuple[Array, Array]:
    """Return ``pair_reach`` of the parts, and of each hull of one, then of two, (h, nq)."""
    stop = common_ancestor(compiled, one.row, two.row)
    rows = [hull_reach(compiled, part, stop) for part in (one, two)]
    return pair_reach(compiled, one, two), np.concatenate(rows)


@_cached
def hull_reach(compiled: CompiledTree, part: Part, stop: int) -> Array:
    """Return the reach of each hull of a part relative to body ``stop``, (h, nq)."""
    rows = [
        reach_of_spheres(compiled, part.row, as_spheres(hull.corners, hull.radius), stop)
        for hull in part.hulls
    ]
    return np.array(rows).reshape(len(rows), compiled.position_count)


def rigid_groups(compiled: CompiledTree) -> list[int]:
    """Return for every body the first body of its rigid group."""
    group = [0]
    for row in range(1, len(compiled.table)):
        moves = compiled.table[row, POSITION] >= 0 and compiled.table[row, KIND] != 0
        group.append(row if moves else group[int(compiled.table[row, PARENT])])
    return group


def neighbors(compiled: CompiledTree, rows_with_shapes: Iterable[int]) -> set[tuple[int, int]]:
    """Return pairs of groups connected by a joint, also through groups without shapes.

    A group is the row of its first body, as in ``rigid_groups``; the one nearer to the base is
    first in a pair.
    """
    group = rigid_groups(compiled)
    shaped = {group[row] for row in rows_with_shapes}
    pairs = set()
    for row in sorted(set(group) - {0}):
        if row not in shaped:
            continue
        above = group[int(compiled.table[row, PARENT])]
        while above not in shaped and above != 0:
            above = group[int(compiled.table[above, PARENT])]
        pairs.add((above, row))
    return pairs
