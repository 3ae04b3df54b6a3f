"""Compilation at the first call of a kernel, of all kernels that the process has imported.

Another process compiles them on all cores (``compile_kernels.py``); this one reports the progress.
"""

import functools
import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.kernels import extension
from rigid_tree_kinematics.kernels.registry import Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE

LINE_PERIOD = 10.0  # s between lines in a log

_missing: dict[Kernel, None] = {}  # imported and not compiled, in this order
_lock = threading.Lock()


class KernelError(RigidTreeError, RuntimeError):
    """Kernels cannot be compiled."""


@functools.cache
def has_only_numba() -> bool:
    """Return whether there are no compiled kernels, and no C compiler to make them with."""
    if extension.module() is not None:
        return False
    try:
        extension.c_compiler()
    except FileNotFoundError as error:
        _warn("Numba compiles each kernel at import: %s.", error)
        return True
    return False


def when_compiled(kernel: Kernel) -> Callable[..., Any]:
    """Return a function that calls a kernel, which is compiled if it is not yet."""
    _missing[kernel] = None

    @functools.cache
    def ready() -> Any:
        compile_missing()
        return extension.extension_function(kernel)

    return lambda *arguments: ready()(*arguments)


def compile_missing() -> None:
    """Compile the kernels that this process has imported and that are not compiled.

    Called before a deadline is set. Raises KernelError.
    """
    if not _missing:
        return
    with _lock:
        if not _missing:  # compiled meanwhile
            return
        try:
            extension.writable_folder()
        except OSError as error:
            _warn("Kernels are compiled again at every start: %s. Set NUMBA_CACHE_DIR.", error)
            os.environ["NUMBA_CACHE_DIR"] = _temporary_folder().name
        _warn("Compiling kernels, once: %s.", len(_missing))
        _compile()
        extension.module.cache_clear()
        failed = [kernel for kernel in _missing if extension.extension_function(kernel) is None]
        if failed:  # the sources have changed meanwhile
            raise KernelError(f"{'.'.join(failed[0].name)} was changed since it was imported")
        _missing.clear()


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed at the end of this process."""
    return tempfile.TemporaryDirectory(prefix="kernels-")


def _compile() -> None:
    import subprocess  # 0.3 MB that other processes do not need

    environment = dict(os.environ)
    if chosen := environment.get("NUMBA_CACHE_DIR"):
        environment["NUMBA_CACHE_DIR"] = os.path.abspath(chosen)
    modules = dict.fromkeys(kernel.name[0] for kernel in _missing)
    process = subprocess.Popen(
        [sys.executable, "-m", f"{PACKAGE.name}.compile_kernels", *modules],
        cwd=PACKAGE.parent,  # what Python imports first
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with process:
        assert process.stdout is not None
        others = _report(process.stdout)
    if process.returncode:
        raise KernelError(f"kernels cannot be compiled: {''.join(others)}")


def _report(lines: Iterable[str]) -> list[str]:
    """Report the progress: in one line of a terminal, else every ten seconds; return the rest."""
    begin = said = time.monotonic()
    others, shown = [], sys.stderr.isatty()
    for line in lines:
        now = time.monotonic()
        if not line.startswith("kernel "):
            others.append(line)
        elif shown:
            print(f"\r\033[K{line.strip()}", end="", file=sys.stderr, flush=True)
        elif now - said > LINE_PERIOD:
            _warn("[%3.0f s] %s", now - begin, line.strip())
            said = now
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return others


def _warn(message: str, *details: object) -> None:
    logging.getLogger(__name__).warning(message, *details)
