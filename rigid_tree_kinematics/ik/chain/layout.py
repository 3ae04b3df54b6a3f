"""The layout of the arrays of a search: chain, settings, report and work space.

The settings are one array, whole numbers and flags included, because each further array argument
adds a tenth of a microsecond to a kernel call.
"""

from typing import NamedTuple

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, TABLE, types

# Columns of ``steps``, one row a step and a last row with the transform to the tip.
BEFORE = 0  # 12 numbers: constant transform before the motion
SLIDES = 12  # 1: a slide along z, 0: a turn about z
VARIABLE = 13  # row of ``variables`` that moves this step
STEP_MULTIPLIER = 14  # motion = multiplier * variable + offset
STEP_OFFSET = 15
BALL_BEFORE = 16  # 12 numbers, first step of a ball only: BEFORE = BALL_BEFORE ref BALL_ALIGN
STEP_COLUMNS = 28

# Columns of ``variables``: the free ones first, then the locked ones.
LOWER = 0
UPPER = 1
SAMPLE_LOWER = 2  # range of random starts
SAMPLE_UPPER = 3
ENTRY = 4  # index in the configuration; of the quaternion's x for the three turns of a ball
TURN = 5  # 2 pi if adding it changes no pose of the chain, else 0
BALL = 6  # 0: a plain variable; 1, 2, 3: first, second and third turn of a ball, and negative
#           for a ball that is passed from child to parent
REFERENCE = 7  # index of the ball's reference quaternion, which is stored after the variables
LONGEST = 8  # maximum change in one iteration, in units; inf if the variable only slides
UNIT = 9  # rad or m: moves the tip about as much as a radian of an ordinary joint does
VARIABLE_COLUMNS = 10

# Entries of the settings array. 0 to 5 are the factors of the six errors (rotation x y z, position
# x y z in the target's frame): roots of the weights, those of the position divided by the length
# that is equivalent to a radian.
POSITION_TOLERANCE = 6  # m
ORIENTATION_TOLERANCE = 7  # rad
PARTIAL_ORIENTATION = 8  # 1 if the three orientation weights are not all equal
FREE_COUNT = 9
BASE_ROW = 10
TIP_ROW = 11
METHOD = 12  # index in METHODS
REACH = 13  # m; inf if a position weight is zero, because then the distance is no bound
CENTER = 14  # 3 numbers: origin of the reach, base body's frame
TOOL = 17  # 12 numbers: tool frame in the tip body
LIMITS = 29  # lower limits of the whole configuration, then the upper ones

METHODS = ("lm", "bfgs")
LM, BFGS = range(2)

# Return codes of the kernels.
CONVERGED, UNREACHABLE, UNFINISHED, BAD_TARGET, BAD_SEED = range(5)

# Entries of the report, which is the start of a kernel's work space.
POSITION_ERROR = 0  # m
ORIENTATION_ERROR = 1  # rad
ITERATIONS = 2
RESTARTS = 3
BEST_ERROR = 4  # half the squared weighted error of the best configuration so far
OUT_OF_REACH = 5  # 1 if the target is farther than the stretched chain is long
CUT = 6  # number of entries of the seed outside their limits
CODE = 7  # of a search in a batch
REPORT = 8


class ChainArrays(NamedTuple):
    """Input arrays of a search, which writes the references of ball joints into ``steps``."""

    steps: Array  # (k + 1, STEP_COLUMNS)
    variables: Array  # (n, VARIABLE_COLUMNS)
    table: Array  # of the compiled tree
    settings: Array


CHAIN = types.NamedTuple((MATRIX, TABLE, TABLE, READ_1D), ChainArrays)


class Workspace(NamedTuple):
    """Parts of the work array of a search with n variables, the first f of them free."""

    report: Array  # (REPORT,)
    seed: Array  # (nq,)
    x: Array  # (n or more,) the variables (rad, m), then references of balls
    best: Array  # like x, of the smallest error
    axes: Array  # (k, 6) of the steps, in the target's frame
    J: Array  # (f, 6)
    H: Array  # (f, f) inverse Hessian
    d: Array  # (f,) direction
    g: Array  # (f,) gradient
    base: Array  # (f,) where the direction starts
    y: Array  # (f,) change of the gradient
    Hy: Array  # (f,)
    step: Array  # (f,)
