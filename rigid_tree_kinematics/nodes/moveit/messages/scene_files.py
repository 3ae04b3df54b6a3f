"""Scene files that services write and read.

Any client on the network can send such a request: it can overwrite scene files only.
"""

from __future__ import annotations

import os
from pathlib import Path

from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.files import read_plain_file

SUFFIX = ".scene"
LARGEST = 50_000_000  # bytes of a file that is read


def write_scene_file(name: str, text: str) -> Path:
    """Write a text, completely or not at all; return the path. CollisionError if that fails."""
    path = _path(name)
    if path.suffix != SUFFIX:
        raise CollisionError(f"'{name}': the name of a scene's file ends in {SUFFIX}")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
        part.replace(path)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        raise CollisionError(f"cannot write '{path}': {error}") from error
    return path


def read_scene_file(name: str) -> tuple[str, Path]:
    """Return the text of a regular file and its path; CollisionError if that fails."""
    path = _path(name)
    try:
        return read_plain_file(path, LARGEST).decode(), path
    except (OSError, ValueError) as error:  # ValueError: not UTF-8
        raise CollisionError(f"cannot read '{path}': {error}") from error


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise CollisionError(f"'{name}' is not a path: {error}") from error
