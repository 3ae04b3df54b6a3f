"""Settings of all tests, and the order of their files."""

import faulthandler
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.processes import left_behind
from harness.start.domains import LOCALHOST

os.environ.update(LOCALHOST)

# A simulated NAO and a browser need much of a core: one worker runs these files, one by one.
NAO = "packages/rigid_tree_nao/test/bridge/", "packages/rigid_tree_nao/test/test_nao_launch.py"
PAGE = ("packages/rigid_tree_web/test/viewer/",)
# With processes of their own: they wait more than they compute, and a file of them takes minutes.
# They come first, beside each other: none of them may be the last one.
LONG = (
    "test/kernels/",
    "test/docs/",
    "test/nodes/",
    "test/launch/",
    "test/test_pip_distribution.py",
    "packages/rigid_tree_moveit/test/",
    "packages/rigid_tree_demos/test/",
    "standalone/test/",
)
# All other files only compute: a worker takes them that yields the cores to the other two.
COMPUTING, YIELDING = "gw2", 10
SESSION = Path("/proc/self/autogroup")
# pytest-timeout cannot end a call of the middleware that waits and holds Python's lock.
HANGS = 450.0  # s, more than its timeout
STDERR = pytest.StashKey[int]()
ENDING = 60.0  # s in which processes end whose parents have exited: a compilation after a kernel


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STDERR] = os.dup(2)  # tests' output goes elsewhere


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    faulthandler.dump_traceback_later(HANGS, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="module", autouse=True)
def no_process_is_left() -> Iterator[None]:
    """No node outlives the tests of a file, as after a launch that forgets a process."""
    yield
    deadline = time.monotonic() + ENDING
    while (left := left_behind()) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, f"tests of this file have left processes: {left}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    first = NAO, PAGE, LONG
    items.sort(key=lambda item: [not item.nodeid.startswith(files) for files in first])


def pytest_collection_finish() -> None:
    if os.environ.get("PYTEST_XDIST_WORKER") == COMPUTING:
        os.nice(YIELDING)
        if SESSION.exists():  # Linux shares the cores between sessions first
            os.setsid()
            SESSION.write_text(str(YIELDING))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _assign_work_unit(self, node: Any) -> None:
            if node.gateway.id == COMPUTING:
                last = next(reversed(self.workqueue))
                if last.startswith((*NAO, *PAGE, *LONG)):
                    return
                self.workqueue.move_to_end(last, last=False)
            super()._assign_work_unit(node)

        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.split("::")[0]
            return next((files[0] for files in (NAO, PAGE) if file.startswith(files)), file)

    return Scheduling(config, log)
