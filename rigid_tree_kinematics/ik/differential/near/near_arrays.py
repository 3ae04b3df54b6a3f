"""Arrays of near bodies.

This file and ``kernels.py`` are the only ones that read the arrays of the collision checker.
"""

from typing import NamedTuple

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.world.arrays import Records, WorldArrays, empty_model
from rigid_tree_kinematics.ik.differential.near.closest_points import SIMPLEX_COLUMNS
from rigid_tree_kinematics.ik.differential.steps.layout import Program
from rigid_tree_kinematics.kernels import BATCH, MATRIX, TABLE, VECTOR, types
from rigid_tree_kinematics.kernels.types import type_of
from rigid_tree_kinematics.kinematics.topology import KINDS
from rigid_tree_kinematics.model import CompiledTree

ROBOT_PAIR, OTHER = -1, -2  # in place of an obstacle's row


class Bodies(NamedTuple):
    """The robot and the world; see ``ConservativeModel``."""

    table: Array
    kinds: Integers
    entities: Records
    bounding_spheres: Array
    spheres: Array
    hulls: Records
    corners: Array
    reach: Array
    pairs: Records
    pair_reach: Array
    world: WorldArrays


class NearRows(NamedTuple):
    """Rows of near bodies (at most P), and work space."""

    settings: Array  # (5,): see below
    accelerations: Array  # (nv,)
    gradients: Array  # (P, nv) of the distances
    low: Array  # (P,) least rates of the distances, m/s
    bodies: Integers  # (P, 3) two rows of bodies, or a body, the base and the obstacle's row
    counts: Integers  # (2,) number of rows, see ``Program``
    clear: Array  # (E + C,) lower bounds of the distances, of entities from the world first
    last: Array  # (nq,) the configuration that they belong to
    shift: Array  # (nq,)
    frames: Array  # (n, 4, 4)
    simplex: Array  # (4, SIMPLEX_COLUMNS)
    axis: Array  # (3,)
    axes: Array  # (C, 3) the last directions of the pairs' distances
    floors: Array  # (C,) least distances of the pairs; infinite before they are known
    points: Array  # (2, 3)


# Entries of NearRows.settings: minimum distances of the robot's bodies to each other and to the
# scene, distance of near bodies (m), rate (1/s), period (s).
MINIMUM, SCENE_MINIMUM, WITHIN, RATE, PERIOD = range(5)


def bodies_of(compiled: CompiledTree, model: arrays.ConservativeModel) -> Bodies:
    """Return the arrays for a robot in its scene, all of whose positions can move."""
    fields = set(Bodies._fields) - {"table", "kinds"}
    own = {name: getattr(model, name) for name in fields}
    return Bodies(table=compiled.table, kinds=compiled.position_kinds, **own)


def near_rows(
    compiled: CompiledTree, bodies: Bodies, accelerations: Array, program: Program
) -> NearRows:
    """Return the rows of a program, with work space. ``accelerations`` (nv,) are the limits."""
    nq, most = compiled.position_count, len(program.near)
    return NearRows(
        settings=np.zeros(5),
        accelerations=accelerations,
        gradients=program.near,
        low=program.near_low,
        bodies=np.zeros((most, 3), dtype=np.int64),
        counts=program.counts,
        clear=np.zeros(len(bodies.entities) + len(bodies.pairs)),
        last=np.zeros(nq),
        shift=np.zeros(nq),
        frames=np.zeros((len(compiled.body_names), 4, 4)),
        simplex=np.zeros((4, SIMPLEX_COLUMNS)),
        axis=np.zeros(3),
        axes=np.tile([0.0, 0.0, 1.0], (len(bodies.pairs), 1)),
        floors=np.full(len(bodies.pairs), np.inf),
        points=np.zeros((2, 3)),
    )


_MODEL = empty_model(1)
BODIES = types.NamedTuple(
    (TABLE, KINDS, *(type_of(getattr(_MODEL, name)) for name in Bodies._fields[2:])), Bodies
)
_INDICES, _ROWS = types.int64[::1], types.int64[:, ::1]
NEAR = types.NamedTuple(
    (
        VECTOR, VECTOR, MATRIX, VECTOR, _ROWS, _INDICES, *[VECTOR] * 3, BATCH, MATRIX, VECTOR,
        MATRIX, VECTOR, MATRIX,
    ),
    NearRows,
)  # fmt: skip
