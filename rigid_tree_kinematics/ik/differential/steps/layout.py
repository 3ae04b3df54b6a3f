"""The arrays of a step: n bodies, nq positions, nv velocities, R rows."""

from typing import NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.ik.differential.steps.quadratic_program import (
    CONSTRAINTS,
    INDICES,
    WORK,
    Constraints,
    SolverWork,
    solver_work,
)
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, READ_2D, TABLE, VECTOR, types
from rigid_tree_kinematics.kinematics.topology import KINDS
from rigid_tree_kinematics.model import CompiledTree

# Columns of ``tasks``, which are sorted by priority; priority 0 is an equality.
POSE, POSTURE, VELOCITY, CENTER_OF_MASS, LOOK_AT, POSE_BY_TARGET = range(6)
KIND, PRIORITY, BODY, ROOT = range(4)
TASK_COLUMNS = 4
# Columns of ``numbers``.
GAIN = 0
LM_DAMPING = 1
FOLLOWS = 2  # 1 if PREVIOUS is the target of the step before
COST = 3  # 6 numbers
ERROR = 9  # 6 numbers, m and rad, at Program.ahead
FRAME = 15  # 12 numbers: T_body_frame
TARGET = 27  # 12 numbers: T_root_target; a point is its translation
PREVIOUS = 39  # 12 numbers
VALUES = 51  # (nq + nv) of a task of joints: target positions or velocities, costs
# Columns of ``joints``, one row for each velocity.
LOWER, UPPER, SPEED, ACCELERATION, SLOT, FREE, CIRCULAR = range(7)
JOINT_COLUMNS = 7
# Columns of ``planes``: a point of a body stays where normal * point >= offset.
PLANE_BODY = 0
PLANE_POINT = 1  # 3 numbers, body frame
PLANE_NORMAL = 4  # 3 numbers, base frame
PLANE_OFFSET = 7
PLANE_RATE = 8  # 1/s
PLANE_COLUMNS = 9
# Columns of ``goals``, one row for each row of A: the velocity of the target, the velocity that
# removes the error, the cost, and the column of the only 1 in the row, or -1.
FEED, REMOVE, WEIGHT, UNIT = range(4)
GOAL_COLUMNS = 4
# The state after a step: q, v, the status, each velocity's limit, each barrier's activity.
FOLLOWED, RELAXED, BRAKED = range(3)
DAMPING, PERIOD, ITERATIONS = range(3)  # entries of Program.settings
NEAR, EQUALITIES = range(2)  # entries of Program.counts
NO_LIMIT, AT_POSITION, AT_VELOCITY, AT_ACCELERATION = range(4)  # negative for lower limits


class Program(NamedTuple):
    """Constants, targets and work space of steps."""

    table: Array  # (n, 34) the compiled tree
    kinds: Integers  # (nq,)
    mass: Array  # (n,)
    center: Array  # (n, 3)
    tasks: Integers  # (T, TASK_COLUMNS)
    numbers: Array  # (T, VALUES + nq + nv)
    joints: Array  # (nv, JOINT_COLUMNS)
    planes: Array  # (K, PLANE_COLUMNS)
    near: Array  # (P, nv) gradients of the distances of near bodies
    near_low: Array  # (P,) least rates of these distances, m/s
    counts: Integers  # (2,) number of near pairs, and of rows of equalities
    settings: Array  # (3,): damping, s of a step, iterations
    guess: Array  # (nv,) velocity, 0 at first
    ahead: Array  # (nq,) where the guess leads
    frames: Array  # (n, 4, 4) there
    start_frames: Array  # (n, 4, 4) at the start of the step
    moments: Array  # (n, 4)
    com: Array  # (3, 1 + nv)
    J: Array  # (6, nv)
    constraints: Constraints  # of nv + 1 variables and R rows
    goals: Array  # (R, GOAL_COLUMNS)
    H: Array  # (nv + 1, nv + 1)
    g: Array  # (5, nv + 1): of feed, of remove, of both; minimum of remove, last solution
    reasons: Array  # (2, nv) which limit is the lower and the upper bound
    shift: Array  # (nq,)
    work: SolverWork


PROGRAM = types.NamedTuple(
    (
        TABLE, KINDS, READ_1D, READ_2D, types.int64[:, ::1], *[MATRIX] * 4, VECTOR, INDICES,
        *[VECTOR] * 3, *[BATCH] * 2, *[MATRIX] * 3, CONSTRAINTS, *[MATRIX] * 4, VECTOR, WORK,
    ),
    Program,
)  # fmt: skip


def make_program(
    compiled: CompiledTree,
    tasks: Integers,
    numbers: Array,
    joints: Array,
    planes: Array,
    pairs: int,
    rows: int,
    damping: float,
) -> Program:
    """Return the arrays for tasks with this number of ``rows`` and at most ``pairs`` near ones."""
    nv, bodies = compiled.velocity_count, len(compiled.body_names)
    rows += len(planes) + pairs
    return Program(
        table=compiled.table,
        kinds=compiled.position_kinds,
        mass=compiled.mass,
        center=compiled.center_of_mass,
        tasks=tasks,
        numbers=numbers,
        joints=joints,
        planes=planes,
        near=np.zeros((pairs, nv)),
        near_low=np.zeros(pairs),
        counts=np.zeros(2, dtype=np.int64),
        settings=np.array([damping, 0.0, 1.0]),
        guess=np.zeros(nv),
        ahead=np.zeros(compiled.position_count),
        frames=np.zeros((bodies, 4, 4)),
        start_frames=np.zeros((bodies, 4, 4)),
        moments=np.zeros((bodies, 4)),
        com=np.zeros((3, 1 + nv)),
        J=np.zeros((6, nv)),
        constraints=Constraints(
            low=np.zeros(nv + 1),
            high=np.zeros(nv + 1),
            A=np.zeros((rows, nv + 1)),
            row_low=np.zeros(rows),
            row_high=np.zeros(rows),
        ),
        goals=np.zeros((rows, GOAL_COLUMNS)),
        H=np.zeros((nv + 1, nv + 1)),
        g=np.zeros((5, nv + 1)),
        reasons=np.zeros((2, nv)),
        shift=np.zeros(compiled.position_count),
        work=solver_work(nv + 1),
    )
