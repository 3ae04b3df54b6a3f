"""Launch tests are collected by pytest and run by it and by the command ``launch_test``."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

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


def launch_test_run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "launch_testing.launch_test"]
    return subprocess.run(
        [*command, str(FIXTURES / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_file_is_one_item_with_all_its_launches():
    result = pytest_run("passing", "-v", "--launch-args", "word:=hello")
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


@pytest.mark.parametrize("name", ["dying", "never_ready", "invalid"])
def test_launch_that_does_not_work_fails(name):
    result = pytest_run(name)
    assert result.returncode == 1
    assert "1 failed" in result.stdout


def test_missing_launch_argument_fails():
    assert pytest_run("passing").returncode == 1


def test_unmarked_function_leaves_the_file_to_pytest():
    result = pytest_run("plain")
    assert result.returncode == 0
    assert "1 passed" in result.stdout


def test_command_runs_tests_and_writes_a_report(tmp_path):
    report = tmp_path / "report.xml"
    result = launch_test_run(
        "passing", "word:=hello", "--junit-xml", str(report), "--package-name", "a_package"
    )
    assert result.returncode == 0, result.stderr
    assert "Ran 4 tests" in result.stderr
    assert "Ran 2 tests" in result.stderr
    root = ElementTree.parse(report).getroot()
    assert (root.get("name"), root.get("tests")) == ("a_package.passing", "12")
    assert [suite.get("name") for suite in root] == [
        "a_package.passing.launch_tests[1]",
        "a_package.passing.launch_tests[2]",
    ]
    names = {case.get("name") for case in root.iter("testcase")}
    assert {"test_end[1]", "test_exit_codes[2]"} <= names


def test_report_tells_failures_errors_and_skips(tmp_path):
    report = tmp_path / "report.xml"
    result = launch_test_run("failing", "--junit-xml", str(report))
    assert result.returncode == 1
    root = ElementTree.parse(report).getroot()
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["4", "1", "1"]
    assert [len(list(root.iter(tag))) for tag in ("failure", "error", "skipped")] == [1, 1, 1]


def test_command_shows_arguments():
    result = launch_test_run("passing", "--show-args")
    assert result.returncode == 0
    assert result.stdout == (
        "Arguments (pass arguments as '<name>:=<value>'):\n\n    'word':\n        a greeting\n"
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("invalid", ()), ("no_such_file", ()), ("failing", ("malformed",)), ("dying", ())],
)
def test_command_reports_what_it_cannot_run(name, arguments):
    assert launch_test_run(name, *arguments).returncode != 0
