"""A misspelt launch argument is refused, and the message names the nearest one."""

import subprocess

from rigid_tree_kinematics.launching import PACKAGE

TIMEOUT = 60.0  # s

CASES = {
    ("ik.launch.py", "robott:=ur5"): "robot",
    ("double_pendulum.launch.py", "wob:=true"): "web",  # of the file that it includes
    ("bringup.launch.py", "use_sim_tim:=true"): "use_sim_time",
    ("rviz.launch.py", "fixd_frame:=world"): "fixed_frame",
}


def test_misspelt_arguments_are_refused() -> None:
    for (file, word), meant in CASES.items():
        command = ["ros2", "launch", PACKAGE, file, word]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        output = ended.stdout + ended.stderr
        assert ended.returncode == 1, (file, output)
        assert f"no argument '{word.partition(':=')[0]}'; did you mean '{meant}'?" in output, file
        assert "process started" not in output, file
