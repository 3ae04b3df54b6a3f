"""Launches with an invalid argument or value exit with a reason and exit code 1."""

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from launch import LaunchContext
from launch_ros.actions import SetParameter

from harness.processes import left_behind, run, wait_until
from harness.start.launch_arguments import check_failed_start, check_misspelt, check_wrong_value
from harness.start.launching import path_of
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    PACKAGE,
    declared,
    settings,
)
from rigid_tree_kinematics.launching.fleet import read_fleet, shared_frame

TIMEOUT = 180.0  # s
NO_SCENE = "did you mean 'panda_pillars'"
NO_ROBOT = "no_robot.urdf"

CASES = {
    ("ik.launch.py", "robott:=ur5"): "robot",
    ("bringup.launch.py", "use_sim_tim:=true"): "use_sim_time",
    ("rviz.launch.py", "fixd_frame:=world"): "fixed_frame",
    ("--noninteractive", PACKAGE, "ik.launch.py", "robott:=ur5"): "robot",
    ("-d", PACKAGE, "ik.launch.py", "robott:=ur5"): "robot",
    (path_of("ik.launch.py"), "robott:=ur5", "--noninteractive"): "robot",
}


def test_misspelt_arguments_are_rejected() -> None:
    for words, meant in CASES.items():
        check_misspelt([*([PACKAGE] if len(words) == 2 else []), *words], meant)


VALUES = {
    ("bringup.launch.py", "web:=true", "web_port:=abc"): "web_port: 'abc' is not of type int",
    ("bringup.launch.py", "rate:=fast"): "rate: 'fast' is not of type float",
    ("bringup.launch.py", "simulator:=maybe"): "simulator: 'maybe' is not of type bool",
    ("bringup.launch.py", "base_pose:=[1,2"): "base_pose must look like '[x, y, z, ",
    ("bringup.launch.py", "base_pose:=[true,0,0,0,0,0]"): "base_pose: 'True' is not a number",
    ("bringup.launch.py", "initial_positions:={panda_joint1: x}"): "panda_joint1: 'x' is not a",
    ("bringup.launch.py", "initial_positions:={j: 1}", "robot:=a.xacro", "xacro_args:=name"): (
        "xacro_args: xacro arguments must look like name:=value, not 'name'"
    ),
    ("bringup.launch.py", "namespace:=my robot"): "namespace: 'my robot' must look like",
    ("ik.launch.py", "namespace:=a//b"): "namespace: 'a//b' must look like",
}


def test_wrong_values_name_the_argument() -> None:
    for words, why in VALUES.items():
        check_wrong_value([PACKAGE, *words], why)


# Of the file of a fleet: reasons of the file, and of the arguments of one of its robots.
FILES = {
    "": "has no robots such as",
    "[left, right]": "has no robots such as",
    "left: ur5": "'left' must look like",
    "left: {web: true}": "no argument 'web'",
    "left: {": "cannot be read",
    "left: {robot: 2020-13-45}": "cannot be read",
    "left-1: {robot: ur5}": "fleet.yaml: 'left-1' must look like",
    "'': {robot: ur5}": "fleet.yaml: '' must look like",
}
ROBOTS = {
    "left: {robott: ur5}": "did you mean 'robot'?",
    "left: {initial_positions: {panda_joint77: 1}}": (
        "left: argument initial_positions has no joint 'panda_joint77'; did you mean"
    ),
    "left: {base_pose: [1, 2]}": "left: argument base_pose must be",
    "left: {rate: fast}": "left: argument rate: 'fast' is not of type float",
}


def test_a_wrong_fleet_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    for text, why in FILES.items():
        file.write_text(text)
        with pytest.raises((RuntimeError, UnknownNameError), match=re.escape(why)):
            read_fleet(str(file), ["robot", "scene"])
    for text, why in ROBOTS.items():
        file.write_text(text)
        ended = run("ros2", "launch", PACKAGE, "bringup.launch.py", f"robots:={file}")
        output = ended.stdout + ended.stderr
        assert ended.returncode == 1, output
        assert why in output, output
        assert "process started" not in output


def test_a_page_shows_the_frame_that_the_robots_share() -> None:
    own = {"parent_frame": "cell"}
    for robots, frame in (({"a": {}, "b": {}}, "map"), ({"a": own, "b": own}, "cell")):
        assert shared_frame(robots, "map") == frame
    assert shared_frame({"a": {}, "b": own}, "map") == "map"


def test_a_missing_extension_is_named() -> None:
    paths = os.environ["AMENT_PREFIX_PATH"].split(":")
    others = ":".join(path for path in paths if not path.endswith("/rigid_tree_web"))
    words = ("ros2", "launch", PACKAGE, "bringup.launch.py", "web:=true")
    ended = run(*words, env=os.environ | {"AMENT_PREFIX_PATH": others})
    output = ended.stdout + ended.stderr
    assert ended.returncode == 1, output
    (line,) = [line for line in output.splitlines() if "needs the package rigid_tree_web" in line]
    assert "not installed: build it" in line
    assert "process started" not in output


def test_a_process_that_is_left_is_found() -> None:
    program = f"import time; time.sleep({TIMEOUT})  # {PACKAGE}"
    child = "subprocess.Popen([sys.executable, '-c', *sys.argv[1:]], **none)"
    none = "none = dict.fromkeys(('stdout', 'stderr'), subprocess.DEVNULL)"
    script = f"import subprocess, sys; {none}; print({child}.pid)"
    pid = int(run(sys.executable, "-c", script, program).stdout)
    assert list(left_behind()) == [pid]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not left_behind(), "its end")


def test_a_default_does_not_replace_a_global_parameter() -> None:
    context = LaunchContext()
    for action in declared(DESCRIPTION_ARGUMENTS):
        action.visit(context)
    both = {"use_sim_time": bool, "robot": str}
    assert list(settings(context, **both)) == list(both)
    SetParameter("use_sim_time", True).visit(context)
    assert list(settings(context, **both)) == ["robot"]
    context.launch_configurations["use_sim_time"] = "true"
    assert list(settings(context, **both)) == list(both)


@pytest.mark.parametrize(
    ("launch_file", "arguments", "words"),
    [
        ("bringup", {"scene": "panda_pilars"}, NO_SCENE),
        ("planning", {"scene": "panda_pilars", "processes": "each"}, NO_SCENE),
        ("description", {"robot": NO_ROBOT}, NO_ROBOT),
    ],
)
def test_a_node_that_cannot_start_ends_the_launch(
    launch_file: str, arguments: dict, words: str, tmp_path: Path
) -> None:
    check_failed_start(f"{launch_file}.launch.py", arguments, words, tmp_path / "log")
