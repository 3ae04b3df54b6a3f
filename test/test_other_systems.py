"""The library needs nothing that only Linux has, apart from compiled kernels and coal."""

import sys
from pathlib import Path

from harness.processes import run

# Takes away what Windows lacks. Compiled kernels stay: Numba would compile for minutes.
ELSEWHERE = """
import os, pathlib, signal, subprocess, sys, tempfile
import numpy, scipy.optimize  # before this, since they choose by the system, too
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getuid", "O_NONBLOCK", "register_at_fork", "sched_getaffinity"):
    delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGXCPU"):
    delattr(signal, name)
"""
FIRST_STEPS = """
import runpy
from rigid_tree_kinematics.description.urdf.xacro_process import limit
limit(1, 1)  # has no effect without the module resource
runpy.run_path(sys.argv[1])["test_first_steps"](pathlib.Path.cwd())
"""
WITHOUT_KERNELS = """
from rigid_tree_kinematics.kernels import extension, first_call
def read_text(*arguments, **options):
    raise FileNotFoundError("/proc/cpuinfo")
pathlib.Path.read_text = read_text
extension.this_processor.cache_clear(), extension.module.cache_clear()
sys.platform = "darwin"
assert extension.module() is None and first_call.has_only_numba()
"""


def test_first_steps_without_what_windows_lacks(tmp_path: Path) -> None:
    steps = Path(__file__).with_name("test_first_steps.py")
    result = run(sys.executable, "-c", ELSEWHERE + FIRST_STEPS, steps, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_other_systems_leave_kernels_to_numba(tmp_path: Path) -> None:
    result = run(sys.executable, "-c", ELSEWHERE + WITHOUT_KERNELS, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert (
        "Numba compiles each kernel at import: kernels are linked on Linux only" in result.stderr
    )
