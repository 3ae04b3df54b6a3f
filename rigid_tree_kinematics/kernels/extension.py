"""The compiled kernels of this machine, in one extension module: they are called without Numba.

``build.py`` makes it. A kernel whose sources changed since is not taken from it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.util
import logging
import os
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from rigid_tree_kinematics.files import check_folder, user_cache
from rigid_tree_kinematics.kernels.registry import Kernel
from rigid_tree_kinematics.kernels.sources import PACKAGE

MODULE = "_kernels"


def folders() -> list[Path]:
    """Return where the module may be: NUMBA_CACHE_DIR, or the package and the user's cache."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return [Path(chosen)]
    places = [PACKAGE / "kernels" / "__pycache__"]
    with contextlib.suppress(RuntimeError):
        places.append(user_cache() / "kernels")
    return places


def module_name() -> str:
    """Return the file name of the module for this processor and this Python."""
    return f"{MODULE}-{processor()}{sysconfig.get_config_var('EXT_SUFFIX')}"


@functools.cache
def processor() -> str:
    """Return a digest of what this processor can do."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    kept = {line for line in lines if line.startswith(("flags", "Features", "model name"))}
    return hashlib.sha256("\n".join(sorted(kept)).encode()).hexdigest()[:12]


def extension_function(kernel: Kernel) -> Any:
    """Return a kernel's function, or None if it was not compiled from these sources."""
    digest, function = _kernels().get(kernel.name, ("", None))
    return function if digest and digest == kernel.digest else None


@functools.cache
def _kernels() -> dict[tuple[str, str], tuple[str, Any]]:
    """Return digests and functions by the names of module and kernel."""
    for folder in folders():
        path = folder / module_name()
        try:
            if path.exists():
                check_folder(folder.resolve())
                found: dict[tuple[str, str], tuple[str, Any]] = load_module(path).KERNELS
                return found
        except (OSError, ImportError) as error:
            logging.getLogger(__name__).warning("The compiled kernels are not used: %s", error)
    return {}


def load_module(path: Path) -> ModuleType:
    """Load an extension module of kernels; ImportError."""
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(path))
    spec = importlib.util.spec_from_loader(MODULE, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
