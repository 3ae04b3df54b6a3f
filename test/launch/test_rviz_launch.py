"""rviz.launch.py without RViz: it says what is missing, and nothing else stops."""

import os
import subprocess
import sys
from pathlib import Path

LAUNCH_FILE = Path(__file__).parents[2] / "launch" / "rviz.launch.py"
PROGRAM = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

service = LaunchService()
arguments = {"rviz_config": "none.rviz", "fixed_frame": "world"}
source = PythonLaunchDescriptionSource(sys.argv[1])
service.include_launch_description(
    LaunchDescription([IncludeLaunchDescription(source, launch_arguments=arguments.items())])
)
sys.exit(service.run())
"""


def test_a_missing_rviz_is_named(tmp_path):
    # No packages are found here, and so no RViz, if this machine has one.
    environment = {**os.environ, "AMENT_PREFIX_PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(LAUNCH_FILE)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60.0,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the package rviz2 is not installed" in done.stdout + done.stderr
