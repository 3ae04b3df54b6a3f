"""Fixtures of tests with nodes: ROS networks, a planner, a browser.

A conftest.py imports those that its tests use.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy

from harness.network import Network
from harness.page.browser import opened_browser
from harness.planner import Planner
from harness.start.domains import Domain


@pytest.fixture
def ros(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have rclpy started, for nodes in the test's own process."""
    domain = Domain()
    for name, value in domain.environment.items():
        monkeypatch.setenv(name, value)
    rclpy.init()
    yield
    rclpy.try_shutdown()
    domain.close()


browser = pytest.fixture(scope="module", name="browser")(opened_browser)


@pytest.fixture
def network(tmp_path: Path) -> Iterator[Network]:
    made = Network(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared_network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """One network for all tests of a file."""
    made = Network(tmp_path_factory.mktemp("network"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared_planner(shared_network: Network) -> Planner:
    return Planner(shared_network)


@pytest.fixture
def planner(shared_planner: Planner) -> Iterator[Planner]:
    """A planner of all tests of a file, with the scene that it began with."""
    yield shared_planner
    shared_planner.restore_scene()
