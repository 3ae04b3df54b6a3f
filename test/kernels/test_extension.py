"""The extension module has all kernels and checks arguments."""

import importlib
import os
import queue
import sys
import threading
import weakref
from inspect import isbuiltin

import numpy as np
import pytest

from harness.processes import run
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.kernels import build, extension
from rigid_tree_kinematics.kernels.build import kernel_modules
from rigid_tree_kinematics.kernels.registry import KERNELS
from rigid_tree_kinematics.kinematics.kernels import body_transforms, jacobian


def test_it_has_every_kernel():
    for name in kernel_modules():
        importlib.import_module(name)
    assert len(KERNELS) >= 60
    assert [kernel.name for called, kernel in KERNELS.items() if not isbuiltin(called)] == []


V2 = "sse4_1 sse4_2 ssse3 pni cx16 lahf_lm popcnt"
V3 = f"{V2} avx avx2 fma f16c bmi1 bmi2 abm movbe xsave"


def test_a_wheel_has_modules_for_levels_of_processors(monkeypatch):
    for flags, levels in (
        (f"fpu {V3} avx512f", ["x86-64-v3", "x86-64-v2"]),
        (V3.replace("fma ", ""), ["x86-64-v2"]),
        (V2, ["x86-64-v2"]),
        (V3.replace("popcnt", ""), []),
        ("fpu sse2", []),
    ):
        monkeypatch.setattr(extension, "_processor_lines", lambda f=flags: [f"flags\t: {f}"])
        assert extension.levels() == levels


def test_kernels_are_emitted_for_another_architecture():
    code = """
from rigid_tree_kinematics.kernels import build, compiler, extension
(kernel,) = (k for k in build._registered() if k.name[1] == "chain_transform")
print(extension.module_name(extension.this_processor()), compiler.object_code(kernel)[18:20].hex())
"""
    target = {"KERNELS_TARGET": "aarch64-linux-gnu", "NUMBA_CPU_NAME": "x86-64-v2"}
    done = run(sys.executable, "-c", code, env=os.environ | target)
    name = f"_kernels-aarch64.{sys.implementation.cache_tag}-aarch64-linux-gnu.so"
    assert done.stdout.split() == [name, "b700"], done.stderr  # EM_AARCH64


def test_waiting_for_another_build_is_reported(tmp_path, monkeypatch):
    target, messages = tmp_path / "kernels.so", queue.Queue()
    monkeypatch.setattr(build, "print", lambda text, **_: messages.put(text), raising=False)

    def build_as_well():
        with build._alone(target):
            messages.put("building")

    other = threading.Thread(target=build_as_well, daemon=True)
    with build._alone(target):
        assert messages.empty()
        other.start()
        expected = f"waiting for another process that builds {target}"
        assert messages.get(timeout=60.0) == expected
        assert messages.empty()
    assert messages.get(timeout=60.0) == "building"


def test_kernels_of_packages_that_are_gone_are_removed(tmp_path):
    gone, foreign, own = (tmp_path / name for name in ("gone", "foreign", "own"))
    extension.make_folder(gone)
    (gone / extension.OWNER).write_text(str(tmp_path / "nowhere"))
    foreign.mkdir()
    extension.make_folder(own)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["foreign", "own"]


TABLE = load_robot("panda").compiled().table
Q, OUT = np.zeros(7), np.empty((len(TABLE), 4, 4))


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def test_a_wrong_argument_is_named():
    for arguments, complaint in (
        ((TABLE, Q), "with 2 arguments, too few"),
        ((TABLE, Q, OUT, Q), "with 4 arguments, too many"),
        ((TABLE, [0.0] * 7, OUT), "argument 2 of body_transforms .* C-contiguous array"),
        ((TABLE, Q.astype(np.float32), OUT), "argument 2 .* type 'd' with 1 axes"),
        ((TABLE, Q[:, None], OUT), "argument 2"),
        ((TABLE, np.zeros(14)[::2], OUT), "argument 2"),
        ((TABLE, Q, np.asfortranarray(OUT)), "argument 3 .* C-contiguous writable array"),
        ((TABLE, Q, read_only(OUT)), "argument 3 .* writable"),
        ((None, Q, OUT), "argument 1"),
    ):
        with pytest.raises(TypeError, match=complaint):
            body_transforms(*arguments)
    assert body_transforms(read_only(TABLE), Q, OUT)  # it is only read


def bound_frames(table=TABLE):
    """Return the frames of a configuration, or what the general way is called with."""
    return extension.bound(body_transforms, (table,), (Q,), (), OUT, lambda *x: x)


def test_bound_kernel_falls_back_to_the_general_call():
    for arguments in (
        ([0.0] * 7,),
        (Q.astype(np.float32),),
        (Q.astype(">f8"),),
        (np.zeros(8),),
        (Q[None],),
        (np.zeros(14)[::2],),
        (np.full(7, np.nan),),
        (Q, OUT[:2]),
        (Q, read_only(OUT)),
        (Q, OUT, None),
        (),
    ):
        given = bound_frames()(*arguments)
        assert len(given) == len(arguments)
        assert all(x is y for x, y in zip(given, arguments, strict=True))


def test_a_bound_kernel_answers_as_the_kernel_does():
    frames = bound_frames()
    q = np.linspace(-1.0, 1.0, 7)
    body_transforms(TABLE, q, OUT)
    np.testing.assert_array_equal(frames(read_only(q)), OUT)
    out = np.empty_like(OUT)
    assert frames(q, out) is out
    np.testing.assert_array_equal(out, OUT)
    expected = np.empty((6, 7))
    six = extension.bound(jacobian, (TABLE,), (Q, 0, 0), (), expected, lambda *x: None)
    jacobian(TABLE, q, 7, True, expected)
    np.testing.assert_array_equal(six(q, 7, True), expected)
    assert six(q, 7.0, True) is six(q, 7) is six(q[:6], 7, True) is None
    np.testing.assert_array_equal(six(q, 7, True, None), expected)


def test_a_bound_kernel_keeps_its_arrays_and_no_others():
    table, q, out = read_only(TABLE), Q.copy(), np.empty_like(OUT)
    frames, alive = bound_frames(table), weakref.ref(table)
    counts = [sys.getrefcount(x) for x in (q, out)]
    del table
    for _ in range(3):
        frames(q), frames(q, out), frames(np.full(7, np.nan), out), frames([], out)
    assert [sys.getrefcount(x) for x in (q, out)] == counts
    assert alive() is not None
    del frames
    assert alive() is None


def test_binding_a_kernel_to_wrong_arguments_is_rejected():
    for fixed, inputs, space, result in (
        ((), (Q,), (), OUT),
        ((TABLE,), (), (), OUT),
        ((TABLE,), (Q[:, None],), (), OUT),
        ((TABLE,), (Q,), (OUT,), OUT),
        ((TABLE,), (Q,), (), OUT[0]),
        ((TABLE,), (7.5,), (), OUT),
        ((TABLE,), (Q,) * 9, (), OUT),
    ):
        with pytest.raises(TypeError):
            extension.bound(body_transforms, fixed, inputs, space, result, lambda *x: x)
