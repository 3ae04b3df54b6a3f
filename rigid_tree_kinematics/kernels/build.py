"""Builds the extension module of all kernels.

Each kernel is compiled to an object file beside the module, on all cores; only kernels whose
sources have changed are compiled again.
"""

import contextlib
import fcntl
import functools
import importlib
import multiprocessing
import os
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import llvmlite
import numba
import numpy as np

from rigid_tree_kinematics.files import check_folder
from rigid_tree_kinematics.kernels import registry
from rigid_tree_kinematics.kernels.compiler import object_code, only_emit
from rigid_tree_kinematics.kernels.extension import (
    MODULE,
    TARGET,
    folders,
    load_module,
    make_folder,
    module_name,
    this_processor,
)
from rigid_tree_kinematics.kernels.registry import KERNELS, Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE, digest_of
from rigid_tree_kinematics.kernels.types import text_of

COMPILERS = "cc", "gcc", "clang", "c++", "g++"
# Called by planning's kernels: one process compiles them all.
OF_PLANNING = "collision", "ik.constraints"
FLAGS = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,--gc-sections", "-x", "c")


def kernel_modules() -> list[str]:
    """Return the names of the modules that define kernels."""
    files = (path for path in PACKAGE.rglob("*.py") if b"\n@kernel(" in path.read_bytes())
    names = (path.relative_to(PACKAGE.parent).with_suffix("") for path in files)
    return sorted(".".join(name.parts) for name in names)


def build() -> Path:
    """Build the module if it lacks a kernel, and return its path.

    Prints a line for each kernel that was compiled. Raises OSError without a C compiler or a
    folder to write to, subprocess.CalledProcessError if the module cannot be linked, and Numba's
    errors.
    """
    compiler = _compiler()
    folder = _folder()
    kernels = _registered()
    target = folder / module_name(this_processor())
    with _alone(target):
        context = multiprocessing.get_context("fork")
        with context.Pool(len(os.sched_getaffinity(0)), only_emit) as pool:
            missing = _missing()
            pool.map(_emit, sorted(missing, key=lambda of: -len(missing[of])), chunksize=1)
        _link(compiler, kernels, target)
    return target


def _compiler() -> str:
    """Return the C compiler's path."""
    names = (f"{TARGET}-gcc",) if TARGET else COMPILERS
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise FileNotFoundError(f"no C compiler: none of {', '.join(names)} is in PATH")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise FileNotFoundError("Python.h is missing; on Debian: apt install python3-dev")
    return compiler


@functools.cache
def _folder() -> Path:
    """Return the first folder for the module that is writable and trusted."""
    troubles = []
    for folder in folders():
        try:
            make_folder(folder)
            (folder / "objects").mkdir(exist_ok=True)
            check_folder(folder.resolve())
            tempfile.TemporaryFile(dir=folder).close()
            return folder
        except OSError as error:
            troubles.append(str(error))
    raise OSError(f"kernels cannot be stored: {'; '.join(troubles)}")


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


def _missing() -> dict[str, list[Kernel]]:
    """Return the kernels without an object file, by the process that compiles them."""
    found: dict[str, list[Kernel]] = {}
    for kernel in _registered():
        if not _object_file(kernel).exists():
            found.setdefault(_process_of(kernel), []).append(kernel)
    return found


def _process_of(kernel: Kernel) -> str:
    """Return the package of a kernel; kernels that call each other share one."""
    room = kernel.name[0].partition(".")[2]
    return "planning" if room.startswith(OF_PLANNING) else room.split(".")[0]


@functools.cache
def _registered() -> list[Kernel]:
    """Return all kernels, without loading or compiling them."""
    registry.is_building = True
    for module in kernel_modules():
        importlib.import_module(module)
    return list(KERNELS.values())


def _object_file(kernel: Kernel) -> Path:
    what = f"{kernel.digest} {numba.__version__} {llvmlite.__version__} {this_processor()}"
    return _folder() / "objects" / f"{kernel.symbol}-{digest_of(what.encode())}.o"


def _emit(process: str) -> None:
    """Write the object files of a process's kernels, and remove outdated ones."""
    for kernel in _missing().get(process, []):  # none, if built meanwhile without a lock
        path = _object_file(kernel)
        _write(path, object_code(kernel))
        for other in path.parent.glob(f"{kernel.symbol}-*.o"):
            if other != path:
                other.unlink(missing_ok=True)
        print(".".join(kernel.name), flush=True)


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
    lines += [f"extern int32_t {k.symbol}(int64_t *, const int64_t *);" for k in kernels]
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
