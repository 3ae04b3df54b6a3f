"""How fast joints may move so that they stop in time.

All joints speed up and slow down together, in the proportions of their velocities, so that the
tip keeps its way; the joint that needs longest sets the pace.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def stopping_time(velocity: Array, acceleration: float) -> float:
    """Return how long (s) joints with these velocities (k,) take to stop."""
    return float(np.abs(velocity).max(initial=0.0)) / acceleration


def share_that_stops(room: Array, rate: Array, time: float, period: float) -> Array:
    """Return the largest shares (n,) of a velocity that end within a room.

    With the share s, what moves at ``rate`` goes s * rate * period until the next step, and then
    s * rate * s * time / 2 while it slows down; s solves that this is the room.

    Args:
        room: (n,) rad or m, that is left.
        rate: (n,) rad/s or m/s, above 0 where the room shrinks; elsewhere the share is 1.
        time: s, that the whole velocity takes to stop.
        period: s, of a step.
    """
    shares = np.ones(len(room))
    nearing = rate > 0.0
    left = np.maximum(room[nearing], 0.0) / rate[nearing]
    if time > 0.0:
        found = (np.sqrt(period**2 + 2.0 * time * left) - period) / time
    else:
        found = left / period
    shares[nearing] = np.minimum(found, 1.0)
    return shares
