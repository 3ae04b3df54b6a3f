"""Points on paths."""

import itertools

import numpy as np


def straight(path: np.ndarray, step: float = 0.01) -> np.ndarray:
    """Return places on the straight motions of a path, no joint more than a step apart."""
    rows = [path[:1]]
    for first, last in itertools.pairwise(path):
        count = max(1, int(np.ceil(np.abs(last - first).max() / step)))
        rows.append(first + (last - first) * np.linspace(0.0, 1.0, count + 1)[1:, None])
    return np.vstack(rows)
