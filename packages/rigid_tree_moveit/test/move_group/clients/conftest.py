"""A move_group with a commander's arm in this process."""

from collections.abc import Iterator

import pytest
from moveit_harness.move_group import PATIENCE, MoveGroup

from rigid_tree_moveit import commander


@pytest.fixture(scope="module")
def domain(shared: MoveGroup) -> Iterator[None]:
    """Have this process in move_group's domain."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in shared.network.environment.items():
            patch.setenv(name, value)
        yield
        commander.roscpp_shutdown()


@pytest.fixture
def ros(domain: None, moveit: MoveGroup) -> MoveGroup:
    return moveit


@pytest.fixture
def arm(ros: MoveGroup) -> commander.MoveGroupCommander:
    return commander.MoveGroupCommander("panda_arm", wait_for_servers=PATIENCE)
