"""Random numbers in kernels, without state: the n-th number of the stream of a seed."""

import numpy as np

from rigid_tree_kinematics.kernels import inlined

# Steele, Lea, Flood 2014: SplitMix64, a hash of a counter, which is the only state.
GOLDEN, MIX_1, MIX_2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


@inlined
def uniform(seed: int, count: int) -> float:
    """Return the count-th number in [0, 1) of the stream of a seed."""
    z = np.uint64(seed) * MIX_2 + np.uint64(count + 1) * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * MIX_1
    z = (z ^ (z >> np.uint64(27))) * MIX_2
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53
