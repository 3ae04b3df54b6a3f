"""One story, told by libqi's own client and by ROS, on the simulated robot."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("qi") is None:  # not imported: it crashes beside coal
    pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)", allow_module_level=True)

EXAMPLES = Path(__file__).parents[3] / "examples"
LONGEST = 120.0  # s
SAID = ["NAO says: Hello, I am NAO", "NAO says: I am walking", "NAO says: Goodbye"]


def told(name, *arguments, **environment):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
        env={**os.environ, **environment},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def right_hand(story):
    line = next(line for line in story.splitlines() if line.startswith("right hand: "))
    return [float(number) for number in line.removeprefix("right hand: ").split(", ")]


def test_the_story_is_the_same_by_libqi_and_by_ros(tmp_path):
    from harness.nao.bridge import Bridge

    nao = Bridge(tmp_path, "nao")
    try:
        by_libqi = told("nao_story.py", "--port", str(nao.port))
        assert "arrived: True; walked 0.2" in by_libqi
        assert "battery: 0.8" in by_libqi
        by_ros = told("nao_story_ros.py", **nao.network.environment)
        assert "arrived" in by_ros
        assert "stands on the ground: True" in by_ros
        assert right_hand(by_ros) == pytest.approx(right_hand(by_libqi), abs=0.01)
        said = [line for line in nao.robot.output.splitlines() if line.startswith("NAO says")]
        assert said == SAID * 2
        assert not nao.value("robot_is_wake_up").value
    finally:
        nao.close()
