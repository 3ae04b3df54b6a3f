"""Scripts for Aldebaran's SDK run unchanged on the simulated robot."""

import json
import sys
from pathlib import Path

from nao_harness.simulated import SimulatedNao

from harness.processes import TIMEOUT, free_port, run

SCRIPTS = Path(__file__).parents[2] / "nao_harness" / "scripts.py"


def test_scripts_as_people_write_them_run(tmp_path):
    port = free_port()
    robot = SimulatedNao(port, tmp_path)
    url = f"tcp://127.0.0.1:{port}"
    done = run(sys.executable, SCRIPTS, url, timeout=3.0 * TIMEOUT, check=True)
    results = json.loads(done.stdout.splitlines()[-1])
    assert robot.end() == 0
    failed = {name: trace for name, trace in results.items() if trace}
    assert len(results) > 20
    assert not failed, "\n".join(failed.values())
