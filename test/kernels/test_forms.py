"""The extension module's kernels return and write exactly the same as Numba's."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("compare_forms.py")
# Numba compiles them within a minute. They take every type of argument but records; without rooms
# the program compares all kernels, which takes some minutes.
ROOMS = (
    "collision.shapes",
    "collision.world",
    "dynamics.resistance",
    "kinematics.batch",
    "kinematics.topology",
    "perception",
    "planning.planar_demo",
    "planning.timing",
)


def test_all_kernels_are_called_and_both_forms_agree():
    result = subprocess.run(
        [sys.executable, PROGRAM, *ROOMS],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()) >= 20
