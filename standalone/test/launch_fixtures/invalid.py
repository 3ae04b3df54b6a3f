"""A launch test without a ReadyToTest action."""

import pytest
from launch import LaunchDescription


@pytest.mark.launch_test
def generate_test_description():
    return LaunchDescription([])
