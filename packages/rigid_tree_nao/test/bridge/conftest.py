"""A simulated NAO with its bridge."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.fixtures import browser, network, ros, shared_network
from harness.nao.bridge import Bridge

__all__ = ["browser", "network", "ros", "shared_network"]


@pytest.fixture(scope="module")
def shared_nao(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A simulated NAO with its bridge and its frames, for all tests of a file."""
    made = Bridge(tmp_path_factory.mktemp("bridge"))
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
        made.append(Bridge(tmp_path, **{"namespace": "lonely", **parameters}))
        return made[-1]

    yield make
    for one in made:
        one.close()
