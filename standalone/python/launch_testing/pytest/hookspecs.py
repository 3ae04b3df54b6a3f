"""Hooks that other pytest plug-ins may implement."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.hookspec(firstresult=True)
def pytest_launch_collect_makemodule(
    path: Path, parent: pytest.Collector, entrypoint: Callable
) -> pytest.Collector | None:
    """Return a collector for the launch test in ``path``, or None to leave it to others."""
