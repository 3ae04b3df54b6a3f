"""Wall time, processor time and memory of a new process until its first result.

The programs alternate, each in a new process with its files in memory; the table has medians.
Programs of libraries that are not installed are skipped. With --cold the package is copied to
where pip installs it, and each process compiles the kernels that it imports.
"""

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.frame import Report, main
from rigid_tree_kinematics.kernels import PACKAGE

OURS = "from rigid_tree_kinematics import *; robot = load_robot('panda'); "
HOME = "q = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]; "
PANDA = "cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf"
PINOCCHIO = f"import pinocchio as p; model = p.buildModelFromUrdf('{PANDA}'); "
PROGRAMS = {
    "import NumPy": "import numpy",
    "load a robot": OURS,
    "first transform": OURS + "robot.get_transform(robot.home_configuration(), 'panda_link8')",
    "first IK solution": OURS
    + HOME
    + "T = robot.get_transform(q, 'panda_link8'); "
    + "assert InverseKinematics(robot, 'panda_link8').solve(T).success",
    "first plan between pillars": OURS
    + HOME
    + "from rigid_tree_kinematics.collision import CollisionChecker, load_scene; "
    + "from rigid_tree_kinematics.planning import MotionPlanner; "
    + "planner = MotionPlanner(robot, CollisionChecker(robot, load_scene('panda_pillars'))); "
    + "assert planner.plan(q, [1.0, *q[1:]]).success",
    "import Numba": "import numba",
    "Pinocchio: first transform": PINOCCHIO
    + "p.framesForwardKinematics(model, model.createData(), p.neutral(model))",
    "roboticstoolbox: first transform": "import roboticstoolbox as r; "
    + "p = r.models.Panda(); p.fkine(p.qr)",
}


COLD = ("first IK solution", "first plan between pillars")


def run(options: Any, report: Report) -> None:
    """Measure all programs alternately."""
    if options.cold:
        for name in COLD:
            with tempfile.TemporaryDirectory() as folder:
                report_row(report, f"{name}, cold", [measure(PROGRAMS[name], as_by_pip(folder))])
        return
    seen: dict[str, list[tuple[float, float, float]]] = {name: [] for name in PROGRAMS}
    for _ in range(options.rounds + 1):
        for name in list(seen):
            figures = measure(PROGRAMS[name])
            if figures is None:
                print(f"{name}: does not run here", file=sys.stderr)
                del seen[name]
            else:
                seen[name].append(figures)
    for name, rows in seen.items():
        report_row(report, name, rows[1:])


def report_row(report: Report, name: str, rows: list[Any]) -> None:
    """Report a program's medians."""
    wall, processor, memory = map(statistics.median, zip(*rows, strict=True))
    row = {"wall s": wall, "processor s": processor, "memory MB": memory}
    report.row("new process", name, row)


def as_by_pip(folder: str) -> dict[str, str]:
    """Copy the package as pip installs it, without kernels; return the environment for it."""
    copy = Path(folder, PACKAGE.name)
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for data in ("robots", "scenes"):
        shutil.copytree(PACKAGE.parent / data, copy / data)
    Path(folder, f"{PACKAGE.name}-0.dist-info").mkdir()
    return {"PYTHONPATH": folder, "NUMBA_CACHE_DIR": str(Path(folder, "cache"))}


def measure(
    program: str, variables: dict[str, str] | None = None
) -> tuple[float, float, float] | None:
    """Return the wall time, the processor time (s) and the memory (MB) of a program."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=sysconfig.get_path("purelib"),
        env=os.environ | (variables or {}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    wall = time.perf_counter() - begin
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0


if __name__ == "__main__":
    main(run, rounds=5, cold=False)
