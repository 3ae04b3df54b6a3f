"""Compilation of kernels with Numba, which is imported only when needed.

``call.c`` calls a kernel by an entry point with two arrays of eight-byte slots: results, and
arguments. A number fills one slot; an array fills one with its address, and one with the length of
each axis.
"""

import functools
import importlib
import re
import types as python
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir

from rigid_tree_kinematics.kernels import numba_private
from rigid_tree_kinematics.kernels.extension import TARGET
from rigid_tree_kinematics.kernels.numba_private import (
    global_compiler_lock,
    host_processor,
    leave_out_body,
    optimized_module,
    populate_array,
)
from rigid_tree_kinematics.kernels.registry import INLINED, INSTRUCTIONS, KERNELS, OPTIONS, Kernel
from rigid_tree_kinematics.kernels.types import Array, Record, Tuple, Type

BARE: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

SLOT = ir.IntType(64)
STATUS = ir.IntType(32)  # 0 or an error
LARGEST_COPY = 300  # instructions; LLVM does not inline larger functions
njit: Any = numba.njit
numba_types: Any = numba.types


def numba_type(of: Type) -> Any:
    """Return Numba's type."""
    if isinstance(of, Array):
        return numba_types.Array(numba_type(of.dtype), of.ndim, "C", readonly=of.readonly)
    if isinstance(of, Tuple):
        items = [numba_type(item) for item in of.items]
        if of.kind is not None:
            return numba_types.NamedTuple(items, of.kind)
        return numba_types.Tuple(items)
    if isinstance(of, Record):
        return numba.from_dtype(of.dtype)
    return getattr(numba_types, of.name)


def numba_signature(kernel: Kernel) -> Any:
    """Return Numba's signature of a kernel."""
    arguments = map(numba_type, kernel.signature.arguments)
    return numba_type(kernel.signature.result)(*arguments)


def dispatcher_of(kernel: Kernel, **options: Any) -> tuple[Any, Callable[[], None]]:
    """Return a kernel's Numba dispatcher, and a function that completes it for compilation.

    It compiles the kernels that this one calls, so it is not called for a kernel that is loaded.
    """
    if not kernel.allocates:
        options["_nrt"] = False
    copy, complete = _copy(kernel.function)
    return njit(**OPTIONS, **options)(copy), complete


def _copy(function: Callable[..., Any]) -> tuple[Any, Callable[[], None]]:
    """Return a copy of a function, and a function that sets Numba's versions of its globals."""
    assert isinstance(function, python.FunctionType)
    given = function.__globals__
    own = {name: given[name] for name in ("__name__", "__builtins__")}
    copy = python.FunctionType(
        function.__code__, own, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__qualname__, copy.__module__ = function.__qualname__, function.__module__

    def complete() -> None:
        used = filter(given.__contains__, _names_in(function.__code__))
        own.update({name: _numbas_form(given[name]) for name in used})

    return copy, complete


def _names_in(code: python.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, python.CodeType):
            yield from _names_in(constant)


def _numbas_form(value: Any) -> Any:
    try:
        kernel = KERNELS.get(value)
    except TypeError:  # cannot be hashed: an array
        return value
    if kernel is not None:
        return callee(kernel)
    if value in INSTRUCTIONS:
        return getattr(importlib.import_module(INSTRUCTIONS[value]), value.__name__)
    return _inlined_form(value) if value in INLINED else value


@functools.cache
def _inlined_form(function: Any) -> Any:
    copy, complete = _copy(function)
    complete()
    return njit(forceinline=True, **BARE, **OPTIONS)(copy)


@functools.cache
def callee(kernel: Kernel) -> Any:
    """Return a kernel as other kernels call it."""
    dispatcher, complete = dispatcher_of(kernel, **BARE)
    complete()
    dispatcher.compile(numba_signature(kernel))
    dispatcher.disable_compile()
    if _bodies is not None:
        _share(kernel, dispatcher, _bodies)
    return dispatcher


_bodies: dict[str, str] | None = None  # when only emitting: lasting names by Numba's


def _share(kernel: Kernel, dispatcher: Any, bodies: dict[str, str]) -> None:
    """Exclude a large kernel from its callers' object files; the linker resolves it."""
    (compiled,) = dispatcher.overloads.values()
    name = compiled.fndesc.llvm_func_name
    bodies[name] = f"{kernel.symbol}__body"
    blocks = compiled.library.get_function(name).blocks
    if sum(1 for block in blocks for _ in block.instructions) > LARGEST_COPY:
        leave_out_body(compiled.library)


def only_emit() -> None:
    """Switch to compiling object files only."""
    global _bodies
    _bodies = {}
    numba_private.only_emit()


def object_code(kernel: Kernel) -> bytes:
    """Compile a kernel to an object file with its entry point; raises Numba's errors."""
    with global_compiler_lock:
        return _object_code(kernel)


def _object_code(kernel: Kernel) -> bytes:
    (compiled,) = callee(kernel).overloads.values()
    generator = compiled.target_context.codegen()
    module = generator.create_library(kernel.symbol).create_ir_module(kernel.symbol)
    _add_entry(module, kernel.symbol, compiled, numba_signature(kernel))
    whole = optimized_module(compiled.library).clone()
    whole.link_in(llvm.parse_assembly(str(module)))
    for function in whole.functions:
        if name := (_bodies or {}).get(function.name):
            function.name, function.visibility = name, "hidden"
    machine = _machine(generator)
    if TARGET:  # Numba only supports this machine; the code so far is independent of it
        text = str(whole)
        for name, value in (("triple", machine.triple), ("datalayout", machine.target_data)):
            text = re.sub(rf"(?m)^target {name} = .*$", f'target {name} = "{value}"', text)
        whole = llvm.parse_assembly(text)
    return bytes(machine.emit_object(whole))


def _machine(generator: Any) -> Any:
    """Return LLVM's target machine for object code."""
    if not TARGET:
        triple, (cpu, features) = llvm.get_process_triple(), host_processor(generator)
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        triple, cpu, features = TARGET, "generic", ""
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )


def _add_entry(module: ir.Module, entry: str, compiled: Any, signature: Any) -> None:
    context = compiled.target_context
    pointer = SLOT.as_pointer()
    function = ir.Function(module, ir.FunctionType(STATUS, (pointer, pointer)), entry)
    builder = ir.IRBuilder(function.append_basic_block())
    results, slots = function.args
    read = (builder.load(place) for place in _places(builder, slots))
    arguments = [_read(context, builder, of, read) for of in signature.args]
    kernel = context.declare_function(module, compiled.fndesc)
    status, result = context.call_conv.call_function(
        builder, kernel, signature.return_type, signature.args, arguments
    )
    with builder.if_then(status.is_ok):
        _write(context, builder, signature.return_type, result, _places(builder, results))
    builder.ret(builder.select(status.is_ok, STATUS(0), STATUS(1)))


def _places(builder: ir.IRBuilder, pointer: ir.Value) -> Iterator[ir.Value]:
    """Return consecutive slots."""
    number = 0
    while True:
        yield builder.gep(pointer, [ir.Constant(SLOT, number)])
        number += 1


def _read(context: Any, builder: ir.IRBuilder, of: Any, slots: Iterator[ir.Value]) -> ir.Value:
    """Read a value of a Numba type from the next slots."""
    if isinstance(of, numba_types.Array):
        data = builder.inttoptr(next(slots), context.get_data_type(of.dtype).as_pointer())
        return _array(context, builder, of, data, [next(slots) for _ in range(of.ndim)])
    if isinstance(of, numba_types.BaseTuple):
        return context.make_tuple(
            builder, of, [_read(context, builder, item, slots) for item in of.types]
        )
    slot = next(slots)
    if isinstance(of, numba_types.Boolean):
        return builder.trunc(slot, ir.IntType(1))
    if isinstance(of, numba_types.Float):
        return builder.bitcast(slot, ir.DoubleType())
    return slot


def _array(
    context: Any, builder: ir.IRBuilder, of: Any, data: ir.Value, lengths: list[ir.Value]
) -> ir.Value:
    item = ir.Constant(SLOT, context.get_abi_sizeof(context.get_data_type(of.dtype)))
    strides = [item]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(length, strides[0], flags=("nsw",)))
    array = context.make_array(of)(context, builder)
    populate_array(array, data, lengths, strides, item, meminfo=None, parent=None)
    return array._getvalue()


def _write(
    context: Any, builder: ir.IRBuilder, of: Any, value: ir.Value, places: Iterator[ir.Value]
) -> None:
    """Store a result of a Numba type in the next slots."""
    if isinstance(of, numba_types.BaseTuple):
        for number, item in enumerate(of.types):
            _write(context, builder, item, builder.extract_value(value, number), places)
    elif isinstance(of, numba_types.Float):
        builder.store(builder.bitcast(value, SLOT), next(places))
    elif isinstance(of, numba_types.Boolean):
        builder.store(builder.zext(value, SLOT), next(places))
    elif not isinstance(of, numba_types.NoneType):
        builder.store(value, next(places))
