"""Collects files with a generate_test_description that is marked ``launch_test``.

As in the real plug-in, such a file is one test item: its launch and all its tests.
"""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from _pytest.pathlib import import_path

from ..test_runner import Failures, LaunchTestRunner


class LaunchTestFailure(Exception):  # noqa: N818 (the real name)
    """Tests of a launch have failed."""

    def __init__(self, failures: Failures) -> None:
        super().__init__(
            "\n".join(f"\n{'=' * 70}\nFAIL: {name}\n{'-' * 70}\n{text}" for name, text in failures)
        )


class LaunchTestItem(pytest.Item):
    """The launch and the tests of one file."""

    def __init__(self, *, module: ModuleType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.module = module

    def runtest(self) -> None:
        """Run all; raises LaunchTestFailure if a test failed."""
        if failures := LaunchTestRunner(self.module).run():
            raise LaunchTestFailure(failures)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Return the failed tests, or the usual report of any other error."""
        if isinstance(excinfo.value, LaunchTestFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the item is and its heading."""
        return self.path, 0, f"launch tests: {self.name}"


class LaunchTestModule(pytest.File):
    """A file with a launch test."""

    def collect(self) -> Iterator[LaunchTestItem]:
        """Yield the one item."""
        module = _imported(self.path)
        yield LaunchTestItem.from_parent(self, name=module.__name__, module=module)


def _imported(path: Path) -> ModuleType:
    return import_path(path, root=path.parent, consider_namespace_packages=False)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Collect a file whose generate_test_description is marked; leave others to pytest."""
    if b"generate_test_description" not in module_path.read_bytes():
        return None  # importing every test file twice would be slow and have side effects
    try:
        entrypoint = getattr(_imported(module_path), "generate_test_description", None)
    except SyntaxError:
        return None  # pytest itself reports it
    marks = getattr(entrypoint, "pytestmark", [])
    if not any(mark.name == "launch_test" for mark in marks):
        return None
    module = LaunchTestModule.from_parent(parent, path=module_path)
    for mark in marks:
        module.add_marker(getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs))
    return module


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line(
        "markers",
        "launch_test: this function describes a launch whose tests are in the same file",
    )
