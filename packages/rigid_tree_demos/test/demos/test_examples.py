"""Examples are interrupted without a traceback."""

from pathlib import Path

import pytest

from harness.start.examples import check_ctrl_c

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_ctrl_c_ends_pick_and_place(network):
    pytest.importorskip("pymoveit2")
    check_ctrl_c(network, EXAMPLES / "pick_and_place.py", "/joint_states")
