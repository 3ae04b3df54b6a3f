"""A move_group without a driver, asked as MoveIt's own tests ask theirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nodes.moveit.cell import Cell


@pytest.fixture(scope="package")
def shared_cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cell]:
    made = Cell(tmp_path_factory.mktemp("cell"))
    yield made
    made.network.close()


@pytest.fixture
def cell(shared_cell: Cell) -> Cell:
    """The same for all tests, with an empty scene."""
    shared_cell.clear()
    return shared_cell
