"""Collects files with a generate_test_description that is marked ``launch_test``.

As in the real plug-in, such a file is one test item: its launches and all their tests.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import TestCase

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter
from _pytest.pathlib import import_path

from ..loader import LoadTestsFromPythonModule, TestRun
from ..test_runner import LaunchTestRunner
from . import hookspecs


class LaunchTestFailure(Exception):  # noqa: N818 (the real name)
    """Tests of a launch have failed."""

    def __init__(self, message: str, results: dict[TestRun, Any]) -> None:
        """Create the error from the results of all runs."""
        super().__init__(message)
        self.results = results


class LaunchTestFailureRepr(TerminalRepr):
    """The failed tests, one below the other."""

    def __init__(self, failures: list[tuple[str, str]]) -> None:
        """Create the text from names and descriptions."""
        self._text = "\n".join(
            f"\n{'=' * 70}\nFAIL: {name}\n{'-' * 70}\n{text}" for name, text in failures
        )
        names = "\n".join(f"{name} failed" for name, _ in failures)
        self.reprcrash = ReprFileLocation(path="", lineno=0, message=names)

    def __str__(self) -> str:
        """Return the text."""
        return self._text

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write the text."""
        tw.line(self._text)


class LaunchTestItem(pytest.Item):
    """The launches and tests of one file."""

    def __init__(self, *, test_runs: list[TestRun], **kwargs: Any) -> None:
        """Create the item."""
        super().__init__(**kwargs)
        self.test_runs = test_runs

    def runtest(self) -> None:
        """Run all; raises LaunchTestFailure if a test failed."""
        arguments = list(itertools.chain.from_iterable(self.config.getoption("--launch-args")))
        # A copy, because a run cannot be repeated, but the item can (--count, --reruns).
        runner = LaunchTestRunner(
            copy.deepcopy(self.test_runs), arguments, bool(self.config.getoption("verbose"))
        )
        runner.validate()
        results = runner.run()
        if not all(result.wasSuccessful() for result in results.values()):
            raise LaunchTestFailure("tests of the launch failed", results)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Return the failed tests, or the usual report of any other error."""
        if not isinstance(excinfo.value, LaunchTestFailure):
            return super().repr_failure(excinfo, style)
        return LaunchTestFailureRepr(
            [
                (case.id(), text)
                for result in excinfo.value.results.values()
                for case, text in (*result.errors, *result.failures)
                if isinstance(case, TestCase) or not result.wasSuccessful()
            ]
        )

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the item is and its heading."""
        return self.path, 0, f"launch tests: {self.name}"


class LaunchTestModule(pytest.File):
    """A file with a launch test."""

    def collect(self) -> Iterator[LaunchTestItem]:
        """Yield the one item."""
        module = import_path(self.path, root=self.path.parent, consider_namespace_packages=False)
        runs = LoadTestsFromPythonModule(module, name=module.__name__)
        yield LaunchTestItem.from_parent(self, name=module.__name__, test_runs=runs)


def find_launch_test_entrypoint(path: Path) -> Callable | None:
    """Return the file's generate_test_description, if it has one."""
    if b"generate_test_description" not in path.read_bytes():
        return None  # importing every test file twice would be slow and have side effects
    try:
        module = import_path(path, root=path.parent, consider_namespace_packages=False)
    except SyntaxError:
        return None  # pytest itself reports it
    return getattr(module, "generate_test_description", None)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Ask the plug-ins to collect a file with a launch test; leave others to pytest."""
    entrypoint = find_launch_test_entrypoint(module_path)
    if entrypoint is None:
        return None
    return parent.session.gethookproxy(module_path).pytest_launch_collect_makemodule(
        path=module_path, parent=parent, entrypoint=entrypoint
    )


@pytest.hookimpl(trylast=True)
def pytest_launch_collect_makemodule(
    path: Path, parent: pytest.Collector, entrypoint: Callable
) -> pytest.Collector | None:
    """Collect the file if its generate_test_description is marked ``launch_test``."""
    marks = getattr(entrypoint, "pytestmark", [])
    if not any(mark.name == "launch_test" for mark in marks):
        return None
    module = LaunchTestModule.from_parent(parent, path=path)
    for mark in marks:
        module.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
    return module


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that others may implement."""
    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for launch arguments."""
    parser.addoption(
        "--launch-args",
        action="append",
        nargs="*",
        default=[],
        help="launch arguments, each as '<name>:=<value>'",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers",
        "launch_test: this function describes a launch whose tests are in the same file",
    )
