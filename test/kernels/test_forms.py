"""The compiled kernels do what their Python text says."""

import os
import sys
from pathlib import Path

from harness.processes import run

PROGRAM = Path(__file__).with_name("compare_forms.py")
# They take every type of argument. Without rooms the program compares all kernels. Timing is left
# out: the number of phases of a time-optimal motion depends on rounding.
ROOMS = (
    "collision.shapes",
    "collision.world",
    "collision.conservative",
    "collision.lanes",
    "dynamics",
    "ik",
    "kinematics",
    "planning.path",
    "planning.planar_demo",
    "planning.search",
    "servo",
)


def test_all_kernels_are_called_and_both_forms_agree():
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = run(sys.executable, PROGRAM, *ROOMS, env=os.environ | path)
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) >= 15
