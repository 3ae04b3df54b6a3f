"""The conservative level: kernels that prove configurations and motions collision-free."""

from rigid_tree_kinematics.collision.conservative.kernels import (
    FREE,
    free_batch,
    is_clear,
    motion_verdict,
    pair_cleared,
)
from rigid_tree_kinematics.collision.conservative.model import ConservativeLevel
from rigid_tree_kinematics.collision.conservative.pair_maps import of_pair, pair_maps, pairs_apart
from rigid_tree_kinematics.collision.conservative.undecided_kernels import find_undecided
