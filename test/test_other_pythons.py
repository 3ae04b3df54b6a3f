"""Other Pythons are tried without ROS 2."""

import runpy
import sys
from pathlib import Path

from harness.processes import run

ROOT = Path(__file__).parents[1]
COLLECT = """
import sys, pytest
sys.modules["rclpy"] = None
plain = ("-p", "no:cacheprovider", "-p", "no:launch_testing")
sys.exit(pytest.main(["--collect-only", "-qq", *plain, *sys.argv[1:]]))
"""


def test_tests_for_other_pythons_are_collected_without_ros():
    rooms = runpy.run_path(str(ROOT / "scripts/try_python.py"))["rooms"]()
    assert len(rooms) > 10
    result = run(sys.executable, "-c", COLLECT, *rooms, cwd=ROOT)
    assert result.returncode == 0, result.stdout[-4000:]
