"""Networks of the tests."""

from harness.start.fixtures import network

__all__ = ["network"]
