"""The descents and the search with restarts, as kernels."""

from rigid_tree_kinematics.ik.search.search import (
    GIVE_UP,
    RESUME,
    START,
    check,
    search,
    search_batch,
    work_size,
)
