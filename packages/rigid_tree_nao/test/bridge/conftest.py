"""Simulated NAOs with bridges, and a browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.page.browser import opened_browser
from harness.start.fixtures import network

__all__ = ["network"]

browser = pytest.fixture(scope="module", name="browser")(opened_browser)


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
    """Return a Bridge, imported only here: it needs libqi."""
    from nao_harness.bridge import Bridge

    return Bridge(directory, **parameters)
