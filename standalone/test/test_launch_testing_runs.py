"""pytest collects and runs launch tests; each file is one item."""

import sys

import pytest
from launching import FIXTURES

from harness.processes import run

ENDS = {
    "passing.py::passing": "PASSED",
    "failing.py::failing": "FAILED",
    "dying.py::dying": "FAILED",
    "invalid.py::invalid": "FAILED",
    "plain.py::test_plain": "PASSED",  # not a launch test: collected by pytest as usual
}


@pytest.fixture(scope="module")
def output() -> str:
    words = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "addopts=")
    files = [item.partition("::")[0] for item in ENDS]
    return run(sys.executable, *words, *files, cwd=FIXTURES).stdout


@pytest.mark.parametrize("item", ENDS)
def test_a_file_is_one_item_that_passes_or_fails(output, item):
    assert f"{item} {ENDS[item]}" in output, output
    assert "collected 5 items" in output


def test_failures_are_reported_with_their_tests(output):
    for words in ("test_that_fails", "on purpose", "test_with_error", "after shutdown"):
        assert words in output
