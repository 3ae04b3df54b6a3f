"""Numba's disk cache, keyed by the content of all sources of a kernel.

Numba only checks the file in which a kernel is defined, but functions and constants from other
files are compiled into the kernel as well. Here the names of a kernel's cache files contain a
digest of its source file and of all files of this package that it imports, directly or not: an
outdated kernel is never loaded. Numba chooses the folder: NUMBA_CACHE_DIR if set, else
``__pycache__`` beside the source, else the user's cache folder, which is always used for a package
that pip installed. Without a cache the kernels are compiled in memory at every start. Cache files
are executed like programs: a folder that other users can write to is not used (``files.py``).

Processes that start together do not compile the same kernel twice: the others wait for the first.
"""

import contextlib
import fcntl
import functools
import inspect
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba

from rigid_tree_kinematics.files import check_folder
from rigid_tree_kinematics.kernels.compiler import dispatcher_of, numba_signature
from rigid_tree_kinematics.kernels.extension import is_from_pip, make_folder, users_folder
from rigid_tree_kinematics.kernels.numba_private import (
    CompileResultCacheImpl,
    FunctionCache,
    use_cache,
)
from rigid_tree_kinematics.kernels.registry import Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE, digest_of, sources_digest

LINE_PERIOD = 10.0  # s between lines in a log
BAR = 20  # characters of the bar on a terminal


class _KernelFiles(CompileResultCacheImpl):
    """The cache files of one kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # Resolved: an installed package may link to its sources, which are the same kernels.
        versions = f"{numba.__version__} {llvmlite.__version__}"
        sources = sources_digest(Path(inspect.getfile(function)).resolve())
        self._digest = digest_of(f"{versions} {sources}".encode())
        super().__init__(function)
        # Numba's stamp of the source file only adds, in some versions, its date.
        self.locator.get_source_stamp = lambda: self._digest
        folder = Path(self.locator.get_cache_path()).resolve()
        if is_from_pip() and "NUMBA_CACHE_DIR" not in os.environ:
            make_folder(users_folder())
            folder = users_folder() / function.__module__
            folder.mkdir(exist_ok=True)
        check_folder(folder)
        self.locator.get_cache_path = lambda: str(folder)  # the checked folder, without links

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return the common prefix of the kernel's file names."""
        return f"{super().get_filename_base(fullname, abiflags)}-{self._digest}"

    def remove_older(self) -> None:
        """Remove the kernel's outdated files.

        A process with older sources has the kernel in memory already, or compiles it.
        """
        kernel, _, python = self.filename_base.rpartition("-")[0].rpartition(".")
        kernel = kernel.rpartition("-")[0]  # without the line, which changes with the source
        for path in Path(self.locator.get_cache_path()).glob(f"{kernel}-*.{python}[-.]*nb[ic]"):
            if not path.name.startswith(self.filename_base):
                path.unlink(missing_ok=True)


class KernelCache(FunctionCache):
    """The cache of one kernel; the kernel is compiled if its files are unusable.

    A missing kernel is compiled by one process, while others wait. ``complete`` is called before
    the compilation; ``alone`` is closed after it.
    """

    _impl_class = _KernelFiles

    def __init__(
        self,
        function: Callable[..., Any],
        complete: Callable[[], None],
        alone: contextlib.ExitStack,
    ) -> None:
        super().__init__(function)
        self._source = Path(inspect.getfile(function))
        self._complete = complete
        self._alone = alone

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None if it is not in the cache or unreadable."""
        found = self._read(sig, target_context)
        if found is None:
            _progress.begin_kernel(self._py_func)
            self._wait_for_others()
            found = self._read(sig, target_context)
        if found is None:
            self._complete()
        return found

    def _read(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling a damaged file can raise any exception
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def _wait_for_others(self) -> None:
        """Lock the kernel's source file, which every process can open."""
        # Some file systems cannot lock: then a kernel may be compiled twice, which is harmless.
        with contextlib.suppress(OSError):
            source = self._alone.enter_context(self._source.open("rb"))
            fcntl.flock(source, fcntl.LOCK_EX)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled kernel, and remove outdated ones with the same name."""
        try:
            super().save_overload(sig, data)
            self._impl.remove_older()
        except OSError as error:
            _warn(error)


def compile_or_load(kernel: Kernel) -> Any:
    """Return Numba's dispatcher of a kernel, compiled or loaded from the cache.

    A compiled kernel is cached if there is a folder for it. Raises Numba's errors.
    """
    dispatcher, complete = dispatcher_of(kernel)
    with contextlib.ExitStack() as alone:
        try:
            use_cache(dispatcher, KernelCache(dispatcher.py_func, complete, alone))
        except (OSError, RuntimeError) as error:  # RuntimeError: no folder can be written
            _warn(error)
            complete()
        dispatcher.compile(numba_signature(kernel))
        _progress.end_kernel()
    dispatcher.disable_compile()
    return dispatcher


def _warn(error: Exception) -> None:
    _say_once(
        "Kernels are compiled again at every start, which takes minutes, because they "
        "cannot be cached (%s). Set NUMBA_CACHE_DIR to a folder that only you can write to.",
        error,
    )


class _Progress:
    """Reports compilation: by a temporary bar on a terminal, otherwise every ten seconds."""

    def __init__(self) -> None:
        self.count = 0
        self.begin = self.said = 0.0

    def begin_kernel(self, function: Callable[..., Any]) -> None:
        """Report the start of a kernel's compilation."""
        now = time.monotonic()
        if not self.count:
            _say_once("Compiling kernels, once.")
            self.begin = self.said = now
        done, self.count = self.count, self.count + 1
        name = f"{function.__module__.partition('.')[2]}.{function.__name__}"
        text = f"compiling kernel {self.count} of up to {self._total}: {name}"
        if done:
            rest = (now - self.begin) / done * (self._total - done)
            text += f", at most about {rest:.0f} s more"
        if sys.stderr.isatty():
            bar = "#" * (BAR * done // self._total)
            print(f"\r\033[K[{bar:<{BAR}}] {text}", end="", file=sys.stderr, flush=True)
        elif now - self.said > LINE_PERIOD:
            logging.getLogger(__name__).warning("[%3.0f s] %s", now - self.begin, text)
            self.said = now

    def end_kernel(self) -> None:
        """Remove the progress line from a terminal."""
        if self.count and sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    @functools.cached_property
    def _total(self) -> int:
        return sum(path.read_bytes().count(b"\n@kernel(") for path in PACKAGE.rglob("*.py"))


_progress = _Progress()

_said: set[str] = set()


def _say_once(message: str, *details: object) -> None:
    """Log a message once per process, with the details of its first cause."""
    if message not in _said:
        _said.add(message)
        logging.getLogger(__name__).warning(message, *details)
