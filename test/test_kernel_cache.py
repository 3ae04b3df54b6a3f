"""Numba's kernels on disk: recompiled when their sources change, and only then.

Most tests run a small kernel, ``ik/probe.py``, in a copy of the package whose rooms have empty
``__init__.py``, so that nothing but what the kernel needs is compiled.
"""

import ast
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rigid_tree_kinematics
from rigid_tree_kinematics.kernels.build import kernel_modules
from rigid_tree_kinematics.kernels.sources import sources_of

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
COMPILING = "Compiling kernels, once.\n"
RUN_PROBE = """
from rigid_tree_kinematics.ik.probe import probe
print(probe(1.0), sum(probe.stats.cache_hits.values()), sum(probe.stats.cache_misses.values()))
"""


def copy_package(folder: Path) -> Path:
    copy = folder / "rigid_tree_kinematics"
    copy.mkdir()
    for path in SOURCE.glob("*.py"):
        shutil.copy2(path, copy)
    for room in ROOMS:
        shutil.copytree(SOURCE / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
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
    assert answer(start(made)) == (VALUE, 0, 1, COMPILING)
    return made


@pytest.fixture
def compiled(compiled_once: Path, tmp_path: Path) -> Path:
    """Return a copy like ``package`` that has its kernel."""
    return Path(shutil.copytree(compiled_once, tmp_path / compiled_once.name))


def start(
    package: Path, code: str = RUN_PROBE, before: Callable[[], None] | None = None, **env: str
) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    kept["PYTHONPATH"] = os.pathsep.join([str(package.parent), kept.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | env,
        cwd=package.parent,
        preexec_fn=before,
    )


def answer(process: subprocess.Popen[str]) -> tuple[float, int, int, str]:
    """Return the kernel's value, how often the cache had it and had not, and what was logged."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    value, hits, misses = out.split()
    return float(value), int(hits), int(misses), err


def cached(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("probe.probe-*"))


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
    assert answer(start(compiled)) == (value, 1, 0, "")
    for file, old, new, change in EDITS:
        before = cached(compiled)
        edit(compiled / file, old, new)
        value += change
        assert answer(start(compiled)) == (value, 0, 1, COMPILING), file
        assert len(cached(compiled)) == len(before) == 2  # the index and the code
        assert not set(cached(compiled)) & set(before)  # the older kernel is gone
    assert answer(start(compiled)) == (value, 1, 0, "")


def test_a_copy_with_other_dates_and_edits_elsewhere_compile_nothing(compiled: Path) -> None:
    for path in compiled.rglob("*.py"):
        os.utime(path, (1e9, 1e9))
    edit(compiled / "ik" / "solver.py", "from __future__", "# Comment.\nfrom __future__")
    assert answer(start(compiled)) == (VALUE, 1, 0, "")
    moved, linked = (compiled.parent / folder / compiled.name for folder in ("copy", "link"))
    shutil.copytree(compiled, moved)
    linked.parent.mkdir()
    linked.symlink_to(compiled)  # as colcon does with --symlink-install
    for place in (moved, linked):
        assert answer(start(place)) == (VALUE, 1, 0, "")


def test_a_chosen_folder_is_used_but_a_planted_file_is_not_run(
    package: Path, tmp_path: Path
) -> None:
    """What a cache holds runs when it is read: this file tells by another one that it did."""
    folder, ran = tmp_path / "chosen", tmp_path / "ran"
    for hits, misses, report in ((0, 1, COMPILING), (1, 0, "")):
        found = answer(start(package, NUMBA_CACHE_DIR=str(folder)))
        assert found == (VALUE, hits, misses, report)
    assert len(cached(folder)) == 2
    assert not cached(package)
    (index,) = folder.rglob("*.nbi")
    index.write_bytes(f"cos\nsystem\n(S'touch {ran}'\ntR.".encode())
    folder.chmod(0o777)
    value, hits, _, log = answer(start(package, NUMBA_CACHE_DIR=str(folder)))
    assert (value, hits, ran.exists()) == (VALUE, 0, False)
    assert f"chmod go-w '{folder}'" in log
    assert log.count("\n") == 1


def test_a_package_that_cannot_be_written_is_cached_for_the_user(
    package: Path, tmp_path: Path
) -> None:
    (package / "ik" / "__pycache__").write_text("A file where the folder would be: for root, too.")
    for hits, misses, report in ((0, 1, COMPILING), (1, 0, "")):
        found = answer(start(package, XDG_CACHE_HOME=str(tmp_path / "home")))
        assert found == (VALUE, hits, misses, report)
    assert len(cached(tmp_path / "home")) == 2


def test_a_package_installed_by_pip_compiles_a_kernel_when_it_is_called(
    package: Path, tmp_path: Path
) -> None:
    (package.parent / "rigid_tree_kinematics-0.1.0.dist-info").mkdir()
    code = "import sys; from rigid_tree_kinematics.ik.probe import probe; "
    code += "print('numba' in sys.modules, probe(1.0), probe(1.0), 'numba' in sys.modules)"
    for report in (COMPILING, ""):
        process = start(package, code, XDG_CACHE_HOME=str(tmp_path / "home"))
        out, err = process.communicate(timeout=300)
        assert (out.split(), err) == (["False", f"{VALUE}", f"{VALUE}", "True"], report)
    assert len(cached(tmp_path / "home")) == 2


def test_without_any_folder_kernels_are_compiled_in_memory(package: Path) -> None:
    (package / "ik" / "__pycache__").write_text("")
    value, hits, _, report = answer(start(package, XDG_CACHE_HOME="/dev/null"))
    assert (value, hits) == (VALUE, 0)
    assert report.count("\n") == 1
    assert "cannot be cached" in report
    assert "NUMBA_CACHE_DIR" in report


def test_a_full_disk_is_no_error(package: Path, tmp_path: Path) -> None:
    def no_larger_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    for room in (0, 2000):  # nothing fits; the index fits
        folder = str(tmp_path / f"chosen_{room}")
        # Python 3.11.2 leaves cut-off bytecode behind, and cannot import it afterwards.
        environment = {"NUMBA_CACHE_DIR": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        value, hits, misses, report = answer(start(package, before=no_larger_files, **environment))
        assert (value, hits, misses) == (VALUE, 0, 1)
        assert report.startswith(COMPILING)
        assert report.count("\n") == 2
        assert "File too large" in report
        assert answer(start(package, NUMBA_CACHE_DIR=folder)) == (VALUE, 0, 1, COMPILING)


def test_a_damaged_file_is_replaced(compiled: Path) -> None:
    for suffix in ("nbi", "nbc"):
        (file,) = compiled.rglob(f"probe.probe-*.{suffix}")
        file.write_bytes(b"")
        assert answer(start(compiled)) == (VALUE, 0, 1, COMPILING), suffix
    assert answer(start(compiled)) == (VALUE, 1, 0, "")


def test_processes_that_start_together_compile_once(package: Path) -> None:
    answers = [answer(process) for process in [start(package) for _ in range(4)]]
    assert {value for value, *_ in answers} == {VALUE}
    assert sum(misses for _, _, misses, _ in answers) == 1
    assert answer(start(package)) == (VALUE, 1, 0, "")
    assert len(cached(package)) == 2


def test_an_edit_reaches_the_dynamics_and_leaves_the_other_kernels_alone(tmp_path: Path) -> None:
    package = tmp_path / "rigid_tree_kinematics"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("nodes", "viewer", "planning"))
    shutil.copytree(SOURCE.parent / "robots", tmp_path / "robots")
    code = """
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics import mass_matrix
from rigid_tree_kinematics.kinematics.kernels import body_transforms
tree = load_robot("double_pendulum")
print(mass_matrix(tree, [0.0, 0.0])[0, 0], 0, int(hasattr(body_transforms, "py_func")))
"""
    mass, *_ = answer(start(package, code))
    edit(package / "dynamics" / "arithmetic.py", DOT, f"2.0 * ({DOT})")
    changed, _, compiled, _ = answer(start(package, code))
    assert changed == pytest.approx(2.0 * mass)
    assert not compiled


def imports_when_loaded(body: list[ast.stmt]) -> Iterator[str]:
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
            inner = [child for child in ast.walk(node) if isinstance(child, ast.stmt)]
            yield from imports_when_loaded([child for child in inner if child is not node])


def test_all_that_the_kernels_files_import_is_among_their_sources() -> None:
    modules = kernel_modules()
    assert len(modules) >= 10
    for module in modules:
        sources = sources_of(SOURCE.parent.joinpath(*module.split(".")).with_suffix(".py"))
        for source in sources:
            for name in imports_when_loaded(ast.parse(source.read_text()).body):
                # How kernels are declared and loaded does not change what is compiled.
                if name.split(".")[0] == SOURCE.name and not name.endswith(".kernels"):
                    place = SOURCE.parent.joinpath(*name.split("."))
                    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
                    assert file in sources, (source, name)
