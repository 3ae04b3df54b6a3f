"""Compares the compiled kernels with their Python text, on the library's calls.

    python test/kernels/compare_forms.py [ROOM ...]     such as "dynamics"; all without one

Runs the scenario on the extension module, with calls recorded. Each recorded call is made again,
compiled and in Python: what they return and write is equal, but for rounding. Every kernel is
recorded, or compiled into one that is.
"""

import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from rigid_tree_kinematics.kernels import decorators, extension
from rigid_tree_kinematics.kernels.build import kernel_modules
from rigid_tree_kinematics.kernels.registry import KERNELS, Kernel

# Work space that is written before it is read. What stays in it depends on the number of steps,
# and that on rounding.
SCRATCH = {"simplex", "lanes"}
CALLS = 12  # of a kernel that are kept: the first, and later ones ever farther apart
recorded: dict[Kernel, list[Any]] = {}
extensions: dict[Kernel, Callable[..., Any]] = {}


def recording(kernel: Kernel) -> Callable[..., Any]:
    """Return a kernel of the extension module that keeps copies of what it is called with."""
    function = extensions[kernel] = extension.extension_function(kernel)
    assert function is not None, f"{kernel.name} is not in the extension module"
    kept = recorded[kernel] = []
    count = 0

    def called(*arguments: Any) -> Any:
        nonlocal count
        if count >= 2 ** len(kept) // 2 and len(kept) < CALLS:
            kept.append(copied(arguments, {}))
        count += 1
        return function(*arguments)

    return called


def recording_bound(
    kernel: Any, fixed: Any, inputs: Any, space: Any, result: Any, general: Any
) -> Callable[..., Any]:
    """Return what ``bound`` does, with its calls recorded."""

    def called(*values: Any) -> Any:
        given, out = values[: len(inputs)], (*values, None)[len(inputs)]
        if any(np.shape(one) != np.shape(like) for one, like in zip(given, inputs, strict=True)):
            return general(*values)
        written = np.empty_like(result) if out is None else out
        succeeded = kernel(*fixed, *given, *space, written)
        return written if succeeded else general(*values)

    return called


def copied(value: Any, made: dict[int, Any]) -> Any:
    """Return a copy of arguments; what is one array twice, or only to read, stays so."""
    if isinstance(value, tuple):
        items = [copied(item, made) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if not isinstance(value, np.ndarray):
        return value
    if id(value) not in made:
        made[id(value)] = value.copy()
        made[id(value)].flags.writeable = value.flags.writeable
    return made[id(value)]


def assert_equal(one: Any, other: Any, what: str) -> None:
    """Compare numbers, arrays, and tuples of them."""
    if isinstance(one, tuple):
        assert len(one) == len(other), what
        names = getattr(one, "_fields", [""] * len(one))
        for name, first, second in zip(names, one, other, strict=True):
            if name not in SCRATCH:
                assert_equal(first, second, what)
    elif getattr(one, "dtype", np.dtype(float)).names:
        for name in one.dtype.names:
            assert_equal(one[name], other[name], f"{what}, {name}")
    elif one is not None:
        tolerance = 1e-5 if getattr(one, "dtype", None) == np.float32 else 1e-9
        np.testing.assert_allclose(other, one, tolerance, tolerance, err_msg=what)


def unseen() -> list[str]:
    """Return the kernels that are neither recorded nor compiled into one that is."""
    seen = {kernel for kernel, calls in recorded.items() if calls}
    waiting: list[Any] = [kernel.function for kernel in seen]
    known = set(waiting)
    while waiting:
        function = waiting.pop()
        for name in function.__code__.co_names:
            used = function.__globals__.get(name)
            if callable(used) and getattr(used, "__hash__", None):
                kernel = KERNELS.get(used)
                if kernel is not None:
                    seen.add(kernel)
                    used = kernel.function
                if hasattr(used, "__code__") and used not in known:
                    known.add(used)
                    waiting.append(used)
    return [".".join(kernel.name) for kernel in recorded if kernel not in seen]


def compare(kernel: Kernel) -> None:
    """Make a kernel's recorded calls in both forms."""
    for number, arguments in enumerate(recorded[kernel]):
        one, other = copied(arguments, {}), copied(arguments, {})
        results = extensions[kernel](*one), decorators.in_python(kernel.function)(*other)
        what = f"call {number} of {'.'.join(kernel.name)}"
        assert_equal((results[0], one), (results[1], other), what)


def main(rooms: tuple[str, ...]) -> None:
    """Record the scenario, then compare the kernels of some rooms."""
    vars(decorators)["extension_function"] = recording
    vars(extension)["bound"] = recording_bound
    for name in kernel_modules():
        importlib.import_module(name)
    import scenario

    # What is kept there of collision checks would not be computed again.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        scenario.run()
    assert not unseen(), f"the scenario does not call {', '.join(unseen())}"
    for kernel, calls in recorded.items():
        room = kernel.name[0].partition(".")[2]
        if calls and room.startswith(rooms):
            compare(kernel)
            print(room, kernel.name[1], len(calls), flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ("",))
