"""A launch test that passes; it needs the argument word:=hello."""

import sys
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess
from launch.substitutions import LaunchConfiguration


@pytest.mark.launch_test
@launch_testing.parametrize("number", [1, 2])
def generate_test_description(number):
    program = "import sys; print(*sys.argv[1:])"
    greeter = ExecuteProcess(
        cmd=[sys.executable, "-u", "-c", program, str(number), LaunchConfiguration("word")],
        name="greeter",
    )
    description = LaunchDescription(
        [
            DeclareLaunchArgument("word", description="a greeting"),
            greeter,
            launch_testing.util.KeepAliveProc(),
            launch_testing.actions.ReadyToTest(),
        ]
    )
    return description, {"greeter": greeter, "extra": 42}


class TestWhileRunning(unittest.TestCase):
    @classmethod
    def setUpClass(cls, extra):
        cls.extra_seen = extra

    def test_output(self, proc_output, greeter, number, test_args):
        assert self.extra_seen == 42
        assert test_args["word"] == "hello"
        proc_output.assertWaitFor(f"{number} hello", process=greeter, stream="stdout", timeout=10)
        assert proc_output.waitFor("hello", process="greeter", stream="stdout")

    def test_end(self, proc_info, greeter):
        proc_info.assertWaitForStartup(greeter)
        proc_info.assertWaitForShutdown(greeter, timeout=10)

    def test_unknown_process(self, proc_output):
        with pytest.raises(Exception, match="nobody"):
            proc_output.waitFor("x", process="nobody", timeout=0.1)

    def test_launch_service(self, launch_service):
        assert not launch_service.context.is_shutdown


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info, greeter):
        launch_testing.asserts.assertExitCodes(proc_info, process=greeter)
        launch_testing.asserts.assertExitCodes(proc_info)
        with pytest.raises(AssertionError):
            launch_testing.asserts.assertExitCodes(proc_info, [5], process="greeter")

    def test_output(self, proc_output, number):
        launch_testing.asserts.assertInStdout(proc_output, f"{number} hello", "greeter")
        launch_testing.asserts.assertInStdout(proc_output, [str(number), "hello"], "greeter")
        with pytest.raises(AssertionError):
            launch_testing.asserts.assertInStdout(proc_output, ["hello", str(number)], "greeter")
        with pytest.raises(AssertionError):
            launch_testing.asserts.assertInStderr(proc_output, "hello", "greeter")
        with launch_testing.asserts.assertSequentialStdout(proc_output, "greeter") as checker:
            checker.assertInStdout(str(number))
            checker.assertInStdout("hello")
