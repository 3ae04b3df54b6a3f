"""``ros2 launch`` finds launch files, shows their arguments and runs them."""

import os

import pytest
from launching import FIXTURES, install, launched

from harness.processes import run

INCLUDING = FIXTURES / "including.launch.py"
EMPTY = """
from launch import LaunchDescription
generate_launch_description = LaunchDescription
"""


def ros2_launch(*words):
    return run("ros2", "launch", *words)


@pytest.fixture
def share(tmp_path, monkeypatch):
    """The share directory of an installed package ``a_package``."""
    install(tmp_path, "a_package")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")
    return tmp_path / "share" / "a_package"


def test_launch_file_is_found_anywhere_in_its_package(share):
    path = share / "launch" / "deep" / "a.launch.py"
    path.parent.mkdir(parents=True)
    path.write_text(EMPTY)
    assert ros2_launch("a_package", "a.launch.py", "--show-args").returncode == 0
    (share / "a.launch.py").write_text(EMPTY)
    for package, file, words in (
        ("a_package", "a.launch.py", [str(path), str(share / "a.launch.py")]),
        ("a_package", "b.launch.py", ["b.launch.py", "a_package"]),
        ("a_package", str(path), [str(path), "a_package"]),
        ("no_such_package", "b.launch.py", ["no_such_package"]),
    ):
        done = ros2_launch(package, file)
        assert done.returncode == 1
        assert all(word in done.stderr for word in words)
        assert "Traceback" not in done.stderr


def test_arguments_are_shown_as_ros2_launch_shows_them():
    assert ros2_launch(INCLUDING, "--show-args").stdout == (
        "Arguments (pass arguments as '<name>:=<value>'):\n"
        "\n    'model':\n        which model\n        (default: 'panda')\n"
        "\n    'verbose':\n        no description given\n        (default: 'false')\n"
        "\n    'level':*\n        no description given\n        (default: '1')\n"
        "\n* argument(s) which are only used if specific conditions occur\n"
    )

    assert ros2_launch(FIXTURES / "included.launch.py", "--show-args").stdout == (
        "Arguments (pass arguments as '<name>:=<value>'):\n"
        "\n    'robot':\n        which robot. Valid choices are: ['panda', 'nao']\n"
        "\n    'inner':\n        no description given\n"
        "        (default: 'of ' + LaunchConfig('robot'))\n"
    )


def test_no_arguments(tmp_path):
    path = tmp_path / "empty.launch.py"
    path.write_text(EMPTY)
    assert ros2_launch(path, "--show-args").stdout.endswith("\n  No arguments.\n")
    path.write_text("broken(")
    assert ros2_launch(path, "--show-args").returncode == 1


def test_launch_file_runs_with_arguments():
    for arguments, expected in (
        ((), ["robot=panda", "inner=of panda"]),
        (("model:=a", "model:=nao", "inner:=x:=y"), ["robot=nao", "inner=x:=y"]),
    ):
        with launched(INCLUDING, *arguments) as launch:
            assert launch.wait() == 0
        for text in (*expected, f"directory={FIXTURES}"):
            assert f"[INFO] [launch.user]: included {text}\n" in launch.output
        assert "after include set_inside=yes" in launch.output
        assert "level=" not in launch.output


def test_bad_arguments_fail():
    for argument, word in (("model:=pepper", "pepper"), ("verbose:=perhaps", "perhaps")):
        with launched(INCLUDING, argument) as launch:
            assert launch.wait() == 1
        assert word in launch.output
        assert "[ERROR] [launch]: Caught exception in launch" in launch.output
    for argument in ("model", "model:=", ":=nao", "model=nao"):
        done = ros2_launch(INCLUDING, argument)
        assert done.returncode == 1
        assert f"'{argument}'" in done.stderr


@pytest.mark.skipif("ROS_DISTRO" in os.environ, reason="the real launch needs a log folder")
def test_log_falls_back_to_a_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("ROS_LOG_DIR", raising=False)
    monkeypatch.setenv("ROS_HOME", "/dev/null")
    path = tmp_path / "a.launch.py"
    path.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import ExecuteProcess\n"
        "def generate_launch_description():\n"
        "    command = ['sh', '-c', 'ls $ROS_LOG_DIR/*/launch.log']\n"
        "    return LaunchDescription([ExecuteProcess(cmd=command, output='screen')])\n"
    )
    done = ros2_launch(path)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.endswith("set ROS_LOG_DIR to a writable folder")
    assert "process has finished cleanly" in done.stdout
