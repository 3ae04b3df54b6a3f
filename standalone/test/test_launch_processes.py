"""Processes: their start, output and exit."""

import signal
import sys
from pathlib import Path

import pytest
from launch.actions import (
    ExecuteProcess,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    SetLaunchConfiguration,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO, OnProcessStart, OnShutdown
from launch.substitutions import LaunchConfiguration
from launching import FIXTURES, launched, note, output_of, run

FOREVER = "import time; print('up', flush=True); time.sleep(1000)"


def python(program, *arguments, **kwargs) -> ExecuteProcess:
    return ExecuteProcess(cmd=[sys.executable, "-c", program, *arguments], **kwargs)


def test_output_of_both_streams_is_complete():
    program = "import sys; print('o' * 300000); print('err', file=sys.stderr); print('e', end='')"
    assert output_of(python(program)) == ("o" * 300000 + "\ne", "err\n")


def test_command_directory_and_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("FROM_OUTSIDE", "1")
    program = "import os, sys; print(sys.argv[1:], os.getcwd(), sorted(os.environ.items()))"
    settings = [SetLaunchConfiguration("n", "2"), SetEnvironmentVariable("FROM_LAUNCH", "3")]
    inherited = python(
        program,
        ["a", LaunchConfiguration("n")],
        cwd=str(tmp_path),
        additional_env={"MORE": ["4", LaunchConfiguration("n")]},
    )
    stdout, _ = output_of(inherited, *settings)
    assert stdout.startswith(f"['a2'] {tmp_path} ")
    for pair in (("FROM_OUTSIDE", "1"), ("FROM_LAUNCH", "3"), ("MORE", "42")):
        assert str(pair) in stdout
    clean = python(program, env={"ONLY": "5"}, additional_env={"MORE": "4"})
    stdout, _ = output_of(clean)
    assert "('ONLY', '5')" in stdout
    assert "('MORE', '4')" in stdout
    assert "FROM_OUTSIDE" not in stdout
    monkeypatch.delenv("FROM_LAUNCH")


def test_shell_and_prefix():
    shell = ExecuteProcess(cmd=["echo", "a", "|", "tr", "a", "b"], shell=True)
    assert output_of(shell) == ("b\n", "")
    prefixed = ExecuteProcess(cmd=["a", "b"], prefix="echo 'c d'")
    assert output_of(prefixed) == ("c d a b\n", "")


def test_terminal_is_emulated_on_request():
    program = "import sys; print(sys.stdout.isatty(), sys.stderr.isatty())"
    for wanted in (True, False):
        assert output_of(python(program, emulate_tty=wanted))[0].split() == [str(wanted)] * 2


def test_exit_code_is_reported_but_is_not_that_of_launch():
    for code in (3, 0):
        notes = []
        process = python(
            f"raise SystemExit({code})",
            on_exit=lambda event, _, notes=notes: notes.append((event.returncode, event.pid)),
        )
        assert run([process])[0] == 0
        assert notes == [(code, process.process_details["pid"])]
        assert process.return_code == code


def test_names_are_numbered_and_given_names_are_used():
    notes = []
    started = OnProcessStart(on_start=lambda event, context: notes.append(event.process_name))
    run(
        [
            RegisterEventHandler(started),
            ExecuteProcess(cmd=["true"]),
            ExecuteProcess(cmd=["true"], name=["na", "me"]),
        ]
    )
    names, numbers = zip(*(name.rsplit("-", 1) for name in notes), strict=True)
    assert sorted(names) == ["name", "true"]
    assert abs(int(numbers[0]) - int(numbers[1])) == 1


def test_handlers_receive_start_output_and_exit():
    notes = []
    watched = python("print('text')")
    other = python("print('other')")
    run(
        [
            RegisterEventHandler(
                OnProcessStart(target_action=watched, on_start=[note(notes, "start")])
            ),
            RegisterEventHandler(
                OnProcessIO(
                    target_action=watched, on_stdout=lambda event: notes.append(event.text)
                )
            ),
            RegisterEventHandler(
                OnProcessExit(
                    target_action=lambda action: action is watched, on_exit=note(notes, "end")
                )
            ),
            watched,
            other,
        ]
    )
    assert (notes[0], b"".join(notes[1:-1]), notes[-1]) == ("start", b"text\n", "end")


def test_exit_of_a_required_process_shuts_down_the_launch():
    notes = []
    forever = python(FOREVER, on_exit=lambda event, context: notes.append(event.returncode))
    up = OnProcessIO(
        target_action=forever,
        on_stdout=lambda event: python("", on_exit=Shutdown(reason="r")),
        handle_once=True,
    )
    reason = OnShutdown(on_shutdown=lambda event, context: notes.append(event.reason))
    exit_code, _ = run([RegisterEventHandler(up), RegisterEventHandler(reason), forever])
    assert exit_code == 0
    assert notes == ["r", -signal.SIGINT]


@pytest.mark.parametrize("respawn", [True, LaunchConfiguration("r", default="1")])
def test_process_is_respawned(respawn):
    notes = []

    def end(pid):
        notes.append(pid)
        return [Shutdown()] if len(notes) == 3 else []

    process = python(
        "import sys; sys.exit(1)",
        respawn=respawn,
        respawn_delay=0.05,
        on_exit=lambda event, context: end(event.pid),
    )
    exit_code, _ = run([process])
    assert exit_code == 0
    assert len(set(notes)) == len(notes) >= 3


def test_shutdown_ends_respawning():
    notes = []
    process = python("", respawn=True, respawn_delay=1000.0, on_exit=note(notes, "end"))
    exit_code, _ = run([process, TimerAction(period=1.0, actions=[Shutdown()])])
    assert exit_code == 0
    assert notes == ["end"]


def test_command_that_cannot_be_run_does_not_affect_other_processes():
    notes, opened = [], []
    for _ in range(2):
        missing = ExecuteProcess(cmd=["/no/such/program"])
        assert run([missing, python("", on_exit=note(notes, 1))])[0] == 0
        opened.append(len(list(Path("/proc/self/fd").iterdir())))
    assert notes == [1, 1]
    assert opened[0] == opened[1]


def test_action_runs_only_once_and_a_wrong_output_is_rejected():
    process = python("")
    assert run([process, OpaqueFunction(function=lambda context: [process])])[0] == 1
    assert run([python("", output="everywhere")])[0] == 1


def test_output_lines_and_log_lines(tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    script = "import sys; print('to out'); print('to err', file=sys.stderr); print('rest', end='')"
    with launched(FIXTURES / "processes.launch.py", f"script:={script}") as launch:
        assert launch.wait() == 0
    lines = launch.output.splitlines()
    pid = launch.output.split("process started with pid [")[1].split("]")[0]
    assert f"[INFO] [child-1]: process started with pid [{pid}]" in lines
    assert f"[INFO] [child-1]: process has finished cleanly [pid {pid}]" in lines
    for text in ("to out", "to err", "rest"):
        assert f"[child-1] {text}" in lines
    assert "[INFO] [launch.user]: goodbye" in lines
    (log,) = tmp_path.glob("*-*/launch.log")
    assert "[INFO] [child-1]: process started with pid" in log.read_text()


def test_output_goes_where_configured(tmp_path, monkeypatch):
    def found(text: str) -> set[str]:
        return {word for word in "abcdef" if f"] {word}\n" in text}

    processes = "".join(
        f"    processes.append(ExecuteProcess(cmd=['sh', '-c', 'echo {out}; echo {err} >&2'], "
        f"output='{mode}'))\n"
        for mode, out, err in (("screen", "a", "b"), ("log", "c", "d"), ("both", "e", "f"))
    )
    launch_file = tmp_path / "output.launch.py"
    launch_file.write_text(
        "from launch import LaunchDescription\nfrom launch.actions import ExecuteProcess\n"
        f"def generate_launch_description():\n    processes = []\n{processes}"
        "    return LaunchDescription(processes)\n"
    )
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path / "log"))
    with launched(launch_file) as launch:
        assert launch.wait() == 0
    assert found(launch.output) == set("abdef")
    (log,) = (tmp_path / "log").glob("*-*/launch.log")
    assert found(log.read_text()) == set("cdef")
