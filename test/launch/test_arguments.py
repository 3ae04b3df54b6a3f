"""Launches with an invalid argument or value exit with a reason and exit code 1."""

import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from launch import LaunchContext
from launch_ros.actions import SetParameter

from harness.processes import left_behind, run, wait_until
from harness.start.launching import launched, path_of
from rigid_tree_kinematics.errors import UnknownNameError
from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    PACKAGE,
    declared,
    fleet,
    settings,
    without_globals,
)

TIMEOUT = 180.0  # s
NO_SCENE = "did you mean 'panda_pillars'"
NO_ROBOT = "no_robot.urdf"
TAKEN = "in use"

CASES = {
    ("ik.launch.py", "robott:=ur5"): "robot",
    ("double_pendulum.launch.py", "wob:=true"): "web",  # of the file that it includes
    ("bringup.launch.py", "use_sim_tim:=true"): "use_sim_time",
    ("rviz.launch.py", "fixd_frame:=world"): "fixed_frame",
    ("--noninteractive", PACKAGE, "ik.launch.py", "robott:=ur5"): "robot",
    ("-d", PACKAGE, "ik.launch.py", "robott:=ur5"): "robot",
    (path_of("ik.launch.py"), "robott:=ur5", "--noninteractive"): "robot",
}


def test_misspelt_arguments_are_rejected() -> None:
    for words, meant in CASES.items():
        ended = run("ros2", "launch", *([PACKAGE] if len(words) == 2 else []), *words)
        output = ended.stdout + ended.stderr
        assert ended.returncode == 1, (words, output)
        (name,) = [word.partition(":=")[0] for word in words if ":=" in word]
        assert f"no argument '{name}'; did you mean '{meant}'?" in output, words
        assert "process started" not in output, words


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
    ("moveit.launch.py", "initial_positions:=/no/file"): "cannot read '/no/file'",
    ("moveit.launch.py", "initial_positions:=a.yaml"): "'a.yaml' must look like 'initial_",
    ("moveit.launch.py", "initial_positions:=b.yaml"): "'b.yaml': the position of 'panda_joint1'",
    ("planar_rrt.launch.py", "seed:=x"): "seed: 'x' is not of type int",
}


def test_wrong_values_name_the_argument(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("panda_joint1: 1.0")
    (tmp_path / "b.yaml").write_text("initial_positions: {panda_joint1: [1, 2]}")
    for words, why in VALUES.items():
        ended = run("ros2", "launch", PACKAGE, *words, cwd=tmp_path)
        output = ended.stdout + ended.stderr
        assert ended.returncode == 1, (words, output)
        (line,) = [line for line in output.splitlines() if why in line]
        assert "argument " + words[-1].partition(":=")[0] in line
        assert "Traceback" not in output, (words, output)


LATE_VALUES = {
    ("planar_rrt.launch.py", "web:=true", "web_port:=abc"): "web_port: 'abc' is not of type int",
    ("planar_rrt.launch.py", "rviz:=maybe"): "maybe",
    ("nao.launch.py", "version:=V9"): "NAO has no version 'V9'",
}

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
    "left: {initial_positions: {panda_joint77: 1}}": "did you mean 'panda_joint7'?",
    "left: {base_pose: [1, 2]}": "left: argument base_pose must be",
    "left: {rate: fast}": "left: argument rate: 'fast' is not of type float",
}


def test_a_wrong_fleet_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    for text, why in FILES.items():
        file.write_text(text)
        with pytest.raises((RuntimeError, UnknownNameError), match=re.escape(why)):
            fleet.read_fleet(str(file), ["robot", "scene"])
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
        assert fleet.shared_frame(robots, "map") == frame
    assert fleet.shared_frame({"a": {}, "b": own}, "map") == "map"


def test_a_wrong_value_leaves_no_process() -> None:
    """Those that come after others in the launch file: see ``no_process_is_left``."""
    for words, why in LATE_VALUES.items():
        ended = run("ros2", "launch", PACKAGE, *words)
        assert ended.returncode == 1, (words, ended.stderr)
        assert why in ended.stdout + ended.stderr
        assert not left_behind()


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
    given = settings(use_sim_time=bool, robot=str)
    assert without_globals(given, context) == given
    SetParameter("use_sim_time", True).visit(context)
    assert list(without_globals(given, context)) == ["robot"]
    context.launch_configurations["use_sim_time"] = "true"
    assert without_globals(given, context) == given


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("launch_file", "arguments", "words"),
    [
        ("bringup", {"scene": "panda_pilars"}, NO_SCENE),
        ("planning", {"scene": "panda_pilars", "processes": "each"}, NO_SCENE),
        ("description", {"robot": NO_ROBOT}, NO_ROBOT),
        ("demo", {"web_port": ...}, TAKEN),
        ("nao", {"nao_port": ...}, TAKEN),
    ],
)
def test_a_node_that_cannot_start_ends_the_launch(
    launch_file: str, arguments: dict, words: str, taken_port: int, tmp_path: Path
) -> None:
    if launch_file == "nao" and find_spec("qi") is None:
        pytest.skip("libqi: pip install qi (Python 3.8 to 3.12)")
    given = {name: taken_port if value is ... else value for name, value in arguments.items()}
    with launched(f"{launch_file}.launch.py", tmp_path / "log", **given) as launch:
        assert launch.wait(TIMEOUT) == 1, launch.output
    lines = launch.output.splitlines()
    (why,) = [line for line in lines if words in line]
    (end,) = [line for line in lines if "has failed: see its message above" in line]
    assert lines.index(why) < lines.index(end)
    # rclpy itself may be interrupted in Future.__init__, and then prints one of Future.__del__.
    process = why.partition("]")[0]
    assert not [line for line in lines if line.startswith(process) and "Traceback" in line]
    assert "failed to terminate" not in launch.output
