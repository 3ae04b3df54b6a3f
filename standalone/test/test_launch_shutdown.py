"""A launch terminates its processes by SIGINT, SIGTERM, SIGKILL; none survives."""

import re
import signal

import launch
import pytest
from launching import FIXTURES, is_running, launched

from harness.processes import wait_until

LAUNCH_FILE = FIXTURES / "processes.launch.py"
UP = "print('up', os.getpid(), flush=True)"


def script(*lines: str) -> str:
    return "script:=" + "\n".join(("import os, signal, subprocess, sys, time", *lines))


def pids_in(output: str) -> list[int]:
    return [int(pid) for pid in re.findall(r"\] (?:up|parent) (\d+)", output)]


def test_ctrl_c_interrupts_the_processes():
    lines = ("try:", f"    {UP}", "    time.sleep(1000)", "except KeyboardInterrupt: print('end')")
    with launched(LAUNCH_FILE, script(*lines)) as started:
        started.wait_for("] up")
        started.interrupt()
        assert started.wait() == 0
    assert "[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)" in started.output
    assert "[child-1] end" in started.output
    assert "[INFO] [launch.user]: goodbye" in started.output
    assert "process has finished cleanly" in started.output
    assert not is_running(pids_in(started.output)[0])


def test_ignored_signals_are_escalated():
    ignore = [f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ("SIGINT", "SIGTERM")]
    lines = script(*ignore, UP, "while True: time.sleep(1)")
    with launched(LAUNCH_FILE, lines, "sigterm_timeout:=0.5", "sigkill_timeout:=0.5") as started:
        started.wait_for("] up")
        started.interrupt()
        assert started.wait() == 0
    for words in (
        r"failed to terminate '0.5' seconds after receiving 'SIGINT', escalating to 'SIGTERM'",
        r"escalating to 'SIGKILL'",
        r"sending signal 'SIGKILL' to process\[child-1\]",
        r"\[ERROR\] \[child-1\]: process has died \[pid \d+, exit code -9, ",
    ):
        assert re.search(words, started.output), words
    assert not is_running(pids_in(started.output)[0])


def test_second_ctrl_c_reaches_the_processes_and_is_ignored_by_launch():
    lines = (
        "count = 0",
        "def handle(number, frame):",
        "    global count",
        "    count += 1",
        "    print('interrupt', count, flush=True)",
        "    if count == 2: sys.exit(0)",
        "signal.signal(signal.SIGINT, handle)",
        UP,
        "while True: time.sleep(1000)",
    )
    with launched(LAUNCH_FILE, script(*lines)) as started:
        started.wait_for("] up")
        started.interrupt()
        started.wait_for("] interrupt 1")
        started.interrupt()
        started.wait_for("] interrupt 2")
        assert started.wait() == 0
    assert "user interrupted with ctrl-c (SIGINT) again, ignoring..." in started.output
    assert "process has finished cleanly" in started.output


def test_children_of_processes_end_too():
    lines = (
        f'program = "import os, time; {UP}; time.sleep(1000)"',
        "child = subprocess.Popen([sys.executable, '-c', program])",
        UP.replace("up", "parent"),
        "child.wait()",
    )
    with launched(LAUNCH_FILE, script(*lines)) as started:
        started.wait_for("] up")
        started.wait_for("] parent")
        started.interrupt()
        assert started.wait() == 0
    parent_and_child = set(pids_in(started.output))
    assert len(parent_and_child) == 2
    assert not any(is_running(pid) for pid in parent_and_child)


def test_terminated_launch_reports_failure():
    with launched(LAUNCH_FILE, script(UP, "time.sleep(1000)")) as started:
        started.wait_for("] up")
        started.process.send_signal(signal.SIGTERM)
        # The real launch is killed by the signal, unless a library handles it; then it returns 1.
        assert started.wait() in (1, -signal.SIGTERM)


@pytest.mark.skipif(
    not (launch.__doc__ or "").startswith("Stand-in"), reason="the real package leaves them"
)
def test_children_that_outlive_their_parent_end_too():
    """One that ignores SIGTERM is ended by SIGKILL."""
    ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    lines = (
        f'program = "import os, signal, time; {ignore}; {UP}; time.sleep(1000)"',
        "subprocess.Popen([sys.executable, '-c', program])",
    )
    with launched(LAUNCH_FILE, script(*lines), "sigkill_timeout:=0.5") as started:
        assert started.wait() == 0
    (child,) = pids_in(started.output)
    wait_until(lambda: not is_running(child), "the child's end")
