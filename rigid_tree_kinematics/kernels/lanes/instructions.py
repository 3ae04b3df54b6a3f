"""The functions of ``lanes`` as LLVM instructions: Numba types for vectors of numbers."""

# ruff: noqa: D103 (each function has its docstring in __init__.py, under the same name)

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from rigid_tree_kinematics.kernels.lanes import WIDE, WIDTH

_INT32 = ir.IntType(32)
_FLAGS = ("contract",)  # as in registry.py


class LanesType(types.Type):
    """The type of several numbers."""

    def __init__(self, number: Any, element: Any, width: int) -> None:
        super().__init__(name=f"Lanes({number} x {width})")
        self.number, self.width = number, width
        self.register = ir.VectorType(element, width)
        self.suffix = f"v{width}f{number.bitwidth}"  # of LLVM's functions


LANES = LanesType(types.float64, ir.DoubleType(), WIDTH)
FLOATS = LanesType(types.float32, ir.FloatType(), WIDE)
_REGISTER = LANES.register


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, of.register)


def _instruction(function: Callable[..., Any]) -> Any:
    """Make an intrinsic, as a decorator that hides its first argument from type checkers."""
    return intrinsic(function)


def _in_lanes(context: Any, builder: Any, value: Any, of: Any, lanes: LanesType) -> Any:
    """Return a register: ``value`` itself, or with that number in every lane."""
    if of == lanes:
        return value
    number = context.cast(builder, value, of, lanes.number)
    nothing = ir.Constant(lanes.register, ir.Undefined)
    one = builder.insert_element(nothing, number, _INT32(0))
    everywhere = ir.Constant(ir.VectorType(_INT32, lanes.width), [0] * lanes.width)
    return builder.shuffle_vector(one, nothing, everywhere)


def _operation(symbol: Any, name: str) -> None:
    """Define an operator for lanes, or lanes and a float."""

    @_instruction
    def calculate(typing: Any, a: Any, b: Any) -> Any:
        lanes = a if isinstance(a, LanesType) else b

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            sides = [
                _in_lanes(context, builder, value, of, lanes)
                for value, of in zip(arguments, signature.args, strict=True)
            ]
            return getattr(builder, name)(*sides, flags=_FLAGS)

        return lanes(a, b), generate

    def with_lanes(a: Any, b: Any) -> Any:
        return calculate(a, b)

    @overload(symbol)
    def choose(a: Any, b: Any) -> Any:
        if isinstance(a, LanesType):
            return with_lanes if b == a or isinstance(b, types.Number) else None
        return with_lanes if isinstance(b, LanesType) and isinstance(a, types.Number) else None


for _symbol, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _operation(_symbol, _name)


@_instruction
def lanes_of(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        register = ir.Constant(_REGISTER, ir.Undefined)
        for lane, value in enumerate(arguments):
            register = builder.insert_element(register, value, _INT32(lane))
        return register

    return LANES(*[types.float64] * WIDTH), generate


@_instruction
def sixteen(typing: Any, first: Any, step: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, step = (
            _in_lanes(context, builder, value, of, FLOATS)
            for value, of in zip(arguments, signature.args, strict=True)
        )
        counted = ir.Constant(FLOATS.register, [float(k) for k in range(WIDE)])
        return builder.fadd(first, builder.fmul(step, counted, flags=_FLAGS), flags=_FLAGS)

    return FLOATS(first, step), generate


def _function(llvm: str) -> Any:
    """Return one of LLVM's functions of one number, lane by lane."""

    @_instruction
    def function(typing: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(a.register, [a.register])
            found = cgutils.get_or_insert_function(builder.module, kind, f"{llvm}.{a.suffix}")
            return builder.call(found, arguments)

        return a(a), generate

    return function


floor_of = _function("llvm.floor")
absolute = _function("llvm.fabs")
root_of = _function("llvm.sqrt")


@_instruction
def above_zero(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = ir.Constant(a.register, [0.0] * a.width)
        (value,) = arguments
        return builder.select(builder.fcmp_ordered(">", value, zeros), value, zeros)

    return a(a), generate


@_instruction
def before(typing: Any, a: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        order = [max(k - 1, 0) for k in range(a.width)]
        mask = ir.Constant(ir.VectorType(_INT32, a.width), order)
        return builder.shuffle_vector(arguments[0], arguments[0], mask)

    return a(a), generate


@_instruction
def any_less(typing: Any, a: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        limit = _in_lanes(context, builder, arguments[1], b, a)
        less = builder.fcmp_ordered("<", arguments[0], limit)
        bits = ir.IntType(a.width)
        return builder.icmp_unsigned("!=", builder.bitcast(less, bits), bits(0))

    return types.boolean(a, b), generate


@_instruction
def where_less(typing: Any, a: Any, b: Any, yes: Any, no: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one, two, yes, no = arguments
        limit = _in_lanes(context, builder, two, types.float64, LANES)
        return builder.select(builder.fcmp_ordered("<", one, limit), yes, no)

    return LANES(LANES, types.float64, LANES, LANES), generate


@_instruction
def transposed(typing: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def mixed(one: Any, two: Any, *order: int) -> Any:
            mask = ir.Constant(ir.VectorType(_INT32, WIDTH), list(order))
            return builder.shuffle_vector(one, two, mask)

        a, b, c, d = arguments
        low, high = mixed(a, b, 0, 4, 2, 6), mixed(a, b, 1, 5, 3, 7)
        below, above = mixed(c, d, 0, 4, 2, 6), mixed(c, d, 1, 5, 3, 7)
        rows = (
            mixed(low, below, 0, 1, 4, 5),
            mixed(high, above, 0, 1, 4, 5),
            mixed(low, below, 2, 3, 6, 7),
            mixed(high, above, 2, 3, 6, 7),
        )
        return context.make_tuple(builder, signature.return_type, rows)

    return types.UniTuple(LANES, WIDTH)(*[LANES] * WIDTH), generate


def _lanes_in(array: Any) -> LanesType:
    """Return the type of the lanes that an array holds."""
    return FLOATS if array.dtype == types.float32 else LANES


def _address(context: Any, builder: Any, of: Any, array: Any, index: Any) -> Any:
    data = context.make_array(of)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), ir.PointerType(_lanes_in(of).register))


@_instruction
def load_lanes(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        return builder.load(place, align=4)

    return _lanes_in(array)(array, types.intp), generate


@_instruction
def store_lanes(typing: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index, value = arguments
        builder.store(value, _address(context, builder, signature.args[0], array, index), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _lanes_in(array)), generate


@_instruction
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, index = arguments
        data = context.make_array(signature.args[0])(context, builder, array).data
        byte = ir.PointerType(ir.IntType(8))
        kind = ir.FunctionType(ir.VoidType(), [byte, _INT32, _INT32, _INT32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(data, [index]), byte)
        builder.call(fetch, [place, _INT32(1), _INT32(3), _INT32(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
