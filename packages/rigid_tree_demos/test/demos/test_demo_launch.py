"""demo.launch.py: the guided tour performs all steps, and with once:=true exits."""

import re
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

from harness.processes import free_port, wait_until
from harness.start.launching import launched

TIMEOUT = 400.0  # s
STEPS = [
    r"1/\d +Frames: .*: (\d+) moving frames in",
    r"2/\d +Inverse kinematics: .*: found in .* within 0\.00[12] mm and",
    r"3/\d +Planning: .*: a path of (\d+) points",
    r"4/\d +Execution: .* all joints within 0\.00\d rad of the goal",
    r"\d/\d +Dynamics: .*: (\d+) states in .* the energy changed by at most 0\.001 J",
    r"\d/\d +MoveIt: .*: around the pillar and set down within",
    r"The tour took",
    *([r"NAO: .*: woke up and waved within"] if find_spec("qi") is not None else []),
]


def page(port: int) -> bytes:
    """Return the page; empty if there is none yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=5.0) as answer:
            return bytes(answer.read())
    except urllib.error.URLError:
        return b""


def test_the_tour_makes_every_step_and_ends(tmp_path: Path) -> None:
    port = free_port()
    arguments = {"once": "true", "pause": 0.0, "web_port": port, "nao_port": free_port()}
    with launched("demo.launch.py", tmp_path / "log", **arguments) as tour:
        assert b"viser" in wait_until(lambda: page(port), "the page", TIMEOUT).lower()
        code = tour.wait(TIMEOUT)
    text = tour.output
    assert code == 0, text
    for step in STEPS:
        assert re.search(step, text), f"{step}\n{text}"
    assert text.count("machine is too slow") <= 3, text  # one for each simulated robot
    assert "Traceback" not in text, text
