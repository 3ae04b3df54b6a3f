"""Fixtures of tests with nodes."""

from harness.start.fixtures import network, ros, shared_network

__all__ = ["network", "ros", "shared_network"]
