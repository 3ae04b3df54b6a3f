"""A move_group with an arm that a file of tests shares."""

import pytest
from moveit_harness.move_group import MoveGroup


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared
