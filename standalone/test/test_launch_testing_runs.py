"""Launch tests are collected and run by pytest."""

from __future__ import annotations

import subprocess
import sys

import pytest
from launching import FIXTURES


def pytest_run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", "addopts="]
    return subprocess.run(
        [*command, str(FIXTURES / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        cwd=FIXTURES,
        timeout=120,
    )


def test_file_is_one_item_with_its_launch():
    result = pytest_run("passing", "-v")
    assert result.returncode == 0, result.stdout
    assert "1 passed" in result.stdout


def test_items_are_named_after_their_files():
    result = pytest_run("passing", "--collect-only", "-q")
    assert "passing.py::passing" in result.stdout
    assert "1 test collected" in result.stdout


def test_failures_are_reported_with_their_tests():
    result = pytest_run("failing")
    assert result.returncode == 1
    assert "1 failed" in result.stdout
    assert "test_that_fails" in result.stdout
    assert "on purpose" in result.stdout
    assert "test_with_error" in result.stdout
    assert "after shutdown" in result.stdout


@pytest.mark.parametrize("name", ["dying", "invalid"])
def test_launch_that_does_not_work_fails(name):
    result = pytest_run(name)
    assert result.returncode == 1
    assert "1 failed" in result.stdout


def test_unmarked_function_leaves_the_file_to_pytest():
    result = pytest_run("plain")
    assert result.returncode == 0
    assert "1 passed" in result.stdout
