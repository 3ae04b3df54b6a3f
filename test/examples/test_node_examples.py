"""The examples with nodes and robots, on simulated ones."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.skipif(find_spec("qi") is None, reason="libqi: pip install qi (Python 3.8 to 3.12)")
def test_nao_points_at_the_ball(tmp_path):
    from nao_harness.simulated import SimulatedNao

    from harness.processes import free_port, run

    port = free_port()
    nao = SimulatedNao(port, tmp_path)
    try:
        words = ("--port", port, "--pretend")
        done = run(sys.executable, EXAMPLES / "nao_point.py", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        line = next(line for line in done.stdout.splitlines() if "misses the ball" in line)
        assert line.startswith("the LArm")  # the ball is to the left
        assert float(line.split()[-2]) < 1.0  # degrees
    finally:
        nao.end()


def test_a_game_pad_moves_the_arm(tmp_path):
    from moveit_harness.servo import Servoing
    from sensor_msgs.msg import Joy

    arm = Servoing(tmp_path)
    example = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "gamepad_servo.py")],
        env={**os.environ, **arm.network.environment},
    )
    try:
        before = arm.tip()
        axes, buttons = [0.0] * 6, [0] * 8
        axes[1] = 0.5  # the left stick ahead
        pad = arm.network.publisher(Joy, "joy")

        def moved() -> bool:
            pad.publish(Joy(axes=axes, buttons=buttons))
            return bool(arm.tip()[0, 3] - before[0, 3] > 0.02)

        arm.network.until(moved, "a tip that moves ahead")
        x, y, _ = arm.tip()[:3, 3] - before[:3, 3]
        assert abs(y) < 0.1 * x  # not sideways, however far it went on a busy machine
    finally:
        example.kill()  # rclpy can miss SIGTERM while messages arrive
        example.wait()
        arm.close()


@pytest.mark.parametrize(
    ("example", "topic"), [("pick_and_place.py", "/joint_states"), ("gamepad_servo.py", "/joy")]
)
def test_ctrl_c_ends_an_example_without_a_traceback(tmp_path, example, topic):
    from harness.network import Network

    if example == "pick_and_place.py":
        pytest.importorskip("pymoveit2")
    network = Network(tmp_path)
    for wait in (0.0, 1.0):  # while it is starting, and while it waits
        process = network.start_program([str(EXAMPLES / example)])
        network.until(lambda: network.node.count_subscribers(topic), "its subscription")
        network.spin_for(wait)
        process.interrupt()
        assert process.wait() == 0, process.output
        assert "Traceback" not in process.output
        network.until(lambda: not network.node.count_subscribers(topic), "its end")
    network.close()
