"""Memory that is not needed any more, given back to the system."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import threading

DELAY = 1.0  # s after a large message, when nothing of it is in use any more

_due = threading.Event()  # set while a thread waits to give memory back


def give_back_soon(delay: float = DELAY) -> None:
    """Call ``give_back`` in a thread, ``delay`` seconds from now, unless a call is due already."""
    if not _due.is_set():
        _due.set()
        timer = threading.Timer(delay, _give_back_now)
        timer.daemon = True
        timer.start()


def _give_back_now() -> None:
    _due.clear()
    give_back()


def give_back() -> None:
    """Free what refers to itself only, and return free memory to the system.

    glibc keeps what was freed in the middle of its heaps; other C libraries have no such
    function, and no such habit. Takes a tenth of a second or two.
    """
    gc.collect()
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
