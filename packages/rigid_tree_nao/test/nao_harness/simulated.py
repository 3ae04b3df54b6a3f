"""The simulated NAO in its own process, without ROS."""

import json
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from harness.processes import TIMEOUT, Process, run, wait_until

MODULE = "rigid_tree_nao.simulated.server"


class SimulatedNao(Process):
    """A simulated robot on a port; skips the test without libqi."""

    def __init__(self, port: int, directory: Path, *arguments: str) -> None:
        if find_spec("qi") is None:  # not imported: it crashes beside coal
            pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
        log = directory / f"nao_{len(list(directory.glob('nao_*')))}"
        super().__init__([sys.executable, "-m", MODULE, "--port", str(port), *arguments], log)
        wait_until(lambda: "simulated NAO" in self.output, "the simulated NAO")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.is_running:
            self.send_signal(signal.SIGCONT)
        return super().end(how)


# -- calls with libqi, in a separate process: it crashes beside coal -----------------------------


PROGRAM = """
import json, os, sys
import qi
url, service, method, arguments = sys.argv[1:]
session = qi.Session()
session.connect(url)
print(json.dumps(getattr(session.service(service), method)(*json.loads(arguments))), flush=True)
os._exit(0)
"""


def naoqi_call(port: int, service: str, method: str, *arguments: Any) -> Any:
    """Return what the robot at this port returns."""
    url = f"tcp://127.0.0.1:{port}"
    words = (url, service, method, json.dumps(arguments))
    done = run(sys.executable, "-c", PROGRAM, *words, timeout=TIMEOUT, check=True)
    return json.loads(done.stdout.splitlines()[-1])
