"""Settings of all tests, the order of their files, and second tries for those of nodes."""

import os
from pathlib import Path

import pytest

from harness.domains import LOCALHOST

os.environ.update(LOCALHOST)

ROOT = Path(__file__).parents[1]
# A busy machine keeps processes apart for seconds, which these tests meet now and then: they are
# tried again, once the network has forgotten the processes of the first try. All others are not.
OF_NETWORKS = [
    ROOT / "test" / "docs" / "test_blocks_with_nodes.py",
    ROOT / "test" / "launch",
    ROOT / "test" / "nodes",
    ROOT / "standalone" / "test" / "test_ros2_command_graph.py",
    ROOT / "standalone" / "test" / "test_tf2_ros.py",
]
SECOND_TRIES, DELAY = 2, 15  # s
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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not any(item.path.is_relative_to(place) for place in LONG))
    if not config.pluginmanager.hasplugin("rerunfailures"):
        return
    for item in items:
        if any(item.path.is_relative_to(place) for place in OF_NETWORKS):
            item.add_marker(pytest.mark.flaky(reruns=SECOND_TRIES, reruns_delay=DELAY))
