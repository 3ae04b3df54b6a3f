"""Fixtures for tests of nodes. A conftest.py imports those that its tests use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy

from harness.network import Network
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
