"""The example with a gamepad, on a simulated Panda."""

import os
import subprocess
import sys
from pathlib import Path

from moveit_harness.servo import Servoing
from sensor_msgs.msg import Joy

from harness.start.examples import check_ctrl_c

EXAMPLE = Path(__file__).parents[2] / "examples" / "gamepad_servo.py"


def test_a_game_pad_moves_the_arm(tmp_path):

    arm = Servoing(tmp_path)
    example = subprocess.Popen(
        [sys.executable, str(EXAMPLE)],
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


def test_ctrl_c_ends_it_without_a_traceback(network):
    check_ctrl_c(network, EXAMPLE, "/joy")
