"""Numba's cache on disk, keyed by the content of everything that a kernel is compiled from.

Numba looks only at the file that a kernel is defined in, but the functions and constants that the
kernel takes from other files are compiled into it as well. Here the names of a kernel's files in
the cache hold a digest of its own source file and of all files of this package that this one
imports, directly or not: a kernel whose sources changed is never found again. Where the files lie
is left to Numba: in NUMBA_CACHE_DIR if set, else in ``__pycache__`` beside the source, else in the
user's cache folder. Without a cache the kernels are compiled in memory at every start. A cache
runs as a program does: a folder in which another user can write is not used (``trusted_files``).

Processes that start together do not compile the same kernel twice: the others wait for the first.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import inspect
import logging
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from rigid_tree_kinematics.files import check_folder

PACKAGE = Path(__file__).resolve().parents[1]
# Imports inside functions and under TYPE_CHECKING are indented: no kernel is compiled from them.
_IMPORT = re.compile(rb"^(?:from|import) (rigid_tree_kinematics[\w.]*)", re.MULTILINE)


def sources_of(path: Path) -> list[Path]:
    """Return the source file ``path`` and every file of the package that it imports, sorted.

    Imports of imports count as well. Raises OSError if a file cannot be read.
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

    That is the content of ``sources_of(path)`` and the versions of the compilers. Raises OSError
    if a file cannot be read.
    """
    total = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for source in sources_of(path):
        total.update(source.name.encode() + _digest_and_imports(source)[0])
    return total.hexdigest()[:16]


@functools.cache
def _digest_and_imports(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return a file's digest and the files of the package that it imports from."""
    content = path.read_bytes()
    modules = {name.decode() for name in _IMPORT.findall(content)}
    files = (file for module in sorted(modules) for file in _files_of(module))
    return hashlib.sha256(content).digest(), tuple(files)


def _files_of(module: str) -> Iterable[Path]:
    """Return a module's file; all files of a package, whose names may come from any of them."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    return place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]


class _KernelFiles(CompileResultCacheImpl):
    """Which files hold the cache of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Resolved: an installed package may link to its sources, which are the same kernels.
        self._digest = sources_digest(Path(inspect.getfile(function)).resolve())
        super().__init__(function)
        # Numba's stamp of the source file adds nothing but, in some versions, its date.
        self.locator.get_source_stamp = lambda: self._digest
        folder = Path(self.locator.get_cache_path()).resolve()
        check_folder(folder)
        self.locator.get_cache_path = lambda: str(folder)  # that was checked, wherever links lead

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return what the names of all files of the kernel begin with."""
        return f"{super().get_filename_base(fullname, abiflags)}-{self._digest}"

    def remove_older(self) -> None:
        """Remove the kernel's files that were compiled from other sources.

        A process that runs on such sources has the kernel in memory already, or compiles it.
        """
        kernel, _, python = self.filename_base.rpartition("-")[0].rpartition(".")
        kernel = kernel.rpartition("-")[0]  # without the line, which changes with the source
        for path in Path(self.locator.get_cache_path()).glob(f"{kernel}-*.{python}[-.]*nb[ic]"):
            if not path.name.startswith(self.filename_base):
                path.unlink(missing_ok=True)


class KernelCache(FunctionCache):
    """The cache of one kernel; whatever is wrong with its files, the kernel is only compiled.

    A kernel that the cache does not have is compiled by one process at a time: the others wait
    for it. ``alone`` ends when the kernel is compiled.
    """

    _impl_class = _KernelFiles

    def __init__(self, function: Callable[..., Any], alone: contextlib.ExitStack) -> None:
        super().__init__(function)
        self._source = Path(inspect.getfile(function))
        self._alone = alone

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None if the cache does not have it or cannot be read."""
        found = self._read(sig, target_context)
        if found is None:
            _say_once("Compiling kernels, once; this takes up to a minute.")
            self._wait_for_others()
            found = self._read(sig, target_context)
        return found

    def _read(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything when it is unpickled
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def _wait_for_others(self) -> None:
        """Lock the kernel's source file, which every process can read."""
        # Some file systems cannot lock: then a kernel may be compiled twice, which is harmless.
        with contextlib.suppress(OSError):
            source = self._alone.enter_context(self._source.open("rb"))
            fcntl.flock(source, fcntl.LOCK_EX)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, and remove those of the same name from other sources."""
        try:
            super().save_overload(sig, data)
            self._impl.remove_older()
        except OSError as error:
            _warn(error)


def compile_or_load(dispatcher: Any, signature: Any) -> None:
    """Compile Numba's ``dispatcher`` for a signature, or load what was compiled before.

    What is compiled is kept if there is a folder for that. Raises Numba's errors if it cannot be
    compiled.
    """
    with contextlib.ExitStack() as alone:
        try:
            dispatcher._cache = KernelCache(dispatcher.py_func, alone)
        except (OSError, RuntimeError) as error:  # RuntimeError: no folder can be written
            _warn(error)
        dispatcher.compile(signature)


def _warn(error: Exception) -> None:
    _say_once(
        "Kernels are compiled again at every start, which takes up to a minute, because they "
        "cannot be cached (%s). Set NUMBA_CACHE_DIR to a folder that you alone can write.",
        error,
    )


_said: set[str] = set()


def _say_once(message: str, *details: object) -> None:
    """Log a message once in a process, with the details of its first cause."""
    if message not in _said:
        _said.add(message)
        logging.getLogger(__name__).warning(message, *details)
