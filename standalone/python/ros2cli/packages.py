"""Finds packages and their executables in the ament index."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python import PackageNotFoundError, get_package_prefix


def package_prefix(package: str) -> Path:
    """Return where a package is installed; RuntimeError if it is not."""
    try:
        return Path(get_package_prefix(package))
    except (PackageNotFoundError, ValueError):
        raise RuntimeError(f"Package '{package}' not found") from None


def executables(package: str) -> list[Path]:
    """Return the executables in a package's lib folder, sorted."""
    folder = package_prefix(package) / "lib" / package
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and os.access(path, os.X_OK)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts[:-1])
    )
