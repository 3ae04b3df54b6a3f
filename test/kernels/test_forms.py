"""The extension module: its kernels do exactly what Numba's do, and builds beside each other."""

import os
import sys
from pathlib import Path

import pytest

from harness.processes import run
from rigid_tree_kinematics.kernels import build

PROGRAM = Path(__file__).with_name("compare_forms.py")
# They take every type of argument but records. Without rooms the program compares all kernels,
# which takes some minutes.
ROOMS = (
    "collision.shapes",
    "kinematics.batch",
    "kinematics.topology",
    "planning.planar_demo",
)


def test_all_kernels_are_called_and_both_forms_agree():
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = run(sys.executable, PROGRAM, *ROOMS, env=os.environ | path)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) >= 15


def test_kernels_that_another_build_has_written_meanwhile_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Builds for two versions of Python share object files, but no lock."""
    monkeypatch.setattr(build, "_missing", dict)
    build._emit("planning")
