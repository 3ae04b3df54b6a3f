"""The verbs of the ros2 command that need no running node."""

import ros_isolation  # noqa: F401, I001

import subprocess

import pytest

TIMEOUT = 60.0


def ros2(*words):
    return subprocess.run(["ros2", *words], capture_output=True, text=True, timeout=TIMEOUT)


def test_interface_show_nests_with_tabs():
    shown = ros2("interface", "show", "--no-comments", "geometry_msgs/msg/PoseStamped").stdout
    assert shown == (
        "std_msgs/Header header\n\tbuiltin_interfaces/Time stamp\n\t\tint32 sec\n"
        "\t\tuint32 nanosec\n\tstring frame_id\nPose pose\n\tPoint position\n"
        "\t\tfloat64 x\n\t\tfloat64 y\n\t\tfloat64 z\n\tQuaternion orientation\n"
        "\t\tfloat64 x 0\n\t\tfloat64 y 0\n\t\tfloat64 z 0\n\t\tfloat64 w 1\n"
    )
    service = ros2("interface", "show", "std_srvs/srv/SetBool").stdout
    assert "\n---\n" in service
    assert ros2("interface", "show", "std_msgs/String").returncode == 1


def test_interface_list():
    listed = ros2("interface", "list", "-s").stdout.splitlines()
    assert listed[0] == "Services:"
    assert "    std_srvs/srv/SetBool" in listed


def test_packages():
    assert "std_msgs" in ros2("pkg", "list").stdout.splitlines()
    prefix = ros2("pkg", "prefix", "std_msgs").stdout.strip()
    assert (
        ros2("pkg", "prefix", "--share", "std_msgs").stdout.strip() == f"{prefix}/share/std_msgs"
    )
    missing = ros2("pkg", "prefix", "no_such_package")
    assert (missing.returncode, missing.stderr) == (1, "Package not found\n")
    for words in (("pkg", "executables", "no_such_package"), ("run", "no_such_package", "x")):
        missing = ros2(*words)
        assert missing.returncode == 1
        assert missing.stderr == "Package 'no_such_package' not found\n"


def test_run_passes_arguments_and_exit_code(tmp_path, monkeypatch):
    marker = tmp_path / "share/ament_index/resource_index/packages/mine"
    script = tmp_path / "lib/mine/say"
    for path in (marker, script):
        path.parent.mkdir(parents=True)
    marker.touch()
    script.write_text('#!/bin/sh\necho "$@"\nexit 3\n')
    script.chmod(0o755)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")
    done = ros2("run", "mine", "say", "--ros-args", "-p", "x:=1")
    assert done.stdout == "--ros-args -p x:=1\n[ros2run]: Process exited with failure 3\n"
    assert done.returncode == 3
    assert ros2("pkg", "executables", "mine").stdout == "mine say\n"
    assert ros2("run", "mine", "other").stderr == "No executable found\n"


def test_launch_by_path(tmp_path):
    path = tmp_path / "say.launch.py"
    path.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import DeclareLaunchArgument, ExecuteProcess\n"
        "from launch.substitutions import LaunchConfiguration\n"
        "def generate_launch_description():\n"
        "    word = DeclareLaunchArgument('word', default_value='hey', description='to say')\n"
        "    say = ExecuteProcess(\n"
        "        cmd=['echo', 'I say', LaunchConfiguration('word')], output='screen')\n"
        "    return LaunchDescription([word, say])\n"
    )
    shown = ros2("launch", str(path), "--show-args").stdout
    assert "'word':" in shown
    assert "(default: 'hey')" in shown
    done = ros2("launch", str(path), "word:=hello")
    assert done.returncode == 0
    assert "I say hello" in done.stdout + done.stderr
    missing = ros2("launch", "no_such_package", "x.launch.py")
    assert missing.returncode == 1
    assert missing.stderr.startswith("Package 'no_such_package' not found")


@pytest.mark.parametrize("words", [("dance",), ("topic", "dance")])
def test_unknown_words_are_refused(words):
    done = ros2(*words)
    assert done.returncode == 2
    assert "invalid choice: 'dance'" in done.stderr
    assert "Traceback" not in done.stderr
