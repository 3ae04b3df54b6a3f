"""The walk state after calls and returns in all relevant orders."""

from importlib.util import find_spec

import pytest

from rigid_tree_nao.guard.walk_guard import WalkEffect, WalkGuard, WalkState

EFFECTS = {
    "move": WalkEffect.STARTS,
    "moveToward": WalkEffect.STARTS,
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


def happen(walk, events):
    """Send calls, and have them return; return which returns asked for another stop."""
    calls, repeats = {}, []
    for event in events.split():
        name, _, returns = event.partition("-")
        if returns == "ends":
            walk.ended(calls[name].latest)
        elif not returns:
            calls[name] = walk.sent(EFFECTS[name])
        elif walk.returned(calls[name], returns == "returns"):
            repeats.append(event)
    return repeats


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
        ("move move-returns moveTo moveTo-returns move-ends", False),
        ("move moveTo move-ends", True),
    ):
        walk = WalkState(guard)
        happen(walk, events)
        assert walk.is_walking is walks, events


def test_a_robot_that_may_execute_a_walk_after_its_end_is_stopped_again(guard):
    for events, repeats, walks in (
        ("move move-returns stopMove stopMove-returns", "", False),
        ("move stopMove stopMove-returns move-returns", "stopMove-returns move-returns", True),
        ("move stopMove move-returns stopMove-returns", "move-returns", True),
        ("move stopMove move-fails stopMove-returns", "move-fails", True),
        ("move stopMove stopMove-fails move-returns", "stopMove-fails move-returns", True),
        ("move stopMove move-returns stopMove stopMove-returns", "move-returns", False),
        # A walk to a place returns late, and stands then: one more stop is sent early.
        ("moveTo stopMove stopMove-returns stopMove stopMove-returns", "stopMove-returns", True),
        ("moveTo stopMove stopMove-returns moveTo-returns", "stopMove-returns", False),
        ("move moveTo move-returns moveTo-returns", "moveTo-returns", True),
        # A walk that was sent after the stop is not stopped.
        ("move stopMove moveToward stopMove-returns move-returns moveToward-returns", "", True),
        ("move moveToward move-returns moveToward-returns", "", True),
    ):
        walk = WalkState(guard)
        assert happen(walk, events) == repeats.split(), events
        assert walk.is_walking is walks, events


def test_later_walk_replaces_the_earlier_one(walk):
    to_a_place = EFFECTS["moveTo"]
    first, second = walk.sent(to_a_place), walk.sent(to_a_place)
    assert not walk.returned(first, True)
    assert walk.is_walking
    assert walk.returned(second, True)
    assert not walk.returned(walk.sent(EFFECTS["stopMove"]), True)
    assert not walk.is_walking
