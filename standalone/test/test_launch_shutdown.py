"""A launch terminates its processes by SIGINT, SIGTERM, SIGKILL; none survives."""

import re
import signal

import pytest
from launching import FIXTURES, is_running, launched

LAUNCH_FILE = FIXTURES / "processes.launch.py"
UP = "print('up', os.getpid(), flush=True)"


def script(*lines: str) -> str:
    return "script:=" + "\n".join(("import os, signal, subprocess, sys, time", *lines))


def pids_in(output: str) -> list[int]:
    return [int(pid) for pid in re.findall(r"\] (?:up|parent) (\d+)", output)]


def test_ctrl_c_interrupts_the_processes():
    lines = ("try:", f"    {UP}", "    time.sleep(1000)", "except KeyboardInterrupt: print('end')")
    with launched(LAUNCH_FILE, script(*lines)) as launch:
        launch.wait_for("] up")
        launch.interrupt()
        assert launch.wait() == 0
    assert "[WARNING] [launch]: user interrupted with ctrl-c (SIGINT)" in launch.output
    assert "[child-1] end" in launch.output
    assert "[INFO] [launch.user]: goodbye" in launch.output
    assert "process has finished cleanly" in launch.output
    assert not is_running(pids_in(launch.output)[0])


@pytest.mark.parametrize(
    ("ignored", "last"),
    [(["SIGINT"], "SIGTERM"), (["SIGINT", "SIGTERM"], "SIGKILL")],
    ids=["SIGTERM", "SIGKILL"],
)
def test_ignored_signals_are_escalated(ignored, last):
    ignore = [f"signal.signal(signal.{name}, signal.SIG_IGN)" for name in ignored]
    arguments = (
        script(*ignore, UP, "while True: time.sleep(1)"),
        "sigterm_timeout:=0.5",
        "sigkill_timeout:=0.5",
    )
    with launched(LAUNCH_FILE, *arguments) as launch:
        launch.wait_for("] up")
        launch.interrupt()
        assert launch.wait() == 0
    number = signal.Signals[last].value
    assert re.search(
        rf"\[ERROR\] \[child-1\]: process has died \[pid \d+, exit code -{number}, ", launch.output
    )
    assert (
        "failed to terminate '0.5' seconds after receiving 'SIGINT', escalating to 'SIGTERM'"
        in launch.output
    )
    assert f"sending signal '{last}' to process[child-1]" in launch.output
    assert ("escalating to 'SIGKILL'" in launch.output) == (last == "SIGKILL")
    assert not is_running(pids_in(launch.output)[0])


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
    with launched(LAUNCH_FILE, script(*lines)) as launch:
        launch.wait_for("] up")
        launch.interrupt()
        launch.wait_for("] interrupt 1")
        launch.interrupt()
        launch.wait_for("] interrupt 2")
        assert launch.wait() == 0
    assert "user interrupted with ctrl-c (SIGINT) again, ignoring..." in launch.output
    assert "process has finished cleanly" in launch.output


def test_children_of_processes_end_too():
    lines = (
        f'program = "import os, time; {UP}; time.sleep(1000)"',
        "child = subprocess.Popen([sys.executable, '-c', program])",
        UP.replace("up", "parent"),
        "child.wait()",
    )
    with launched(LAUNCH_FILE, script(*lines)) as launch:
        launch.wait_for("] up")
        launch.wait_for("] parent")
        launch.interrupt()
        assert launch.wait() == 0
    parent_and_child = set(pids_in(launch.output))
    assert len(parent_and_child) == 2
    assert not any(is_running(pid) for pid in parent_and_child)


def test_terminated_launch_reports_failure():
    with launched(LAUNCH_FILE, script(UP, "time.sleep(1000)")) as launch:
        launch.wait_for("] up")
        launch.process.send_signal(signal.SIGTERM)
        # The real launch is killed by the signal, unless a library handles it; then it returns 1.
        assert launch.wait() in (1, -signal.SIGTERM)
