"""A move_group with an arm that a file of tests shares."""

import pytest

from harness.moveit import MoveGroup


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared
