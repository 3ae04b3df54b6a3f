"""Fixtures of tests with nodes."""

from harness.fixtures import (
    browser,
    network,
    planner,
    ros,
    shared_network,
    shared_planner,
)

__all__ = ["browser", "network", "planner", "ros", "shared_network", "shared_planner"]
