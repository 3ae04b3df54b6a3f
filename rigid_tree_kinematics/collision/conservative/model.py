"""Assembly of the conservative level's arrays for a set of moving positions."""

from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.pair_maps import NO_MAPS, PairMaps
from rigid_tree_kinematics.collision.lanes import LaneLevel
from rigid_tree_kinematics.collision.robot import Part, moved_rows
from rigid_tree_kinematics.collision.robot.parts import approach, hull_reach
from rigid_tree_kinematics.collision.robot.reach import axis_of, reach_by_row
from rigid_tree_kinematics.collision.shapes import Hull
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.spheres import as_spheres
from rigid_tree_kinematics.collision.world import NO_OBSTACLES, ConservativeModel, World
from rigid_tree_kinematics.collision.world.arrays import Records, empty_world, no_lanes
from rigid_tree_kinematics.kinematics import body_transforms
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.columns import CHILD_TRANSFORM, KIND, PARENT
from rigid_tree_kinematics.model.joints import FIXED, POSITION_COUNTS


class ConservativeLevel:
    """The robot's arrays of the conservative level, to be combined with those of a world.

    ``order`` is the index of each entity's part.
    Only the parts of bodies ``in_world`` are checked against the world; None: of all bodies.
    """

    def __init__(
        self,
        compiled: CompiledTree,
        parts: Sequence[Part],
        pairs: Sequence[tuple[int, int]],
        padding: float,
        maps: PairMaps = NO_MAPS,
        in_world: Collection[int] | None = None,
    ) -> None:
        self._compiled = compiled
        # The bodies farthest from the base are checked first, as they collide most often.
        self.order = order = sorted(range(len(parts)), key=lambda k: -parts[k].row)
        self._parts = [parts[k] for k in order]
        rows = [part.row for part in self._parts]
        self._in_world = np.isin(rows, rows if in_world is None else list(in_world))
        positions = compiled.position_count
        hulls, corners = hull_arrays([h for part in self._parts for h in part.hulls], padding)
        # This pads pairs of parts twice. The exact level decides the additional undecided cases.
        grown = np.array([0.0, 0.0, 0.0, padding])
        bounds = [part.bounding_sphere for part in self._parts]
        spheres = [part.spheres for part in self._parts]
        approaches = [approach(compiled, parts[a], parts[b]) for a, b in pairs]
        products = [len(parts[a].hulls) * len(parts[b].hulls) for a, b in pairs]
        chains, chain_reach = chains_of(compiled, self._parts)
        self._model = ConservativeModel(
            table=np.array(compiled.table),
            rows=np.zeros(0, dtype=np.int64),
            frames=np.zeros((0, 12)),
            entities=self._entities(),
            bounding_spheres=_stacked(bounds, 4) + grown,
            spheres=_stacked(spheres, 4) + grown,
            hulls=hulls,
            corners=corners,
            reach=_stacked([part.reach for part in self._parts], positions),
            pairs=_pair_rows(parts, pairs, order, maps),
            pair_reach=_stacked([whole for whole, _ in approaches], positions),
            hull_reach=_stacked([by_hull for _, by_hull in approaches], positions),
            axes=np.tile([0.0, 0.0, 1.0], (sum(products), 1)),
            world=empty_world(),
            world_reach=_stacked(
                [hull_reach(compiled, part, 0) for part in self._parts], positions
            ),
            maps=maps.maps,
            map_cells=maps.cells,
            chains=chains,
            chain_reach=chain_reach,
            joint_axes=joint_axes(compiled),
            lanes=no_lanes(len(parts)),
        )
        self._lanes = LaneLevel(compiled, self._parts, padding, self._in_world)

    def model(
        self, q: Array, moving: Integers | None = None, world: World = NO_OBSTACLES
    ) -> ConservativeModel:
        """Return the arrays for a robot at ``q``, of which the ``moving`` positions change.

        None means all positions.
        """
        robot = self._model
        moving = np.arange(len(q)) if moving is None else moving
        entities = robot.entities.copy()
        entities["in_world"] = (robot.reach[:, moving] > 0.0).any(axis=1) & self._in_world
        moves = robot.pair_reach > 0.0
        # Bodies fixed to each other are a pair only if that was requested.
        checked = moves[:, moving].any(axis=1) | ~moves.any(axis=1)
        frames = body_transforms(self._compiled, q)
        return robot._replace(
            rows=self._moving_rows(set(moving.tolist())),
            frames=frames[:, :3].reshape(-1, 12).copy(),
            entities=entities,
            pairs=robot.pairs[checked],
            pair_reach=robot.pair_reach[checked],
            world=world.arrays,
            lanes=self._lanes.at(frames, moving),
        )

    def _entities(self) -> Records:
        """Return ``entities`` of the model, all of them checked against the world."""
        spheres = _starts([len(part.spheres) for part in self._parts])
        hulls = _starts([len(part.hulls) for part in self._parts])
        entities = np.ones(len(self._parts), arrays.ENTITY)
        entities["body"] = [part.row for part in self._parts]
        entities["first_sphere"], entities["last_sphere"] = spheres[:-1], spheres[1:]
        entities["first_hull"], entities["last_hull"] = hulls[:-1], hulls[1:]
        return entities

    def _moving_rows(self, moving: set[int]) -> Integers:
        """Return the moving bodies that carry parts, parents first."""
        table = self._model.table
        wanted = set()
        for part in self._parts:
            row = part.row
            while row > 0 and row not in wanted:
                wanted.add(row)
                row = int(table[row, PARENT])
        return np.array(sorted(wanted & moved_rows(self._compiled, moving)), dtype=np.int64)


def _pair_rows(
    parts: Sequence[Part], pairs: Sequence[tuple[int, int]], order: Sequence[int], maps: PairMaps
) -> Records:
    """Return ``pairs`` of the model, in its order of entities."""
    place = {k: number for number, k in enumerate(order)}
    counts = [(len(parts[a].hulls), len(parts[b].hulls)) for a, b in pairs]
    rows = np.zeros(len(pairs), arrays.PAIR)
    rows["one"], rows["two"] = [place[a] for a, _ in pairs], [place[b] for _, b in pairs]
    rows["reach"] = _starts([one + two for one, two in counts])[:-1]
    rows["axes"] = _starts([one * two for one, two in counts])[:-1]
    rows["map"] = [maps.row_of.get(pair, -1) for pair in pairs]
    return rows


def hull_arrays(hulls: Sequence[Hull], padding: float) -> tuple[Records, Array]:
    """Return ``hulls`` and ``corners`` of a ConservativeModel."""
    rows = np.zeros(len(hulls), arrays.HULL)
    starts = _starts([len(hull.corners) for hull in hulls])
    rows["first_corner"], rows["last_corner"] = starts[:-1], starts[1:]
    for row, hull in zip(rows, hulls, strict=True):
        row["sphere"] = enclosing_sphere(as_spheres(hull.corners))
        row["radius"] = hull.radius + padding
        row["sphere"][3] += hull.radius + padding
    return rows, _stacked([hull.corners for hull in hulls], 3)


def _stacked(blocks: Sequence[Array], columns: int) -> Array:
    """Return rows and blocks of rows stacked vertically; there may be none."""
    return np.vstack([np.zeros((0, columns)), *blocks])


def _starts(counts: Sequence[int]) -> Integers:
    """Return the first row of each stacked block, and the end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def joint_axes(compiled: CompiledTree) -> Array:
    """Return each body's joint axis as a point and a direction in the body's frame, (n, 6).

    They do not depend on the configuration. For a prismatic joint only the direction is valid;
    for joints of several positions the row is ignored.
    """
    lines = np.zeros((len(compiled.table), 6))
    for line, entry in zip(lines, compiled.table, strict=True):
        child = entry[CHILD_TRANSFORM : CHILD_TRANSFORM + 12].reshape(3, 4)
        line[:3] = -child[:, :3].T @ child[:, 3]
        line[3:] = child[:, :3].T @ axis_of(entry)
    return lines


def chains_of(compiled: CompiledTree, parts: Sequence[Part]) -> tuple[Integers, Array]:
    """Return ``chains`` and ``chain_reach`` of a ConservativeModel."""
    chains = [_chain(compiled, part) for part in parts]
    longest = max(map(len, chains), default=0)
    rows = np.full((len(chains), longest), -1, dtype=np.int64)
    reaches = np.zeros((len(chains), longest))
    for number, chain in enumerate(chains):
        for place, (row, reach) in enumerate(chain):
            rows[number, place], reaches[number, place] = row, reach
    return rows, reaches


@lru_cache(maxsize=4096)
def _chain(compiled: CompiledTree, part: Part) -> list[tuple[int, float]]:
    """Return the bodies whose joints move a part, up to the base, with their reach."""
    chain = []
    for row, reach in reach_by_row(compiled, part.row, part.spheres):
        kind = int(compiled.table[row, KIND])
        if kind != FIXED:
            chain.append((row, float(reach.sum()) if POSITION_COUNTS[kind] == 1 else 0.0))
    return chain
