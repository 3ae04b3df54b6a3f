"""Launch tests: a launch file in its own ROS domain, with a probe.

A launch test returns ``description(...)`` from generate_test_description, derives its tests from
``LaunchTestCase``, and one class from ``ExitCodes``. pytest finds this package;
``launch_test`` needs it in PYTHONPATH: ``PYTHONPATH=test:$PYTHONPATH launch_test FILE``.
"""

import os
import sys
import unittest
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import launch_testing
import launch_testing.asserts
from launch import LaunchDescription
from launch.action import Action
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest

from harness.probe import Probe
from harness.processes import Process
from harness.start.domains import Domain

ROOT = Path(__file__).parents[3]
# ``ros2`` in a Python that lacks what pip installs in .venv, like ROS's own.
ROS2 = """
import sys

for package in "coal matplotlib nh3 numba pymoveit2 qi scipy tqdm trimesh viser".split():
    sys.modules[package] = None
sys.executable = sys._base_executable

from ros2cli.cli import main

sys.exit(main())
"""

_domain: Domain | None = None  # of the last description


def path_of(launch_file: str) -> str:
    """Return the path of a launch file, of whichever package has it."""
    (path,) = [*ROOT.glob(f"launch/{launch_file}"), *ROOT.glob(f"packages/*/launch/{launch_file}")]
    return str(path)


def description(
    launch_file: str, arguments: Mapping[str, str], *beside: Action
) -> LaunchDescription:
    """Return a launch file with arguments and further actions, in a new domain."""
    global _domain
    if _domain is not None:
        _domain.close()
    _domain = Domain()
    os.environ.update(_domain.environment)  # inherited by the processes
    source = PythonLaunchDescriptionSource(path_of(launch_file))
    included = IncludeLaunchDescription(source, launch_arguments=arguments.items())
    return LaunchDescription([included, *beside, ReadyToTest()])


@contextmanager
def launched(launch_file: str, log: Path, **arguments: object) -> Iterator[Process]:
    """Run ``ros2 launch`` in its own process and domain, without the nodes' optional packages."""
    domain = Domain()
    words = [f"{name}:={value}" for name, value in arguments.items()]
    command = [sys.executable, "-c", ROS2, "launch", path_of(launch_file), *words]
    process = Process(command, log, domain.environment)
    try:
        yield process
    finally:
        process.end()  # and the nodes with it
        domain.close()


class LaunchTestCase(unittest.TestCase):
    """Tests during the launch; ``probe`` communicates with its nodes."""

    def setUp(self) -> None:
        assert _domain is not None, "generate_test_description must return description(...)"
        self.probe = Probe(_domain.number)

    def tearDown(self) -> None:
        self.probe.close()


@launch_testing.post_shutdown_test()
class ExitCodes(unittest.TestCase):
    """After the launch: the expected number of processes, all with exit code 0."""

    processes = 0  # not counted

    def test_exit_codes(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
        if self.processes:
            assert len(proc_info.process_names()) == self.processes
