"""Runs connection_cases.py in a separate process: libqi crashes beside coal and Pinocchio."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.processes import run
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.robot.connection import load_libqi, message_of

pytest.importorskip("coal")
CASES = Path(__file__).with_name("connection_cases.py")
TIMEOUT = 1500.0  # s


@pytest.mark.skipif(find_spec("qi") is None, reason="libqi: pip install qi (Python 3.8 to 3.12)")
def test_the_connection() -> None:
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", CASES)
    done = run(sys.executable, *words, timeout=TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_words_without_a_traceback() -> None:
    text = "RuntimeError: ALMotion::x\n\tno joint\n\nAt:\n  /robot/motion.py(11): x\n"
    assert message_of(text) == "ALMotion::x no joint"


def test_libqi_is_not_loaded_where_it_would_crash() -> None:
    with pytest.raises(NaoError, match="separate process"):
        load_libqi()
