"""A ROS network of the test's own, and a simulated NAO on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy

from harness.network import Network, poses_in


def bridge_class() -> Any:
    """Import when it is asked for: it needs NAO's messages."""
    from harness.nao import Bridge

    return Bridge


@pytest.fixture(scope="module")
def ros() -> Iterator[None]:
    """Talk in a domain of this process only, on this machine only."""
    kept = dict(os.environ)
    os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 49)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    rclpy.init()
    yield
    rclpy.try_shutdown()
    os.environ.clear()
    os.environ.update(kept)


@pytest.fixture
def network(ros: None, tmp_path: Path) -> Iterator[Network]:
    made = Network(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared_network(ros: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """One network for all tests of a file."""
    made = Network(tmp_path_factory.mktemp("network"))
    yield made
    made.close()


@pytest.fixture
def root_poses() -> Callable[..., dict[str, np.ndarray]]:
    return poses_in


@pytest.fixture(scope="module")
def shared_nao(ros: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A simulated NAO with its bridge and its frames, for all tests of a file."""
    made = bridge_class()(tmp_path_factory.mktemp("bridge"))
    made.network.start("tree_state_publisher", {"robot": "nao_v6"}, "nao")
    yield made
    made.close()


@pytest.fixture
def nao(shared_nao: Any) -> Any:
    """The same robot, awake, standing, doing nothing."""
    shared_nao.standing()
    return shared_nao


@pytest.fixture
def lonely_nao(ros: None, tmp_path: Path) -> Iterator[Any]:
    """A robot of the test's own, whose process may be harmed."""
    made = bridge_class()(tmp_path, "lonely")
    yield made
    made.close()
