"""A launch test with one failure, one error, one skipped and one passing test."""

import sys
import unittest

import launch_testing
import launch_testing.actions
import pytest
from launch import LaunchDescription
from launch.actions import ExecuteProcess


@pytest.mark.launch_test
def generate_test_description():
    waiting = ExecuteProcess(cmd=[sys.executable, "-c", "import time; time.sleep(1000)"])
    return LaunchDescription([waiting, launch_testing.actions.ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    def test_that_fails(self):
        raise AssertionError("on purpose")

    @unittest.skip("no need")
    def test_that_is_skipped(self):
        pass


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_with_error(self):
        raise RuntimeError("after shutdown")

    def test_that_passes(self):
        pass
