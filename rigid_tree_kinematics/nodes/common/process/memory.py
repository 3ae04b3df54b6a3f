"""Unused memory, returned to the system."""

import contextlib
import ctypes
import gc
import threading

DELAY = 1.0  # s after a large message, when all of it has been released

_due = threading.Event()  # set while a thread waits to give memory back


def give_back_soon(delay: float = DELAY) -> None:
    """Call ``give_back`` in a thread after ``delay`` seconds, unless a call is already pending."""

    def give_back_now() -> None:
        _due.clear()
        give_back()

    if not _due.is_set():
        _due.set()
        timer = threading.Timer(delay, give_back_now)
        timer.daemon = True
        timer.start()


def give_back() -> None:
    """Free reference cycles, and return free memory to the system, in 0.1 s to 0.2 s."""
    gc.collect()
    give_back_free()


def give_back_free() -> None:
    """Return free memory to the system, while other threads run.

    glibc keeps memory that was freed in the middle of its heaps; other C libraries do not, and
    lack this function.
    """
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
