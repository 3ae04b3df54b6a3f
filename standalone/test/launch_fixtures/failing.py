"""A launch test with one failure, one error, one skipped and one passing test."""

import unittest

import launch_testing
import launch_testing.actions
import launch_testing.markers
import pytest
from launch import LaunchDescription


@pytest.mark.launch_test
@launch_testing.markers.keep_alive
def generate_test_description():
    return LaunchDescription([launch_testing.actions.ReadyToTest()])


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
