"""Collision maps of two joints, with the other joints fixed."""

from __future__ import annotations

import math
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.planning.problem import Space

TURN = 2.0 * math.pi
CELLS = 501  # along each joint: steps of 0.002 of a turn, both ends included


@dataclass(frozen=True, eq=False)
class ConfigurationMap:
    """The blocked pairs of two joints' positions: ``blocked`` (n, m).

    ``names`` are the two joints, ``first`` (n,) and ``second`` (m,) their positions, rad or m;
    ``made_for`` identifies the mapped robot and scene.
    """

    names: tuple[str, str]
    first: Array
    second: Array
    blocked: NDArray[np.bool_]
    made_for: str

    @property
    def free_count(self) -> int:
        """The number of free cells."""
        return int(self.blocked.size - self.blocked.sum())

    @property
    def blocked_count(self) -> int:
        """The number of blocked cells."""
        return int(self.blocked.sum())

    def connected(self, a: ArrayLike, b: ArrayLike) -> bool:
        """Return whether free cells connect two pairs of positions.

        Positions that span a turn are joined at its ends. Passages narrower than a cell are
        missed.
        """
        from scipy.ndimage import label
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        regions, _ = label(~self.blocked)
        pairs = []
        if _is_turn(self.first):
            pairs.append(np.stack([regions[0], regions[-1]]))
        if _is_turn(self.second):
            pairs.append(np.stack([regions[:, 0], regions[:, -1]]))
        joined = np.hstack([*pairs, np.empty((2, 0), dtype=regions.dtype)])
        joined = joined[:, (joined > 0).all(axis=0)]
        count = regions.max() + 1
        graph = coo_array((np.ones(joined.shape[1]), tuple(joined)), shape=(count, count))
        group = connected_components(graph, directed=False)[1]
        one, two = regions[self._cell(a)], regions[self._cell(b)]
        return bool(one > 0 and two > 0 and group[one] == group[two])

    def _cell(self, q: ArrayLike) -> tuple[int, int]:
        """Return the cell nearest to a pair of positions."""
        cell = []
        for position, values in zip(np.asarray(q), (self.first, self.second), strict=True):
            if _is_turn(values):
                position = values[0] + (position - values[0]) % TURN
            cell.append(int(np.abs(values - position).argmin()))
        return cell[0], cell[1]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the map to a .npz file."""
        np.savez_compressed(
            path,
            names=np.array(self.names),
            first=self.first,
            second=self.second,
            blocked=np.packbits(self.blocked, axis=1),
            made_for=np.array(self.made_for),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConfigurationMap:
        """Return the map in a file; raises PlanningError for other files."""
        try:
            with np.load(path, allow_pickle=False) as data:
                first, second = data["first"], data["second"]
                columns = len(second)
                blocked = np.unpackbits(data["blocked"], axis=1, count=columns).astype(bool)
                one, two = (str(name) for name in data["names"])
                made = cls((one, two), first, second, blocked, str(data["made_for"]))
        except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise PlanningError(f"{path}: not a map of two joints: {error}") from error
        if made.blocked.shape != (len(made.first), len(made.second)):
            raise PlanningError(f"{path}: the map's parts do not fit together")
        return made


def _is_turn(values: Array) -> bool:
    return bool(abs(values[-1] - values[0] - TURN) < 1e-9)


def saved_map(
    path: str | os.PathLike[str], made_for: str, make: Callable[[], ConfigurationMap]
) -> tuple[ConfigurationMap, bool]:
    """Return a file's map, and True, if it matches ``made_for``; else compute and save it.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker
        >>> checker = CollisionChecker(load_robot("planar_two_link"))
        >>> made = map_joints(checker, [0, 0], ("joint_1", "joint_2"), cells=(21, 21))
        >>> read = saved_map("arm.npz", made.made_for, lambda: made)[1]
        >>> saved_map("arm.npz", made.made_for, lambda: made)[1]  # the second time
        True
    """
    if os.path.isfile(path):
        try:
            found = ConfigurationMap.load(path)
        except PlanningError:
            found = None
        if found is not None and found.made_for == made_for:
            return found, True
    made = make()
    made.save(path)
    return made, False


def map_joints(
    checker: CollisionChecker,
    configuration: ArrayLike,
    joints: tuple[str, str],
    cells: tuple[int, int] = (CELLS, CELLS),
) -> ConfigurationMap:
    """Map two joints of a robot in its scene, within their limits or over a whole turn.

    Args:
        checker: the robot and the scene.
        configuration: positions of all other joints.
        joints: two independent joints of one position each.
        cells: number of positions of each, the first and the last at the limits.

    Raises ConfigurationError for an unknown joint, PlanningError for one of several positions.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
        >>> q = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
        >>> found = map_joints(checker, q, ("panda_joint1", "panda_joint2"), cells=(21, 21))
        >>> print(found.blocked.shape, found.connected((1.0, 0.3), (-1.0, 0.3)))
        (21, 21) True
    """
    q = configuration_vector(checker.compiled, configuration)
    space = Space.of_robot(checker.compiled, joints).around([q])
    slots = [checker.compiled.joint_slots[name] for name in joints]
    if len(set(joints)) != 2 or any(count != 1 for _, count in slots):
        raise PlanningError(f"a map needs two different joints of one position each, not {joints}")
    (row, _), (column, _) = slots
    first, second = (
        np.linspace(space.lower[k], space.upper[k], count)
        for k, count in zip((row, column), cells, strict=True)
    )
    blocked = np.empty(cells, dtype=np.bool_)
    batch = np.tile(q, (len(second), 1))
    batch[:, column] = second
    for i, position in enumerate(first):
        batch[:, row] = position
        blocked[i] = ~checker.is_free_batch(batch)
    made_for = f"{checker.fingerprint} at {q.tolist()}, {joints}, {cells}"
    return ConfigurationMap(joints, first, second, blocked, made_for)
