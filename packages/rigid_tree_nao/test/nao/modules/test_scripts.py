"""Scripts for Aldebaran's SDK run unchanged on the simulated robot."""

import json
import sys
from pathlib import Path

from nao_harness.simulated import SimulatedNao

from harness.processes import TIMEOUT, Process, free_port, run

SCRIPTS = Path(__file__).parents[2] / "nao_harness" / "scripts.py"
FIRST_CLIENT = """
import os, sys, time
import qi
session = qi.Session()
while True:
    try:
        session.connect(sys.argv[1])
        break
    except RuntimeError:
        time.sleep(0.001)
print(*(entry["name"] for entry in session.services()), flush=True)
os._exit(0)
"""


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


def test_a_client_that_waits_for_the_port_finds_all_services(tmp_path):
    port = free_port()
    url = f"tcp://127.0.0.1:{port}"
    client = Process([sys.executable, "-c", FIRST_CLIENT, url], tmp_path / "client")
    robot = SimulatedNao(port, tmp_path)
    assert client.wait() == 0
    later = run(sys.executable, "-c", FIRST_CLIENT, url, timeout=TIMEOUT, check=True)
    assert client.output.splitlines()[-1] == later.stdout.splitlines()[-1]
    assert "ALMotion" in client.output
    assert robot.end() == 0
