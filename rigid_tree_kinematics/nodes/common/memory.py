"""Memory that is not needed any more, given back to the system."""

from __future__ import annotations

import contextlib
import ctypes
import gc


def give_back() -> None:
    """Free what refers to itself only, and return free memory to the system.

    glibc keeps what was freed in the middle of its heaps; other C libraries have no such
    function, and no such habit. Takes a tenth of a second or two.
    """
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
