"""Kernels that are not compiled are, at the first call; changed ones again, and no others.

Most tests run a small kernel, ``ik/probe.py``, in a copy of the package whose rooms have empty
``__init__.py``, so that nothing but what the kernel needs is compiled.
"""

import ast
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigid_tree_kinematics
from harness.processes import compilations, wait_until
from rigid_tree_kinematics.kernels.build import kernel_modules
from rigid_tree_kinematics.kernels.decorators import in_python
from rigid_tree_kinematics.kernels.sources import MACHINERY, sources_of

SOURCE = Path(rigid_tree_kinematics.__file__).parent
ROOMS = ("kernels", "model", "kinematics", "dynamics", "ik", "collision")

PROBE = """
from rigid_tree_kinematics.dynamics.arithmetic import ZERO, dot, plus
from rigid_tree_kinematics.ik.search.descent import half_square
from rigid_tree_kinematics.ik.chain.layout import METHOD
from rigid_tree_kinematics.kernels import kernel, types

@kernel(types.float64(types.float64))
def probe(x):
    six = plus(ZERO, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0), x)
    return dot(six, six) + 100.0 * half_square(six) + 10000.0 * METHOD
"""
COMPILING = "Compiling kernels, once: 1.\n"
RUN_PROBE = """
from rigid_tree_kinematics.ik.probe import probe
print(probe(1.0))
"""


def copy_package(folder: Path) -> Path:
    copy = folder / "rigid_tree_kinematics"
    copy.mkdir()
    for path in SOURCE.glob("*.py"):
        shutil.copy2(path, copy)
    left_out = shutil.ignore_patterns("__pycache__", "differential")  # needs whole rooms
    for room in ROOMS:
        shutil.copytree(SOURCE / room, copy / room, ignore=left_out)
    for room in ROOMS[1:]:
        for door in (copy / room).rglob("__init__.py"):
            door.write_text("")
    (copy / "ik" / "probe.py").write_text(PROBE)
    return copy


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a copy of the package that compiles nothing but ``ik/probe.py``."""
    return copy_package(tmp_path)


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = copy_package(tmp_path_factory.mktemp("compiled"))
    assert answer(start(made)) == (VALUE, COMPILING)
    return made


@pytest.fixture
def compiled(compiled_once: Path, tmp_path: Path) -> Path:
    """Return a copy like ``package`` that has its kernel."""
    return Path(shutil.copytree(compiled_once, tmp_path / compiled_once.name))


def start(package: Path, code: str = RUN_PROBE, **env: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    kept["PYTHONPATH"] = os.pathsep.join([str(package.parent), kept.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | env,
        cwd=package.parent,
    )


def answer(process: subprocess.Popen[str]) -> tuple[float, str]:
    """Return the kernel's value, and what was logged, without the progress on a slow machine."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return float(out), "".join(line for line in err.splitlines(True) if line[0] != "[")


def modules(folder: Path) -> list[Path]:
    return list(folder.rglob("_kernels-*.so"))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


VALUE = 6.0 + 100.0 * 3.0 + 10000.0 * 12
DOT = " + ".join(f"a[{k}] * b[{k}]" for k in range(6))
EDITS = (
    ("dynamics/arithmetic.py", DOT, f"2.0 * ({DOT})", 6.0),
    ("ik/probe.py", "100.0", "101.0", 3.0),
    ("ik/search/descent.py", "return 0.5 * (", "return 0.25 * (", -101.0 * 1.5),
    ("ik/chain/layout.py", "METHOD = 12", "METHOD = 13", 10000.0),
)


def test_an_edit_of_anything_in_a_kernel_changes_its_answer(compiled: Path) -> None:
    value = VALUE
    assert answer(start(compiled)) == (value, "")
    for file, old, new, change in EDITS:
        edit(compiled / file, old, new)
        value += change
        assert answer(start(compiled)) == (value, COMPILING), file
        assert len(list(compiled.rglob("*__probe-*.o"))) == 1  # the older kernel is gone
    assert answer(start(compiled)) == (value, "")


def test_a_copy_with_other_dates_and_edits_elsewhere_compile_nothing(compiled: Path) -> None:
    for path in compiled.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    edit(compiled / "ik" / "solver.py", "from __future__", "# Comment.\nfrom __future__")
    assert answer(start(compiled)) == (VALUE, "")
    moved, linked = (compiled.parent / folder / compiled.name for folder in ("copy", "link"))
    shutil.copytree(compiled, moved)
    linked.parent.mkdir()
    linked.symlink_to(compiled)  # as colcon does with --symlink-install
    for place in (moved, linked):
        assert answer(start(place)) == (VALUE, "")


def test_a_chosen_folder_is_used_but_not_if_others_can_write_there(
    package: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "chosen"
    for report in (COMPILING, ""):
        assert answer(start(package, NUMBA_CACHE_DIR=str(folder))) == (VALUE, report)
    (made,) = modules(folder)
    assert not modules(package)
    folder.chmod(0o777)
    value, log = answer(start(package, NUMBA_CACHE_DIR=str(folder)))
    assert value == VALUE
    assert "The compiled kernels are not used: " in log
    assert f"chmod go-w '{folder}'" in log
    folder.chmod(0o700)
    made.write_bytes(b"\x7fELF")  # damaged
    value, log = answer(start(package, NUMBA_CACHE_DIR=str(folder)))
    assert value == VALUE
    assert log.endswith(COMPILING)
    assert answer(start(package, NUMBA_CACHE_DIR=str(folder))) == (VALUE, "")


def test_a_package_that_cannot_be_written_is_compiled_for_the_user(
    package: Path, tmp_path: Path
) -> None:
    place = package / "kernels" / "__pycache__"
    place.write_text("A file where the folder would be: for root, too.")
    for report in (COMPILING, ""):
        assert answer(start(package, XDG_CACHE_HOME=str(tmp_path / "home"))) == (VALUE, report)
    assert modules(tmp_path / "home")


def test_without_any_folder_kernels_are_compiled_for_one_process(
    package: Path, tmp_path: Path
) -> None:
    (package / "kernels" / "__pycache__").write_text("")
    value, report = answer(start(package, XDG_CACHE_HOME="/dev/null", TMPDIR=str(tmp_path)))
    assert value == VALUE
    assert "cannot be stored" in report
    assert "NUMBA_CACHE_DIR" in report
    assert not list(tmp_path.glob("kernels-*"))


def test_what_pip_installed_is_compiled_for_the_user_and_never_within_a_time_limit(
    package: Path, tmp_path: Path
) -> None:
    (package.parent / "rigid_tree_kinematics-0.1.0.dist-info").mkdir()
    code = """
import sys
from rigid_tree_kinematics.ik.probe import probe
from rigid_tree_kinematics.deadline import Deadline
deadline = Deadline(2.0)
assert deadline.left > 1.0, deadline.left
assert "numba" not in sys.modules
print(probe(1.0))
assert deadline.left > 1.0, deadline.left
"""
    for report in (COMPILING, ""):
        found = answer(start(package, code, XDG_CACHE_HOME=str(tmp_path / "home")))
        assert found == (VALUE, report)
    assert modules(tmp_path / "home")
    assert not modules(package)


def test_without_a_compiler_numba_compiles_and_caches_as_usual(
    package: Path, tmp_path: Path
) -> None:
    environment = {"PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "home")}
    code = RUN_PROBE + "print(sum(probe.stats.cache_hits.values()))"
    for hits in (0, 1):
        out, log = start(package, code, **environment).communicate(timeout=300)
        assert out.split() == [str(VALUE), str(hits)], log
        assert "Numba compiles each kernel at import: no C compiler" in log
    edit(package / "ik" / "search" / "descent.py", "return 0.5 * (", "return 0.25 * (")
    out, _ = start(package, code, **environment).communicate(timeout=300)
    assert out.split() == [str(VALUE - 150.0), "0"]


def test_kernels_are_plain_functions_with_numbas_switch(package: Path) -> None:
    code = RUN_PROBE + "import sys; assert type(probe).__name__ == 'function'"
    assert answer(start(package, code, NUMBA_DISABLE_JIT="1")) == (VALUE, "")


def test_plain_kernels_take_records_by_attributes() -> None:
    room = np.zeros(1, np.dtype([("count", np.int64)]))

    def add(arrays: tuple[Any, ...], number: int) -> None:
        arrays[0][0].count += number

    in_python(add)((room,), 3)
    assert room["count"][0] == 3


def test_a_kernel_that_numba_rejects_is_named(package: Path) -> None:
    edit(package / "ik" / "probe.py", "return dot", "x = x.upper()\n    return dot")
    _, log = start(package).communicate(timeout=300)
    assert "KernelError: kernels cannot be compiled" in log
    assert 'ik/probe.py"' in log


def test_processes_that_start_together_compile_once(package: Path) -> None:
    answers = [answer(process) for process in [start(package) for _ in range(3)]]
    assert {value for value, _ in answers} == {VALUE}
    assert answer(start(package)) == (VALUE, "")
    assert len(modules(package)) == len(list(package.rglob("*__probe-*.o"))) == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_compilation_outlives_the_process_that_needs_it(
    package: Path, tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "chosen"
    endless = "time.sleep(1e6)"  # longer than any kernel takes
    edit(package / "kernels" / "build.py", "object_code(kernel))", f"{endless})")
    edit(package / "kernels" / "build.py", "import tempfile", "import tempfile\nimport time")
    process = start(package, NUMBA_CACHE_DIR=str(folder))
    wait_until(lambda: len(compilations(folder)) > 1, "a process of the pool")
    process.send_signal(number)
    process.communicate()
    wait_until(lambda: not compilations(folder), "the end of the compilation")
    assert not modules(folder)


def imports_when_loaded(body: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the modules of the package that a file imports at once, not for types only."""
    for node in body:
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(node, ast.FunctionDef):
            yield from imports_when_loaded(ast.iter_child_nodes(node))


def test_all_that_the_kernels_files_import_is_among_their_sources() -> None:
    modules = kernel_modules()
    assert len(modules) >= 10
    for module in modules:
        sources = sources_of(SOURCE.parent.joinpath(*module.split(".")).with_suffix(".py"))
        for source in sources:
            for name in imports_when_loaded(ast.parse(source.read_text()).body):
                # How kernels are declared and loaded does not change what is compiled.
                ours = name.split(".")[0] == SOURCE.name
                if ours and name.rpartition(".")[2] not in ("kernels", *MACHINERY):
                    place = SOURCE.parent.joinpath(*name.split("."))
                    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
                    assert file in sources, (source, name)
