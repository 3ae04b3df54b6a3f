"""Example programs: run to their end, or interrupted."""

import os
import sys
from pathlib import Path

from harness.network import Network
from harness.processes import run

LONGEST = 120.0  # s


def run_example(path: Path, folder: Path, *arguments: str) -> str:
    """Return what an example prints; its pictures are in the folder."""
    agg = os.environ | {"MPLBACKEND": "Agg"}
    done = run(sys.executable, path, *arguments, cwd=folder, timeout=LONGEST, env=agg)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_ctrl_c(network: Network, path: Path, topic: str) -> None:
    """Interrupt an example while it is starting and while it waits: it ends without traceback."""
    for wait in (0.0, 1.0):
        process = network.start_program([str(path)])
        network.until(lambda: network.node.count_subscribers(topic), "its subscription")
        network.spin_for(wait)
        process.interrupt()
        assert process.wait() == 0, process.output
        assert "Traceback" not in process.output
        network.until(lambda: not network.node.count_subscribers(topic), "its end")
