"""Keeping Numba's cache true to the sources.

Numba looks only at the file that a cached kernel stands in. What is inlined into it from other
files may have changed since, after an edit or an update: then the kernel is compiled anew.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def discard_stale_kernels(package: Path = PACKAGE) -> int:
    """Remove the cached kernels that are older than a source of kernels; return how many."""
    newest = max((path.stat().st_mtime for path in _kernel_sources(package)), default=0.0)
    stale = [
        index for index in package.glob("*/__pycache__/*.nbi") if index.stat().st_mtime < newest
    ]
    for index in stale:
        index.unlink(missing_ok=True)  # another process may be doing the same
    return len(stale)


def _kernel_sources(package: Path) -> list[Path]:
    """Return the files with code, or columns of tables, that kernels are made of."""
    sources = package.glob("*/*.py")
    return [
        path for path in sources if path.name == "compiled.py" or b"numba" in path.read_bytes()
    ]
