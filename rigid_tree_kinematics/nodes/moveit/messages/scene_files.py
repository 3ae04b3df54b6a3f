"""Files that services are told to write and read: which, and how large they may be.

A request comes from anybody on the network, and so it writes scenes only: over no other file.
"""

from __future__ import annotations

import os
from pathlib import Path

from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.files import read_plain_file

SUFFIX = ".scene"
LARGEST = 50_000_000  # bytes that are read


def write_scene_file(name: str, text: str) -> Path:
    """Write a text as a whole or not at all; return where. CollisionError says why not."""
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
    """Return the text of a plain file, and where it is; CollisionError says why not."""
    path = _path(name)
    try:
        return read_plain_file(path, LARGEST).decode(), path
    except (OSError, ValueError) as error:  # ValueError: not UTF-8
        raise CollisionError(f"cannot read '{path}': {error}") from error


def _path(name: str) -> Path:
    try:
        return Path(name).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise CollisionError(f"'{name}' is no path: {error}") from error
