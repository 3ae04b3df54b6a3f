"""Settings of all tests, and the order of their files."""

import os
from pathlib import Path

import pytest

from harness.domains import LOCALHOST

os.environ.update(LOCALHOST)

ROOT = Path(__file__).parents[1]
# With processes of their own: they wait more than they compute, and a file of them takes minutes.
# Where several files run at a time, none of these may be the last one.
LONG = [
    ROOT / "test" / "test_kernel_cache.py",
    ROOT / "test" / "docs",
    ROOT / "test" / "nodes",
    ROOT / "test" / "launch",
    ROOT / "test" / "test_pip_distribution.py",
    ROOT / "standalone" / "test",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(item.path.is_relative_to(place) for place in LONG))
