"""Modules that a process loads, or lacks."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.processes import run

HEAVY = {"coal", "llvmlite", "matplotlib", "numba", "scipy", "trimesh"}
ON_PYPI = {
    "collada": "pycollada",
    "pinocchio": "pin",
    "markdown_it": "markdown-it-py",
    "mcap_ros2": "mcap-ros2-support",
    "urdf_parser_py": "urdf-parser-py",
}  # where names differ


def loaded(code: str, names: set[str]) -> list[str]:
    """Return which of some modules a program has loaded, in its lines ``print(found())``."""
    found = f"import sys\ndef found(): return sorted({names!r} & sys.modules.keys())\n"
    ended = run(sys.executable, "-c", found + code)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def check_light(modules: Sequence[str]) -> None:
    """Import modules one after another; none may load a heavy library."""
    code = "\n".join(f"import {module}; print('{module}', found())" for module in modules)
    assert loaded(code, HEAVY) == [f"{module} []" for module in modules]


def check_missing(tasks: Mapping[str, str], folder: Path) -> None:
    """Run each task without its package; the error must end with the install command.

    A module that is None in sys.modules is not found, as if it were not installed.
    """
    code = f"""
import sys
for package, task in {dict(tasks)!r}.items():
    sys.modules[package] = None
    try:
        exec(task)
        print(package, "is not missed")
    except Exception as error:
        print(error)
    del sys.modules[package]
"""
    result = run(sys.executable, "-c", code, cwd=folder)
    lines = result.stdout.splitlines()
    assert len(lines) == len(tasks), result
    for package, line in zip(tasks, lines, strict=True):
        assert line.endswith(f"pip install {ON_PYPI.get(package, package)}"), line
