"""A simulated NAO whose time the tests control."""

import pytest
from nao_harness.clockless import ClocklessNao


@pytest.fixture
def nao() -> ClocklessNao:
    """A robot that is awake and stands."""
    made = ClocklessNao()
    made.finish(made.wakeUp())
    made.advance(0.1)
    return made
