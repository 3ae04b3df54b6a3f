"""pytest collects and runs launch tests; each file is one item."""

import sys

from launching import FIXTURES

from harness.processes import run

ENDS = {
    "passing.py::passing": "PASSED",
    "failing.py::failing": "FAILED",
    "dying.py::dying": "FAILED",
    "invalid.py::invalid": "FAILED",
    "plain.py::test_plain": "PASSED",  # not a launch test: collected by pytest as usual
}


def test_a_file_is_one_item_that_passes_or_fails_with_its_tests():
    words = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "addopts=")
    files = [item.partition("::")[0] for item in ENDS]
    output = run(sys.executable, *words, *files, cwd=FIXTURES).stdout
    details = ("test_that_fails", "on purpose", "test_with_error", "after shutdown")
    for part in (*(f"{item} {end}" for item, end in ENDS.items()), *details, "collected 5 items"):
        assert part in output, output
