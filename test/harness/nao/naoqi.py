"""Calls of a robot by libqi's Python package, in a process of its own: it crashes beside coal."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from harness.processes import TIMEOUT

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
    command = [sys.executable, "-c", PROGRAM, url, service, method, json.dumps(arguments)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=True)
    return json.loads(run.stdout.splitlines()[-1])
