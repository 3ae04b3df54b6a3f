"""Builds the extension module of the kernels.

Each kernel is compiled to an object file beside the module, on all cores; only kernels whose
sources have changed are compiled again.
"""

import contextlib
import fcntl
import functools
import importlib
import multiprocessing
import os
import select
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np

from rigid_tree_kinematics.kernels import registry
from rigid_tree_kinematics.kernels.compiler import object_code
from rigid_tree_kinematics.kernels.extension import (
    MODULE,
    TARGET,
    c_compiler,
    load_module,
    module_name,
    this_processor,
    writable_folder,
)
from rigid_tree_kinematics.kernels.numba_private import only_emit
from rigid_tree_kinematics.kernels.registry import KERNELS, Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE, digest_of
from rigid_tree_kinematics.kernels.types import text_of

# Rooms whose kernels call each other: one process compiles them all.
TOGETHER = {
    "collision.conservative",
    "collision.lanes",
    "ik.constraints",
    "planning.path",
    "planning.search",
}
STDOUT = 1
FLAGS = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--gc-sections", "-x", "c")


def kernel_modules() -> list[str]:
    """Return the names of the modules that define kernels."""
    files = (path for path in PACKAGE.rglob("*.py") if b"\n@kernel(" in path.read_bytes())
    names = (path.relative_to(PACKAGE.parent).with_suffix("") for path in files)
    return sorted(".".join(name.parts) for name in names)


def build(modules: Sequence[str] = ()) -> Path:
    """Build the module with the kernels of some Python modules, or of all; return its path.

    Kernels that were compiled before are in it, too. Prints a line for each kernel that is
    compiled. Raises OSError without a C compiler, a folder to write to or a reader of the output,
    subprocess.CalledProcessError if the module cannot be linked, and Numba's errors.
    """
    compiler = c_compiler()
    kernels = _registered()
    folder = writable_folder()
    (folder / "objects").mkdir(exist_ok=True)
    target = folder / module_name(this_processor())
    with _alone(target):
        wanted = [k for k in kernels if not modules or k.name[0] in modules]
        missing = [k for k in wanted if not _object_file(k).exists()]
        groups: dict[str, list[int]] = {}
        for kernel in missing:
            groups.setdefault(_group(kernel), []).append(kernels.index(kernel))
        context = multiprocessing.get_context("fork")
        counted = context.Value("i", 0), len(missing)
        with context.Pool(len(os.sched_getaffinity(0)), _start, counted) as pool:
            order = sorted(groups.values(), key=len, reverse=True)
            _wait_for(pool.map_async(_emit, order, chunksize=1))
        _link(compiler, [k for k in kernels if _object_file(k).exists()], target)
    return target


@contextlib.contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Hold a lock so that other processes with the same build wait."""
    with target.with_name(f"{target.name}.lock").open("w") as lock:
        # Some file systems cannot lock: then the module may be built twice, which is harmless.
        with contextlib.suppress(OSError):
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another process that builds {target}", flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _group(kernel: Kernel) -> str:
    """Return the group of a kernel; one process compiles a group."""
    room = ".".join(kernel.name[0].split(".")[1:3])
    return "planning" if room in TOGETHER else room


def _wait_for(result: AsyncResult[Any]) -> None:
    """Wait for the kernels; raises BrokenPipeError if the reader of the output has exited."""
    output = select.poll()
    output.register(STDOUT, 0)
    while not result.ready():
        result.wait(0.5)
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in output.poll(0)):
            raise BrokenPipeError("the reader of the output has exited")
    result.get()


_count: Any = None  # of kernels that all processes have compiled
_total = 0


def _start(count: Any, total: int) -> None:
    """Start a process of the pool."""
    global _count, _total
    _count, _total = count, total
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the process that waits
    only_emit()


@functools.cache
def _registered() -> list[Kernel]:
    """Return all kernels, in Numba's form for other kernels."""
    registry.is_building = True
    for module in kernel_modules():
        importlib.import_module(module)
    return list(KERNELS.values())


def _object_file(kernel: Kernel) -> Path:
    what = f"{kernel.digest} {numba.__version__} {llvmlite.__version__} {this_processor()}"
    return writable_folder() / "objects" / f"{kernel.symbol}-{digest_of(what.encode())}.o"


def _emit(numbers: list[int]) -> None:
    """Write the object files of some registered kernels, and remove outdated ones.

    If the process that started this one has been killed, it ends after the current kernel.
    """
    parent = multiprocessing.parent_process()
    for number in numbers:
        if parent is not None and not parent.is_alive():
            return
        kernel = _registered()[number]
        path = _object_file(kernel)
        _write(path, object_code(kernel))
        for other in path.parent.glob(f"{kernel.symbol}-*.o"):
            if other != path:
                other.unlink(missing_ok=True)
        with _count.get_lock():
            _count.value += 1
            print(f"kernel {_count.value} of {_total}: {'.'.join(kernel.name)}", flush=True)


def _link(compiler: str, kernels: list[Kernel], target: Path) -> None:
    include = [sysconfig.get_path("include"), np.get_include()]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels.h").write_text(_table(kernels), encoding="utf-8")
        made = Path(folder, "module.so")
        command = [compiler, *FLAGS, f"-I{folder}", *(f"-I{path}" for path in include)]
        command += [str(PACKAGE / "kernels" / "call.c"), "-x", "none"]
        command += [*map(str, map(_object_file, kernels)), "-o", str(made), "-lm"]
        subprocess.run(command, check=True)
        if not TARGET:
            load_module(made)  # fails if anything is missing
        _write(target, made.read_bytes())


def _table(kernels: list[Kernel]) -> str:
    """Return the table of kernels for call.c, in C."""
    lines = [f'#define MODULE_NAME "{MODULE}"', f"#define MODULE_INIT PyInit_{MODULE}"]
    lines += [f"extern Entry {kernel.symbol};" for kernel in kernels]
    lines.append("static const Kernel kernels[] = {")
    for kernel in kernels:
        arguments = "".join(map(text_of, kernel.signature.arguments))
        texts = (*kernel.name, kernel.digest, arguments, text_of(kernel.signature.result))
        fields = [*(f'"{text}"' for text in texts), kernel.symbol]
        lines.append(f"{{{', '.join(fields)}}},")
    return "\n".join([*lines, "{0}};", ""])


def _write(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)
