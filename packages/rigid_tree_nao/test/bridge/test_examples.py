"""NAO points at a ball, and tells the same story by libqi's client and by ROS, simulated."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from nao_harness.simulated import SimulatedNao

from harness.processes import free_port, run

EXAMPLES = Path(__file__).parents[2] / "examples"
SENTENCES = ["NAO says: Hello, I am NAO", "NAO says: I am walking", "NAO says: Goodbye"]


def run_story(name, *arguments, **environment):
    done = run(sys.executable, EXAMPLES / name, *arguments, env=os.environ | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def right_hand(story):
    line = next(line for line in story.splitlines() if line.startswith("right hand: "))
    return [float(number) for number in line.removeprefix("right hand: ").split(", ")]


def test_the_story_is_the_same_by_libqi_and_by_ros(lonely_bridge, tmp_path):
    nao = lonely_bridge(namespace="nao")
    port = free_port()
    other = SimulatedNao(port, tmp_path)
    with ThreadPoolExecutor() as pool:  # at the same time, on a robot each
        telling = pool.submit(run_story, "nao_story.py", "--port", str(port))
        by_ros = run_story("nao_story_ros.py", **nao.network.environment)
    by_libqi = telling.result()
    assert other.end() == 0
    assert "arrived: True; walked 0.2" in by_libqi
    assert "battery: 0.8" in by_libqi
    assert "arrived" in by_ros
    assert "stands on the ground: True" in by_ros
    assert right_hand(by_ros) == pytest.approx(right_hand(by_libqi), abs=0.01)
    for robot in (nao.robot, other):
        sentences = [line for line in robot.output.splitlines() if line.startswith("NAO says")]
        assert sentences == SENTENCES
    assert not nao.value("robot_is_wake_up").value


@pytest.mark.skipif(find_spec("qi") is None, reason="libqi: pip install qi (Python 3.8 to 3.12)")
def test_nao_points_at_the_ball(tmp_path):
    port = free_port()
    nao = SimulatedNao(port, tmp_path)
    try:
        done = run(sys.executable, EXAMPLES / "nao_point.py", "--port", port, "--pretend")
        assert done.returncode == 0, done.stdout + done.stderr
        line = next(line for line in done.stdout.splitlines() if "misses the ball" in line)
        assert line.startswith("the LArm")  # the ball is to the left
        assert float(line.split()[-2]) < 1.0  # degrees
    finally:
        nao.end()
