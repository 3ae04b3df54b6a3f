"""A move_group whose arm is made ready once for a file: its tests only plan, or move it back."""

import pytest

from harness.moveit import MoveGroup


@pytest.fixture(scope="module")
def moveit(shared: MoveGroup) -> MoveGroup:
    shared.be_ready()
    return shared
