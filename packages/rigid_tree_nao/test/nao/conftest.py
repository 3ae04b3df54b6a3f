"""A simulated NAO whose time the tests control."""

import pytest

from harness.nao.clockless import ClocklessNao


@pytest.fixture
def nao() -> ClocklessNao:
    """A robot that is awake and stands."""
    made = ClocklessNao()
    made.finish(made.wakeUp())
    made.advance(0.1)
    return made
