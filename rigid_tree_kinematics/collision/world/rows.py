"""An array with blocks of rows that are added and removed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """An array that grows and reuses rows. Growing replaces ``array``."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        self.used = 0  # rows, free ones included
        self.free = 0
        self._gaps: dict[int, list[int]] = {}  # first rows of free blocks, by their length

    def copy(self) -> Rows:
        """Return an independent copy."""
        twin = Rows(self.array.copy())
        twin.used, twin.free = self.used, self.free
        twin._gaps = {length: list(begins) for length, begins in self._gaps.items()}
        return twin

    def take(self, count: int) -> int:
        """Allocate a block of ``count`` rows; return the first."""
        fitting = [length for length, begins in self._gaps.items() if begins and length >= count]
        if fitting:
            length = min(fitting)
            first = self._gaps[length].pop()
            self.free -= length
            if length > count:
                self.give(first + count, length - count)
            return first
        first = self.used
        self.used += count
        if self.used > len(self.array):
            grown = np.zeros((max(2 * first, self.used), *self.array.shape[1:]), self.array.dtype)
            grown[:first] = self.array[:first]
            self.array = grown
        return first

    def put(self, block: NDArray[Any]) -> tuple[int, int]:
        """Write a block into free rows; return the first row and the end."""
        first = self.take(len(block))
        last = first + len(block)
        self.array[first:last] = block
        return first, last

    def give(self, first: int, count: int) -> None:
        """Free a block."""
        if count:
            self._gaps.setdefault(count, []).append(first)
            self.free += count
