"""Numba's side of the kernels: a kernel becomes the object code of a C function.

While ``build.py`` runs, ``@kernel`` and ``@inlined`` are ``numba.njit``.
"""

import functools
import re
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core.dispatcher import Dispatcher

from rigid_tree_kinematics.kernels import registry
from rigid_tree_kinematics.kernels.entry import BARE, ENTRY, OPTIONS, entry, numba_signature
from rigid_tree_kinematics.kernels.extension import TARGET, numba_folder
from rigid_tree_kinematics.kernels.numba_private import leave_out_body, optimized_module
from rigid_tree_kinematics.kernels.registry import KERNELS, Kernel

njit: Any = numba.njit
config: Any = numba.config
LARGEST_COPY = 300  # instructions; LLVM does not inline larger functions

_bodies: dict[str, str] = {}  # lasting names of compiled kernels by Numba's


def inlined_by_numba(function: Any) -> Any:
    """Return Numba's form of a function that is compiled into its callers."""
    return njit(forceinline=True, **BARE, **OPTIONS)(function)


def kernel_by_numba(kernel: Kernel) -> Any:
    """Return Numba's form of a kernel: for other kernels, or without a C compiler for Python."""
    if registry.is_building:
        return njit(**BARE, **OPTIONS)(kernel.function)
    before, folder = config.CACHE_DIR, numba_folder()
    config.CACHE_DIR = f"{folder}/{kernel.digest}"
    try:
        made = njit(numba_signature(kernel.signature), cache=folder is not None, **OPTIONS)
        return made(kernel.function)
    finally:
        config.CACHE_DIR = before


def _form(kernel: Kernel) -> Any:
    return next(form for form, known in KERNELS.items() if known == kernel)


@functools.cache
def compiled(kernel: Kernel) -> Any:
    """Compile a kernel, and those that it calls, for other kernels; return Numba's result."""
    for called in _kernels_in(kernel.function):
        compiled(called)
    form = _form(kernel)
    form.compile(numba_signature(kernel.signature))
    form.disable_compile()
    (result,) = form.overloads.values()
    _bodies[result.fndesc.llvm_func_name] = f"{kernel.symbol}__body"
    blocks = result.library.get_function(result.fndesc.llvm_func_name).blocks
    if sum(1 for block in blocks for _ in block.instructions) > LARGEST_COPY:
        leave_out_body(result.library)
    return result


def _kernels_in(function: Any) -> Iterator[Kernel]:
    """Return the kernels that a Python function calls, directly or in inlined functions."""
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, Dispatcher):
            yield from [KERNELS[used]] if used in KERNELS else _kernels_in(used.py_func)


def object_code(kernel: Kernel) -> bytes:
    """Return the object code of a kernel's entry point and body; raises Numba's errors."""
    body = compiled(kernel)
    start = njit(ENTRY, **BARE, **OPTIONS)(entry(kernel.symbol, _form(kernel), kernel.signature))
    (first,) = start.overloads.values()
    names = _bodies | {first.fndesc.llvm_func_name: kernel.symbol}
    module = optimized_module(body.library).clone()
    module.link_in(optimized_module(first.library).clone())
    for function in module.functions:
        if name := names.get(function.name):
            function.name, function.visibility = name, "hidden"
    machine = _machine()
    if TARGET:  # Numba only supports this machine; the code so far is independent of it
        text = str(module)
        for name, value in (("triple", machine.triple), ("datalayout", machine.target_data)):
            text = re.sub(rf"(?m)^target {name} = .*$", f'target {name} = "{value}"', text)
        module = llvm.parse_assembly(text)
    return bytes(machine.emit_object(module))


def _machine() -> Any:
    """Return LLVM's target machine for object code."""
    triple, cpu = llvm.get_process_triple(), config.CPU_NAME
    features = config.CPU_FEATURES or ""
    if TARGET:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        triple, cpu = TARGET, "generic"
    elif not cpu:
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
