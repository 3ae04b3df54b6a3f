"""A move_group with a simulated Panda, and pymoveit2 as its client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.moveit import MoveGroup


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MoveGroup]:
    made = MoveGroup(tmp_path_factory.mktemp("move_group"))
    yield made
    made.close()


@pytest.fixture
def moveit(shared: MoveGroup) -> MoveGroup:
    """The same for all tests: the arm ready, the scene empty."""
    shared.be_ready()
    return shared
