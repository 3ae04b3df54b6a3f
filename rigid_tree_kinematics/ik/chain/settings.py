"""The constants of one solver as one flat array, and the layout of a kernel's report.

One array, whole numbers and flags included, because every further array argument costs a kernel
call a tenth of a microsecond.
"""

from __future__ import annotations

# Entries of the settings array. 0 to 5 are the factors of the six errors (turn x y z, shift x y
# z in the target's frame): roots of the weights, those of the position divided by the length that
# counts as much as a radian.
POSITION_TOLERANCE = 6  # m
ORIENTATION_TOLERANCE = 7  # rad
PARTIAL_ORIENTATION = 8  # 1 if the three orientation weights are not all equal
FREE_COUNT = 9
BASE_ROW = 10
TIP_ROW = 11
METHOD = 12  # index in METHODS
REACH = 13  # m; inf if a position weight is zero, because then the distance says nothing
CENTER = 14  # 3 numbers: where the reach is measured from, base body's frame
TOOL = 17  # 12 numbers: tool frame in the tip body
LIMITS = 29  # lower limits of the whole configuration, then the upper ones

METHODS = ("lm", "bfgs")

# What a kernel returns.
CONVERGED, UNREACHABLE, UNFINISHED, BAD_TARGET, BAD_SEED = range(5)

# Entries of the report, which is the start of a kernel's work space.
POSITION_ERROR = 0  # m
ORIENTATION_ERROR = 1  # rad
ITERATIONS = 2
RESTARTS = 3
BEST_ERROR = 4  # half the squared weighted error of the best configuration so far
OUT_OF_REACH = 5  # 1 if the target is farther than the stretched chain is long
CUT = 6  # how many entries of the seed were outside their limits
REPORT = 7
