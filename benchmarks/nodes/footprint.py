"""Memory and processor time of launch files at rest, and time to the first frame.

RSS counts shared pages in every process; PSS divides them among the processes. Processor time is
the sum over all processes of the launch file during ``--seconds``, after the start.
"""

import time
from typing import Any

from benchmarks.frame import Report, main
from benchmarks.nodes.network import core_share, launched, memory, network

CASES = {
    "bringup": "rigid_tree_kinematics bringup.launch.py robot:=panda",
    "bringup, web": "rigid_tree_kinematics bringup.launch.py robot:=panda web:=true web_port:=0",
    "NAO": "rigid_tree_nao nao.launch.py nao_port:=19559",
    # Waits after its first step, which ends before the measurement.
    "tour": "rigid_tree_demos demo.launch.py web_port:=0 nao_port:=19559 pause:=60.0",
    "description": "rigid_tree_kinematics description.launch.py robot:=panda",
}


def measure(arguments: list[str], options: Any) -> dict[str, float]:
    """Start a launch file, wait until it is at rest, measure, and stop it."""
    with (
        network("footprint") as asker,
        launched(asker, arguments, options.processes) as (launch, first),
    ):
        time.sleep(options.settle)
        processes = launch.children(recursive=True)
        with core_share(processes) as share:
            time.sleep(options.seconds)
        count = {"processes": len(processes)}
        return count | memory(processes) | share | {"first frame s": first}


def run(options: Any, report: Report) -> None:
    """Measure the launch files."""
    for name, arguments in CASES.items():
        if options.only in ("all", name):
            report.row("launch file", name, measure(arguments.split(), options))


if __name__ == "__main__":
    main(run, seconds=20.0, settle=15.0, processes=("one", "each"), only=("all", *CASES))
