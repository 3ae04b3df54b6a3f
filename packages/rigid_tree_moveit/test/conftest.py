"""Fixtures of tests with nodes."""

from harness.fixtures import network, ros, shared_network

__all__ = ["network", "ros", "shared_network"]
