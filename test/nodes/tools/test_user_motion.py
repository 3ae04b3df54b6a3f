"""UserMotion's queue of one item."""

import pytest

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.motion.user_motion import Latest


def test_a_target_is_followed_after_one_that_failed():
    started, followed = [], []

    async def follow(target):
        followed.append(target)
        if target == 1:
            latest.request(2)
            raise RigidTreeError("no reply")

    latest = Latest(started.append, follow)
    latest.request(1)
    for error in (RigidTreeError, StopIteration):
        with pytest.raises(error):
            started.pop()().send(None)
    assert followed == [1, 2]
