"""Unsupported features raise errors that name them; pytest collects and runs launch tests."""

import importlib
import re
import sys

import launch
import pytest
from launching import FIXTURES

from harness.processes import run

only_stand_in = pytest.mark.skipif(
    not (launch.__doc__ or "").startswith("Stand-in"), reason="the real packages have it all"
)


@only_stand_in
def test_unsupported_features_are_named():
    for line, name in (
        ("from launch.actions import AppendEnvironmentVariable", "AppendEnvironmentVariable"),
        ("import launch.actions; launch.actions.ResetEnvironment()", "ResetEnvironment"),
        ("from launch.substitutions import FileContent", "launch.substitutions.FileContent"),
        ("from launch.conditions import LaunchConfigurationEquals", "LaunchConfigurationEquals"),
        ("from launch.event_handlers import OnExecutionComplete", "OnExecutionComplete"),
        ("from launch.events.process import SignalProcess", "SignalProcess"),
        ("from launch_ros.actions import LifecycleNode", "launch_ros.actions.LifecycleNode"),
        ("from launch_ros.descriptions import ComposableNode", "ComposableNode"),
        ("from launch_testing import parametrize", "launch_testing.parametrize"),
        ("from launch.actions import GroupAction as G; G([], forwarding=False)", "forwarding"),
        ("from launch.actions import ExecuteProcess as P; P(cmd=[], cached=1)", "cached"),
    ):
        with pytest.raises(Exception, match=rf"(?s){re.escape(name)}.*standalone/README\.md"):
            exec(line, {})
    # Other missing names are plain errors.
    assert not hasattr(launch.actions, "_no_such_name")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("launch.no_such_module")


@only_stand_in
def test_ros2_launch_names_unsupported_features(tmp_path):
    file = tmp_path / "bad.launch.py"
    for module, name, words in (
        ("launch.actions", "AppendEnvironmentVariable", "AppendEnvironmentVariable"),
        ("launch_ros.event_handlers", "OnStateTransition", "launch_ros.event_handlers"),
        ("launch.frontend", "Parser", "launch.frontend"),
    ):
        file.write_text(f"from {module} import {name}\n")
        done = run("ros2", "launch", file)
        assert done.returncode == 1
        for part in (words, "standalone/README.md"):
            assert part in done.stdout + done.stderr


@only_stand_in
def test_the_command_names_the_page_of_what_it_supports():
    for words in (("bag", "record"), ("topic", "bw"), ("topic", "echo", "--raw", "/x")):
        done = run("ros2", *words)
        assert done.returncode == 2
        assert "standalone/README.md" in done.stderr


# -- launch tests as items of pytest -------------------------------------------------------------


ENDS = {
    "passing.py::passing": "PASSED",
    "failing.py::failing": "FAILED",
    "dying.py::dying": "FAILED",
    "invalid.py::invalid": "FAILED",
    "plain.py::test_plain": "PASSED",  # not a launch test: collected by pytest as usual
}


def test_a_file_is_one_item_that_passes_or_fails_with_its_tests():
    words = ("-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "addopts=")
    files = [item.partition("::")[0] for item in ENDS]
    output = run(sys.executable, *words, *files, cwd=FIXTURES).stdout
    details = ("test_that_fails", "on purpose", "test_with_error", "after shutdown")
    for part in (*(f"{item} {end}" for item, end in ENDS.items()), *details, "collected 5 items"):
        assert part in output, output
