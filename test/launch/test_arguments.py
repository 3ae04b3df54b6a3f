"""Launches with an invalid argument or value exit with a reason and exit code 1."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from launch import LaunchContext
from launch.actions import TimerAction

from harness.processes import left_behind, run, wait_until
from harness.start.launch_arguments import check_failed_start, check_misspelt, check_wrong_value
from harness.start.launching import path_of
from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import PACKAGE, hosts, setup, values

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
    ("bringup.launch.py", "simulator:=maybe"): "argument simulator must be true or false",
    ("bringup.launch.py", "base_pose:=[1,2"): "argument base_pose: '[1,2' is not a valid value",
    ("bringup.launch.py", "base_pose:=[true,0.5,0,0,0,0]"): "argument base_pose: '[true,0.5",
    ("bringup.launch.py", "rate:=fast"): "parameter 'rate' must be a finite number",
    ("bringup.launch.py", "web:=true", "web_port:=abc"): "'port' to 'abc'",
    (
        "bringup.launch.py",
        "initial_positions:={panda_joint1: x}",
    ): "panda_joint1' must be a finite",
    ("bringup.launch.py", "initial_positions:={panda_joint77: 1}"): "did you mean 'panda_joint7'",
    ("bringup.launch.py", "robot:=a.xacro", "xacro_args:=name"): "must look like name:=value",
    ("bringup.launch.py", "namespace:=my robot"): "a namespace must look like",
    ("ik.launch.py", "namespace:=a//b"): "a namespace must look like",
}


def test_wrong_values_are_named() -> None:
    for words, why in VALUES.items():
        check_wrong_value([PACKAGE, *words], why)


def test_an_error_is_raised_in_an_event_of_its_own() -> None:
    """launch forgets the processes that are started in the event of an error."""

    def wrong(_: LaunchContext) -> list:
        raise RuntimeError("wrong")

    actions = setup(wrong).execute(LaunchContext()) or []
    assert [type(action) for action in actions] == [TimerAction]


USERS_FILE = """
from launch import LaunchDescription
from launch.actions import ExecuteProcess, IncludeLaunchDescription

def generate_launch_description():
    own = ExecuteProcess(cmd=["sh", "-c", "sleep 100 # rigid_tree_kinematics"])
    arguments = {ARGUMENTS}
    included = IncludeLaunchDescription("{PATH}", launch_arguments=arguments.items())
    return LaunchDescription([own, included])
"""


@pytest.mark.parametrize("arguments", [{"ik": "maybe"}, {"robots": "/no/file"}, {"rate": "fast"}])
def test_processes_of_an_including_file_end_with_the_launch(
    arguments: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "user.launch.py"
    text = USERS_FILE.replace("{ARGUMENTS}", str(arguments))
    file.write_text(text.replace("{PATH}", path_of("bringup.launch.py")))
    ended = run("ros2", "launch", file)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert not left_behind()


# Files of a fleet, and why they are rejected.
FLEETS = {
    "": "has no lines such as",
    "[left, right]": "has no lines such as",
    "left: ur5": "has no lines such as",
    "left: {": "while parsing",
    "left: {robot: 2020-13-45}": "month must be in",
    "left: {web: true}": "no argument 'web'",
    "left: {robott: ur5}": "did you mean 'robot'?",
    "left-1: {robot: ur5}": "'left-1/tree_state_publisher': a namespace must look like",
    "left: {initial_positions: {panda_joint77: 1}}": "did you mean 'panda_joint7'",
    "left: {base_pose: [1, 2]}": "'base_pose' must have 6 numbers",
    "left: {rate: fast}": "'rate' must be a finite number",
}


def test_a_wrong_fleet_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    for text, why in FLEETS.items():
        file.write_text(text)
        check_wrong_value([PACKAGE, "bringup.launch.py", f"robots:={file}"], why)


def test_a_process_that_is_left_is_found() -> None:
    program = f"import time; time.sleep({TIMEOUT})  # {PACKAGE}"
    child = "subprocess.Popen([sys.executable, '-c', *sys.argv[1:]], **none)"
    none = "none = dict.fromkeys(('stdout', 'stderr'), subprocess.DEVNULL)"
    script = f"import subprocess, sys; {none}; print({child}.pid)"
    pid = int(run(sys.executable, "-c", script, program).stdout)
    assert list(left_behind()) == [pid]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not left_behind(), "its end")


def test_a_default_does_not_replace_a_global_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []

    def write(text: str) -> str:
        written.append(text)
        return "parameters.yaml"

    monkeypatch.setattr(launching, "temporary_file", write)
    for text, is_given in (("false", False), ("true", True)):
        context = LaunchContext()
        given = {"processes": "one", "namespace": "", "use_sim_time": text}
        context.launch_configurations.update(given)
        nodes = {"ik_server": values(context, "use_sim_time") | {"timeout": 1.0}}
        hosts(context, nodes)
        parameters = json.loads(written[-1])["/ik_server"]["ros__parameters"]
        assert ("use_sim_time" in parameters) == is_given
        assert parameters["timeout"] == 1.0


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
