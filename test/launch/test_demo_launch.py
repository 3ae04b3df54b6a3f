"""demo.launch.py: two robots move and are seen moving; with once:=true it ends by itself."""

import os
import re
import socket
import subprocess
import sys
import unittest
from pathlib import Path

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource

LAUNCH = Path(__file__).parents[2] / "launch" / "demo.launch.py"
DOMAIN = str(41 + os.getpid() % 20)
TIMEOUT = 40.0  # s
ONCE = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

arguments = {"once": "true", "nao_port": sys.argv[2]}
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


@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROS_DOMAIN_ID", DOMAIN),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(LAUNCH)),
                launch_arguments={"once": "false", "nao_port": str(free_port())}.items(),
            ),
            launch_testing.actions.ReadyToTest(),
        ]
    )


class TestDemo(unittest.TestCase):
    def test_both_robots_are_seen_moving(self, proc_output):
        for text in (r"panda/panda_link8 +-?\d", r"nao/Head +-?\d"):
            proc_output.assertWaitFor(re.compile(text), timeout=TIMEOUT, stream="stdout")
        proc_output.assertWaitFor("NAO waved", timeout=TIMEOUT, stream="stderr")

    def test_once_ends_by_itself_with_success(self):
        run = subprocess.run(
            [sys.executable, "-c", ONCE, str(LAUNCH), str(free_port())],
            env={**os.environ, "ROS_DOMAIN_ID": str(int(DOMAIN) + 20)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        assert "All 4 frames were received and moved." in run.stdout
        assert "from the pose that was asked for" in run.stdout


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)
        # The Panda's two nodes, the NAO's three and what lets it wave, the watcher, the IK server,
        # and its demo after a while.
        assert len(proc_info.process_names()) in (8, 9)
