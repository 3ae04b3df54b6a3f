"""The functions of ``lanes`` as LLVM instructions: a Numba type for vectors of numbers."""

# ruff: noqa: D103 (each function has its docstring in __init__.py, under the same name)

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, overload, register_model

from rigid_tree_kinematics.kernels.lanes.width import WIDE

_INT32 = ir.IntType(32)
_REGISTER = ir.VectorType(ir.FloatType(), WIDE)
_ZEROS = ir.Constant(_REGISTER, [0.0] * WIDE)
_FLAGS = ("contract",)  # as OPTIONS in entry.py


class LanesType(types.Type):
    """The type of sixteen numbers."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes(float32 x {WIDE})")


LANES = LanesType()


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make an intrinsic, as a decorator that hides its first argument from type checkers."""
    return numba_intrinsic(function)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, _REGISTER)


def _in_lanes(context: Any, builder: Any, value: Any, of: Any) -> Any:
    """Return a register: ``value`` itself, or with that number in every lane."""
    if of == LANES:
        return value
    number = context.cast(builder, value, of, types.float32)
    nothing = ir.Constant(_REGISTER, ir.Undefined)
    one = builder.insert_element(nothing, number, _INT32(0))
    everywhere = ir.Constant(ir.VectorType(_INT32, WIDE), [0] * WIDE)
    return builder.shuffle_vector(one, nothing, everywhere)


def _operation(symbol: Any, name: str) -> None:
    """Define an operator for lanes, or lanes and a float."""

    @intrinsic
    def calculate(typing: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            sides = [
                _in_lanes(context, builder, value, of)
                for value, of in zip(arguments, signature.args, strict=True)
            ]
            return getattr(builder, name)(*sides, flags=_FLAGS)

        return LANES(a, b), generate

    def with_lanes(a: Any, b: Any) -> Any:
        return calculate(a, b)

    @overload(symbol)
    def choose(a: Any, b: Any) -> Any:
        fits = all(of == LANES or isinstance(of, types.Number) for of in (a, b))
        return with_lanes if fits and LANES in (a, b) else None


_operation(operator.add, "fadd")
_operation(operator.sub, "fsub")
_operation(operator.mul, "fmul")
_operation(operator.truediv, "fdiv")


@intrinsic
def sixteen(typing: Any, first: Any, step: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, step = (
            _in_lanes(context, builder, value, of)
            for value, of in zip(arguments, signature.args, strict=True)
        )
        counted = ir.Constant(_REGISTER, [float(k) for k in range(WIDE)])
        return builder.fadd(first, builder.fmul(step, counted, flags=_FLAGS), flags=_FLAGS)

    return LANES(first, step), generate


def _function(name: str) -> Any:
    """Return one of LLVM's functions of one number, lane by lane."""

    @intrinsic
    def function(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(_REGISTER, [_REGISTER])
            found = cgutils.get_or_insert_function(builder.module, kind, f"{name}.v{WIDE}f32")
            return builder.call(found, arguments)

        return LANES(LANES), generate

    return function


floor_of = _function("llvm.floor")
absolute = _function("llvm.fabs")
root_of = _function("llvm.sqrt")


@intrinsic
def above_zero(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        return builder.select(builder.fcmp_ordered(">", value, _ZEROS), value, _ZEROS)

    return LANES(LANES), generate


@intrinsic
def before(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        order = [max(k - 1, 0) for k in range(WIDE)]
        mask = ir.Constant(ir.VectorType(_INT32, WIDE), order)
        return builder.shuffle_vector(arguments[0], arguments[0], mask)

    return LANES(LANES), generate


@intrinsic
def any_less(typing: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        limit = _in_lanes(context, builder, arguments[1], b)
        less = builder.fcmp_ordered("<", arguments[0], limit)
        bits = ir.IntType(WIDE)
        return builder.icmp_unsigned("!=", builder.bitcast(less, bits), bits(0))

    return types.boolean(LANES, b), generate


def _address(context: Any, builder: Any, of: Any, array: Any, index: Any) -> Any:
    data = context.make_array(of)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), ir.PointerType(_REGISTER))


@intrinsic
def load_lanes(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        return builder.load(place, align=4)

    return LANES(array, types.intp), generate


@intrinsic
def store_lanes(typing: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, value = arguments
        builder.store(value, _address(context, builder, signature.args[0], array, index), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, LANES), generate
