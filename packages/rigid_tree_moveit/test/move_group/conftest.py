"""A move_group without a driver, and one with a simulated Panda and pymoveit2 as its client."""

from collections.abc import Iterator

import pytest
from moveit_harness.move_group import MoveGroup

from harness.truth import Truth
from move_group.cell import Cell


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


@pytest.fixture(scope="module")
def truth(shared: MoveGroup) -> Truth:
    return Truth(shared.robot)


@pytest.fixture(scope="package")
def shared_cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    made = Cell.started(tmp_path_factory.mktemp("cell"))
    yield made
    made.network.close()


@pytest.fixture
def cell(shared_cell: Cell) -> Cell:
    """The same for all tests, with an empty scene."""
    shared_cell.clear()
    return shared_cell
