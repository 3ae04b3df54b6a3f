"""Networks and planners of the tests."""

from collections.abc import Iterator

import pytest

from harness.network import Network
from harness.planner import Planner
from harness.start.fixtures import network, ros, shared_network

__all__ = ["network", "ros", "shared_network"]


@pytest.fixture(scope="module")
def shared_planner(shared_network: Network) -> Planner:
    return Planner(shared_network)


@pytest.fixture
def planner(shared_planner: Planner) -> Iterator[Planner]:
    """A planner of all tests of a file, with the scene that it began with."""
    yield shared_planner
    shared_planner.restore_scene()
