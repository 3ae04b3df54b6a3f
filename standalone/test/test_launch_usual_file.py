"""A launch file that uses what launch files usually do, and what is said of anything else."""

from __future__ import annotations

import importlib
import subprocess

import launch
import pytest
from launching import FIXTURES, launched

only_stand_in = pytest.mark.skipif(
    not (launch.__doc__ or "").startswith("Stand-in"), reason="the real packages have it all"
)


def test_usual_launch_file_runs():
    with launched(FIXTURES / "usual.launch.py", "model:=nao") as process:
        assert process.wait() == 0
    for line in ("word hello", "model nao", "included robot=nao", "up", "down"):
        assert f"[INFO] [launch.user]: {line}\n" in process.output
    assert "[INFO] [launch.user]: quiet" not in process.output
    assert "/share/std_msgs\n" in process.output
    (arguments,) = (line for line in process.output.splitlines() if " arguments word " in line)
    for part in (
        "-r __node:=talker",
        "-r __ns:=/arms/right",
        "-p use_sim_time:=True",
        "-r chatter:=/speech",
        f"--params-file {FIXTURES / 'usual.yaml'}",
    ):
        assert part in arguments


@only_stand_in
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from launch.actions import AppendEnvironmentVariable", "AppendEnvironmentVariable"),
        ("import launch.actions; launch.actions.ResetEnvironment()", "ResetEnvironment"),
        ("from launch.substitutions import FileContent", "launch.substitutions.FileContent"),
        ("from launch.conditions import LaunchConfigurationEquals", "LaunchConfigurationEquals"),
        ("from launch.event_handlers import OnExecutionComplete", "OnExecutionComplete"),
        ("from launch.events.process import SignalProcess", "SignalProcess"),
        ("from launch_ros.actions import LifecycleNode", "launch_ros.actions.LifecycleNode"),
        ("from launch_ros.descriptions import ComposableNode", "ComposableNode"),
        ("from launch_ros.event_handlers import OnStateTransition", "launch_ros.event_handlers"),
        ("from launch.frontend import Parser", "launch.frontend"),
        ("from launch_testing import parametrize", "launch_testing.parametrize"),
        (
            "from launch.actions import GroupAction; GroupAction([], forwarding=False)",
            "forwarding",
        ),
        ("from launch.actions import ExecuteProcess as P; P(cmd=[], cached=1)", "cached"),
    ],
)
def test_what_is_not_covered_is_named(tmp_path, line, name):
    file = tmp_path / "bad.launch.py"
    file.write_text(f"{line}\ndef generate_launch_description(): raise AssertionError\n")
    done = subprocess.run(
        ["ros2", "launch", str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert name in done.stdout + done.stderr
    assert "standalone/README.md" in done.stdout + done.stderr


@only_stand_in
def test_other_missing_names_are_usual_errors():
    assert not hasattr(launch.actions, "_no_such_name")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("launch.no_such_module")
