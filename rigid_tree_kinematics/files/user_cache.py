"""The user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """Return this package's folder in XDG_CACHE_HOME, or in ~/.cache.

    Raises RuntimeError for a user without a home directory.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    base = Path(home) if home and Path(home).is_absolute() else Path("~/.cache").expanduser()
    return base / "rigid_tree_kinematics"
