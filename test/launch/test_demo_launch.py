"""demo.launch.py: the guided tour makes all its steps, and with once:=true ends by itself."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

LAUNCH = Path(__file__).parents[2] / "launch" / "demo.launch.py"
DOMAIN = str(66 + os.getpid() % 8)
TIMEOUT = 150.0  # s
STEPS = [
    r"1/\d +Frames: .*: (\d+) moving frames in",
    r"2/\d +Inverse kinematics: .*: found in .* within (\S+) mm",
    r"3/\d +Planning: .*: a path of (\d+) points",
    r"4/\d +Execution: .* all joints within (\S+) rad of the goal",
    r"\d/\d +Dynamics: .*: (\d+) states in .* the energy changed by (\S+) J",
]
ONCE = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

arguments = {"once": "true", "pause": "0.0", "web_port": sys.argv[2], "nao_port": sys.argv[3]}
demo = IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments.items()
)
service = LaunchService()
service.include_launch_description(LaunchDescription([demo]))
sys.exit(service.run())
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def page(port):
    """Return the page as soon as it is there."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=5.0) as answer:
                return answer.read()
        except urllib.error.URLError:
            assert time.monotonic() < deadline, "the page never came"
            time.sleep(0.2)


def test_the_tour_makes_every_step_and_ends(tmp_path):
    port = free_port()
    log = tmp_path / "log"
    with log.open("w") as output:
        tour = subprocess.Popen(
            [sys.executable, "-c", ONCE, str(LAUNCH), str(port), str(free_port())],
            env={**os.environ, "ROS_DOMAIN_ID": DOMAIN},
            stdout=output,
            stderr=output,
        )
        try:
            assert b"viser" in page(port).lower()
            code = tour.wait(TIMEOUT)
        finally:
            tour.send_signal(signal.SIGINT)  # which ends the nodes, too
            tour.wait()
    text = log.read_text()
    assert code == 0, text
    for step in STEPS:
        assert re.search(step, text), f"{step}\n{text}"
    if find_spec("qi") is not None:
        assert re.search(r"NAO: .*: woke up and waved within", text), text
    assert "The tour took" in text
    millimetres = float(re.search(r"within (\S+) mm", text).group(1))
    assert millimetres < 2e-3  # ik_server's tolerance
    assert float(re.search(r"energy changed by (\S+) J", text).group(1)) < 1e-9
    assert "Traceback" not in text, text
