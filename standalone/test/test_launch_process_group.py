"""The stand-in terminates whole process groups; the real package leaves children running."""

import asyncio
import importlib.util
import signal
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from launching import is_running

_PATH = Path(__file__).parent.parent / "python" / "launch" / "_process.py"
_SPEC = importlib.util.spec_from_file_location("launch_process_under_test", _PATH)
process_module = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(process_module)
ProcessGroup: Any = process_module.ProcessGroup

STUBBORN_CHILD = """
import os, signal, subprocess, sys
child = "import os, signal, time; {ignore}; print(os.getpid(), flush=True); time.sleep(1000)"
subprocess.Popen([sys.executable, "-c", child])
"""


def complete(scenario: Coroutine, timeout: float = 30.0):
    """Run a coroutine; unlike asyncio.run, keep the main thread's default loop."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(asyncio.wait_for(scenario, timeout))
    finally:
        loop.close()


async def start(program: str, on_output, **kwargs) -> Any:
    options = {"cwd": None, "env": None, "shell": False, "emulate_tty": False, **kwargs}
    return await ProcessGroup.start(
        [sys.executable, "-c", program], on_output=on_output, **options
    )


@pytest.mark.parametrize(
    "ignore",
    ["pass", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"],
    ids=["ends by SIGTERM", "ends by SIGKILL"],
)
def test_remaining_child_is_terminated(ignore):
    async def scenario() -> tuple[int, bool, int]:
        output = asyncio.Queue()
        group = await start(
            STUBBORN_CHILD.replace("{ignore}", ignore), lambda fd, data: output.put_nowait(data)
        )
        child = int(await output.get())
        returncode = await group.wait()
        was_alive = group.is_alive() and is_running(child)
        await group.end(0.3)
        while is_running(child):  # SIGKILL was sent; its effect is asynchronous
            await asyncio.sleep(0.01)
        group.close()
        return returncode, was_alive, child

    returncode, was_alive, child = complete(scenario())
    assert returncode == 0
    assert was_alive
    assert not is_running(child)


def test_output_of_both_streams_is_complete_at_the_end():
    received = {1: b"", 2: b""}

    def receive(fd: int, data: bytes) -> None:
        received[fd] += data

    async def scenario() -> int:
        program = "import sys; print('o' * 300000); print('e' * 300000, file=sys.stderr)"
        group = await start(program, receive)
        returncode = await group.wait()
        group.close()
        return returncode

    assert complete(scenario()) == 0
    assert received == {1: b"o" * 300000 + b"\n", 2: b"e" * 300000 + b"\n"}


def test_failed_start_leaves_no_open_files():
    async def scenario() -> None:
        with pytest.raises(FileNotFoundError):
            await ProcessGroup.start(
                ["/no/such/program"],
                cwd=None,
                env=None,
                shell=False,
                emulate_tty=False,
                on_output=lambda fd, data: None,
            )

    open_files = Path("/proc/self/fd")
    complete(scenario())
    before = len(list(open_files.iterdir()))
    complete(scenario())
    assert len(list(open_files.iterdir())) == before


def test_other_signals_reach_only_the_process_and_late_ones_are_ignored():
    program = (
        "import signal; signal.signal(signal.SIGUSR1, lambda *_: exit(7)); print(flush=True); "
        "signal.pause()"
    )

    async def scenario() -> int:
        up = asyncio.Event()
        group = await start(program, lambda fd, data: up.set())
        await up.wait()
        group.send_signal(signal.SIGUSR1)
        returncode = await group.wait()
        for number in (signal.SIGUSR1, signal.SIGINT, signal.SIGKILL):
            group.send_signal(number)
        assert not group.is_alive()
        group.close()
        group.close()
        return returncode

    assert complete(scenario()) == 7
