"""ROS networks of the tests, and a simulated NAO."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="module")
def shared_nao(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A simulated NAO with its bridge and its frames, for all tests of a file."""
    made = bridge(tmp_path_factory.mktemp("bridge"))
    made.network.start("tree_state_publisher", {"robot": "nao_v6"}, "nao")
    yield made
    made.close()


@pytest.fixture
def nao(shared_nao: Any) -> Any:
    """The same robot, awake, standing, doing nothing."""
    shared_nao.stand_up()
    return shared_nao


@pytest.fixture
def lonely_bridge(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that returns a robot with a bridge of the test's own, which may be harmed."""
    made: list[Any] = []

    def make(**parameters: Any) -> Any:
        made.append(bridge(tmp_path, **{"namespace": "lonely", **parameters}))
        return made[-1]

    yield make
    for one in made:
        one.close()


def bridge(directory: Path, **parameters: Any) -> Any:
    """Return a Bridge, imported only here: it needs NAO's messages."""
    from harness.nao.bridge import Bridge

    return Bridge(directory, **parameters)
