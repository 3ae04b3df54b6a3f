"""Reading files that others name: regular ones only, and no more of them than a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

LARGEST_TEXT = 32 << 20  # bytes of a description, a scene or an SRDF


def read_plain_file(path: str | Path, most: int = LARGEST_TEXT) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Nothing else is waited for: a FIFO or a device is refused at once. Raises OSError.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is not a regular file", str(path))
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"this file has more than {most} bytes", str(path))
    return content
