"""Launches of nao.launch.py with an invalid value exit with a reason and exit code 1."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.start.launch_arguments import (
    TAKEN,
    check_failed_start,
    check_wrong_value,
    taken_port,
)


def test_a_wrong_value_leaves_no_process() -> None:
    words = ["rigid_tree_nao", "nao.launch.py", "version:=V9"]
    check_wrong_value(words, "NAO has no version 'V9'")


@pytest.mark.skipif(find_spec("qi") is None, reason="libqi: pip install qi (Python 3.8 to 3.12)")
def test_a_node_that_cannot_start_ends_the_launch(tmp_path: Path) -> None:
    with taken_port() as port:
        check_failed_start("nao.launch.py", {"nao_port": port}, TAKEN, tmp_path / "log")
