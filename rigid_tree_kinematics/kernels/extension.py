"""The extension module of compiled kernels, which runs without Numba.

``build.py`` builds it for this machine; a wheel has one for each level of the x86-64 architecture.
Kernels whose sources have changed since are not loaded from it.
"""

import contextlib
import errno
import functools
import importlib.machinery
import importlib.util
import itertools
import logging
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import BuiltinFunctionType, ModuleType
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.files import check_folder, user_cache
from rigid_tree_kinematics.kernels.registry import Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE, digest_of

MODULE = "_kernels"
# GNU's name of another architecture to build for, such as aarch64-linux-gnu; empty: this one.
TARGET = os.environ.get("KERNELS_TARGET", "")
NEEDED = 16 << 20  # bytes of kernels and their object files
COMPILERS = "cc", "gcc", "clang", "c++", "g++"
OWNER = "of_rigid_tree_kinematics"  # a file in a folder of kernels: the path of the package
# Features of each level beyond the lower level, by Linux's names (x86-64 psABI, 3.1.1).
LEVELS = {
    "x86-64-v3": {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"},
    "x86-64-v2": {"cx16", "lahf_lm", "pni", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}


def folders() -> list[Path]:
    """Return the folders of kernels: NUMBA_CACHE_DIR, or the package and the user's cache.

    Nothing is stored in a package that pip installed: pip would not remove it.
    """
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(chosen)]
    places = [] if is_from_pip() else [PACKAGE / "kernels" / "__pycache__"]
    with contextlib.suppress(RuntimeError):
        places.append(users_folder())
    return places


def users_folder() -> Path:
    """Return this installation's folder in the user's cache; raises RuntimeError."""
    return user_cache() / "kernels" / digest_of(os.fsencode(PACKAGE))


@functools.cache
def writable_folder() -> Path:
    """Return the first folder for the module that is writable and trusted; raises OSError."""
    troubles = []
    for folder in folders():
        try:
            make_folder(folder)
            check_folder(folder.resolve())
            tempfile.TemporaryFile(dir=folder).close()
            if shutil.disk_usage(folder).free < NEEDED:
                raise OSError(errno.ENOSPC, "the disk is full", str(folder))
            return folder
        except OSError as error:
            troubles.append(str(error))
    raise OSError(f"kernels cannot be stored: {'; '.join(troubles)}")


@functools.cache
def numba_folder() -> Path | None:
    """Return the folder of what Numba caches where there is no C compiler."""
    try:
        return writable_folder() / "numba"
    except OSError as error:
        logging.getLogger(__name__).warning("Kernels are compiled at every start: %s", error)
        return None


def make_folder(folder: Path) -> None:
    """Create a folder for kernels, and remove those of deleted installations."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / OWNER).write_text(str(PACKAGE), encoding="utf-8")
    for file in folder.parent.glob(f"*/{OWNER}"):
        with contextlib.suppress(OSError):
            if not Path(file.read_text(encoding="utf-8")).exists():
                shutil.rmtree(file.parent)


def is_from_pip() -> bool:
    """Return whether pip (not colcon) installed this package."""
    return any(PACKAGE.parent.glob(f"{PACKAGE.name}-*.dist-info"))


def module_name(processor: str) -> str:
    """Return the file name of the module for a processor and this Python."""
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    if TARGET:
        suffix = suffix.replace(sysconfig.get_config_var("MULTIARCH"), TARGET)
    return f"{MODULE}-{processor}{suffix}"


def c_compiler() -> str:
    """Return the C compiler's path; raises FileNotFoundError without it or Python.h.

    Object files of kernels were only linked on Linux: other systems leave all to Numba.
    """
    if sys.platform != "linux":
        raise FileNotFoundError("kernels are linked on Linux only")
    names = (f"{TARGET}-gcc",) if TARGET else COMPILERS
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise FileNotFoundError(f"no C compiler: none of {', '.join(names)} is in PATH")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise FileNotFoundError("Python.h is missing; on Debian: apt install python3-dev")
    return compiler


@functools.cache
def this_processor() -> str:
    """Return the target of compilation: Numba's setting, or a digest of this processor."""
    if chosen := TARGET.partition("-")[0] or os.environ.get("NUMBA_CPU_NAME"):
        return chosen
    return digest_of("\n".join(_processor_lines()).encode())


def _processor_lines() -> list[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:  # not on Linux
        return [platform.machine(), platform.processor()]
    return sorted({x for x in lines if x.startswith(("flags", "Features", "model name"))})


def levels() -> list[str]:
    """Return this processor's levels of x86-64, highest first, for modules in a wheel.

    On another architecture, return its name.
    """
    if (machine := platform.machine()) != "x86_64":
        return [machine]
    found = set(" ".join(_processor_lines()).split())
    names: list[str] = []
    for name in reversed(LEVELS):
        if LEVELS[name] <= found:
            names.insert(0, name)
        else:
            break
    return names


def extension_function(kernel: Kernel) -> Any:
    """Return a kernel's function, or None if it is missing or outdated."""
    digest, function = getattr(module(), "KERNELS", {}).get(kernel.name, ("", None))
    return function if digest and digest == kernel.digest else None


def bound(
    kernel: Any,
    fixed: tuple[Any, ...],
    inputs: tuple[Any, ...],
    space: tuple[Array, ...],
    result: Array,
    general: Callable[..., Array],
) -> Callable[..., Array]:
    """Return ``general`` with a shortcut to a kernel that takes only microseconds.

    The kernel takes the ``fixed`` arguments, inputs of the types and shapes of ``inputs``, work
    ``space``, and an array of float64 like ``result``; it returns whether it succeeded. The
    returned function takes the inputs, and optionally the array for the result, which it returns.
    It calls ``general`` with the same arguments if they do not fit or the kernel did not succeed.
    It keeps the GIL.
    """
    if not isinstance(kernel, BuiltinFunctionType):
        return general  # Numba's form, or one that is not compiled yet
    whole = (*fixed, *inputs, *space, result)
    bind: Callable[..., Callable[..., Array]] = getattr(module(), "bind")  # noqa: B009
    return bind(kernel, whole, len(fixed), len(inputs), general)


@functools.cache
def module() -> ModuleType | None:
    """Return the extension module; KERNELS has digests and functions by the kernels' names."""
    own = module_name(this_processor())
    shipped = [PACKAGE / "kernels" / module_name(level) for level in levels()]
    for path in [*(folder / own for folder in folders()), *shipped]:
        try:
            if path.exists():
                if path not in shipped:
                    check_folder(path.parent.resolve())
                return load_module(path)
        except (OSError, ImportError) as error:
            logging.getLogger(__name__).warning("The compiled kernels are not used: %s", error)
    return None


_loads = itertools.count()


def load_module(path: Path) -> ModuleType:
    """Load an extension module of kernels; raises ImportError."""
    # The linker knows a file by its path: one that has replaced another needs another path.
    place = f"{path.parent}/{'./' * next(_loads)}{path.name}"
    loader = importlib.machinery.ExtensionFileLoader(MODULE, place)
    spec = importlib.util.spec_from_loader(MODULE, loader)
    assert spec is not None
    found = importlib.util.module_from_spec(spec)
    loader.exec_module(found)
    return found
