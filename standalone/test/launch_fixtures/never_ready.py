"""A launch test whose launch is never ready for it."""

import unittest

import launch_testing
import launch_testing.actions
import pytest
from launch import LaunchDescription
from launch.actions import TimerAction


@pytest.mark.launch_test
@launch_testing.ready_to_test_action_timeout(0.2)
def generate_test_description():
    ready = launch_testing.actions.ReadyToTest()
    return LaunchDescription([TimerAction(period=1000.0, actions=[ready])])


class TestWhileRunning(unittest.TestCase):
    def test_that_never_runs(self):
        raise AssertionError("it did")
