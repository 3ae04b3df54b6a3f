"""SIMD vectors of numbers, in vector registers: four of float64, or sixteen of float32.

``+``, ``-``, ``*`` and ``/`` work lane by lane, also with a float for all lanes, so functions of
``motion.py`` that only calculate accept lanes instead of numbers. LLVM does not vectorize loops
over many arrays that might overlap, so the vector instructions are explicit. These functions are
declarations: only kernels can call them.
"""

from typing import Any

from rigid_tree_kinematics.kernels import instruction

WIDTH, WIDE = 4, 16  # numbers of float64, and of float32
INSTRUCTIONS = "rigid_tree_kinematics.kernels.lanes.instructions"


@instruction(INSTRUCTIONS)
def lanes_of(a: float, b: float, c: float, d: float) -> Any:
    """Return four floats as lanes."""


@instruction(INSTRUCTIONS)
def sixteen(first: float, step: float) -> Any:
    """Return sixteen float32 numbers with equal steps as lanes."""


@instruction(INSTRUCTIONS)
def floor_of(a: Any) -> Any:
    """Return the greatest whole number up to each lane."""


@instruction(INSTRUCTIONS)
def absolute(a: Any) -> Any:
    """Return the absolute value of each lane."""


@instruction(INSTRUCTIONS)
def root_of(a: Any) -> Any:
    """Return the square root of each lane."""


@instruction(INSTRUCTIONS)
def above_zero(a: Any) -> Any:
    """Return each lane, with negative values replaced by 0."""


@instruction(INSTRUCTIONS)
def before(a: Any) -> Any:
    """Return each lane's predecessor; the first lane keeps its own value."""


@instruction(INSTRUCTIONS)
def any_less(a: Any, b: Any) -> bool:
    """Return whether any lane is less than a number, or than the same lane of ``b``."""
    return False


@instruction(INSTRUCTIONS)
def where_less(a: Any, b: float, yes: Any, no: Any) -> Any:
    """Return ``yes`` in the lanes where a < b, ``no`` in the others."""


@instruction(INSTRUCTIONS)
def transposed(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return four lanes of four: the first of each, the second of each, and so on."""


@instruction(INSTRUCTIONS)
def load_lanes(array: Any, index: int) -> Any:
    """Return neighbors in a C-contiguous array, by the first one's number: four or sixteen.

    Nothing is checked.
    """


@instruction(INSTRUCTIONS)
def store_lanes(array: Any, index: int, value: Any) -> None:
    """Write neighbors in a C-contiguous array, four or sixteen; nothing is checked."""


@instruction(INSTRUCTIONS)
def prefetch(array: Any, index: int) -> None:
    """Prefetch the cache line of an entry of a float64 vector for writing."""
