"""The walk state after calls and returns in all relevant orders."""

from importlib.util import find_spec

import pytest

from rigid_tree_kinematics.nao.guard.walk_guard import WalkEffect, WalkGuard, WalkState

EFFECTS = {
    "move": WalkEffect.STARTS,
    "moveTo": WalkEffect.STARTS | WalkEffect.ENDS,
    "stopMove": WalkEffect.ENDS,
    "getAngles": WalkEffect.NONE,
}


@pytest.fixture(scope="module")
def guard():
    # Two processes for all tests, which speak to the robot; there is none at this port.
    if find_spec("qi") is None:  # not imported: it crashes beside coal
        pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
    made = WalkGuard("127.0.0.1", 1)
    yield made
    made.release()
    made.close()


@pytest.fixture
def walk(guard):
    return WalkState(guard)


def test_a_walk_lasts_until_a_call_that_was_not_sent_before_it_ends_it(guard):
    for events, walks in (
        ("getAngles getAngles-returns stopMove stopMove-returns", False),
        ("move", True),
        ("move move-returns", True),
        ("move move-returns getAngles getAngles-returns", True),
        ("move move-returns stopMove", True),  # it may not reach the robot
        ("move move-returns stopMove stopMove-returns", False),
        ("moveTo", True),
        ("moveTo moveTo-returns", False),
        ("move move-returns moveTo moveTo-returns", False),
        ("moveTo stopMove moveTo-returns stopMove-returns", False),
        # A walk that replaces another one makes that return early.
        ("moveTo move moveTo-returns move-returns", True),
        ("moveTo move moveTo-returns move-returns stopMove stopMove-returns", False),
        ("stopMove move stopMove-returns move-returns", True),
        # Foot steps end by themselves: seen later, before or after another walk was sent.
        ("move move-returns move-ends", False),
        ("move move moveTo moveTo-returns move-ends", False),
        ("move moveTo move-ends", True),
    ):
        walk = WalkState(guard)
        latest = {}
        for event in events.split():
            name, _, returns = event.partition("-")
            if returns == "ends":
                walk.ended(latest[name])
            elif returns:
                walk.succeeded(EFFECTS[name], latest[name])
            else:
                latest[name] = walk.sent(EFFECTS[name])
        assert walk.is_walking is walks, events


def test_later_walk_replaces_the_earlier_one(walk):
    to_a_place = EFFECTS["moveTo"]
    first, second = walk.sent(to_a_place), walk.sent(to_a_place)
    walk.succeeded(to_a_place, first)
    assert walk.is_walking
    walk.succeeded(to_a_place, second)
    assert not walk.is_walking
