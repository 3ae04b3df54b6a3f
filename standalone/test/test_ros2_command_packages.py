"""The verbs of the ros2 command that need no running node."""

from launching import install

from harness.processes import run


def ros2(*words):
    return run("ros2", *words)


def test_interface_show_nests_with_tabs():
    shown = ros2("interface", "show", "geometry_msgs/msg/PoseStamped").stdout
    bare = "".join(line for line in shown.splitlines(True) if line.split("#")[0].strip())
    assert bare == (
        "std_msgs/Header header\n\tbuiltin_interfaces/Time stamp\n\t\tint32 sec\n"
        "\t\tuint32 nanosec\n\tstring frame_id\nPose pose\n\tPoint position\n"
        "\t\tfloat64 x\n\t\tfloat64 y\n\t\tfloat64 z\n\tQuaternion orientation\n"
        "\t\tfloat64 x 0\n\t\tfloat64 y 0\n\t\tfloat64 z 0\n\t\tfloat64 w 1\n"
    )
    service = ros2("interface", "show", "std_srvs/srv/SetBool").stdout
    assert "\n---\n" in service
    assert ros2("interface", "show", "std_msgs/String").returncode == 1


def test_run_passes_arguments_and_exit_code(tmp_path, monkeypatch):
    install(tmp_path, "mine", "say", '#!/bin/sh\necho "$@"\nexit 3\n')
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path), prepend=":")
    done = ros2("run", "mine", "say", "--ros-args", "-p", "x:=1")
    assert done.stdout == "--ros-args -p x:=1\n[ros2run]: Process exited with failure 3\n"
    assert done.returncode == 3
    assert ros2("run", "mine", "other").stderr == "No executable found\n"
    missing = ros2("run", "no_such_package", "x")
    assert (missing.returncode, missing.stderr) == (1, "Package 'no_such_package' not found\n")


def test_unknown_commands_are_rejected():
    for words in (("dance",), ("topic", "dance")):
        done = ros2(*words)
        assert done.returncode == 2
        assert "invalid choice: 'dance'" in done.stderr
        assert "Traceback" not in done.stderr
