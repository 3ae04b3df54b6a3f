"""Calls of a robot with libqi's Python package, in a separate process: it crashes beside coal."""

import json
import sys
from typing import Any

from harness.processes import TIMEOUT, run

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
