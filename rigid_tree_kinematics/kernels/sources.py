"""The source files that a kernel is compiled from, and their digest."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from importlib.util import source_hash
from pathlib import Path

_HERE = Path(__file__).resolve().parent
PACKAGE = _HERE.parent
# Files of this folder that do not change what is compiled.
MACHINERY = "build", "compiler", "decorators", "extension", "first_call", "registry", "sources"
# Imports inside functions and under TYPE_CHECKING are indented: no kernel is compiled from them.
_IMPORT = re.compile(rb"^(?:from|import) (rigid_tree_kinematics[\w.]*)", re.MULTILINE)


def sources_of(path: Path) -> list[Path]:
    """Return the source file ``path`` and every file of the package that it imports, sorted.

    Indirect imports are included. Raises OSError if a file cannot be read.
    """
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if source not in found:
            found.add(source)
            waiting.extend(_digest_and_imports(source)[1])
    return sorted(found)


@functools.cache
def sources_digest(path: Path) -> str:
    """Return the digest of all that kernels in the source file ``path`` are compiled from.

    That is the content of ``sources_of(path)``. Raises OSError if a file cannot be read.
    """
    parts = (source.name.encode() + _digest_and_imports(source)[0] for source in sources_of(path))
    return digest_of(b"".join(parts))


def digest_of(content: bytes) -> str:
    """Return a short digest; hashlib would load OpenSSL, 3.5 MB, into every process."""
    return source_hash(content).hex()


@functools.cache
def _digest_and_imports(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return a file's digest and the files of the package that it imports from."""
    content = path.read_bytes()
    modules = {name.decode() for name in _IMPORT.findall(content)}
    files = (file for module in sorted(modules) for file in _files_of(module))
    return source_hash(content), tuple(files)


def _files_of(module: str) -> Iterable[Path]:
    """Return a module's file; all files of a folder, whose names may come from any of them."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    if place == _HERE or (place.parent == _HERE and place.name in MACHINERY):
        return [_HERE / "entry.py", _HERE / "types.py"]
    return place.glob("*.py") if place.is_dir() else [place.with_suffix(".py")]
