"""A launch test whose launch ends before its tests."""

import threading
import unittest

import launch_testing.actions
import pytest
from launch import LaunchDescription


@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([launch_testing.actions.ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    def test_that_is_too_slow(self):
        threading.Event().wait(1000)
