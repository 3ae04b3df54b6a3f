"""A launch test that passes."""

import sys
import unittest

import launch_testing
import launch_testing.actions
import launch_testing.asserts
import pytest
from launch import LaunchDescription
from launch.actions import ExecuteProcess

WAIT = "import signal; signal.signal(signal.SIGINT, lambda *_: exit(0)); signal.pause()"


@pytest.mark.launch_test
def generate_test_description():
    program = "import sys; print('hello'); print('oh', file=sys.stderr)"
    greeter = ExecuteProcess(cmd=[sys.executable, "-u", "-c", program], name="greeter")
    waiting = ExecuteProcess(cmd=[sys.executable, "-c", WAIT], name="waiting")
    ready = launch_testing.actions.ReadyToTest()
    return LaunchDescription([greeter, waiting, ready]), {"greeter": greeter}


class TestWhileRunning(unittest.TestCase):
    def test_output(self, proc_output, greeter):
        proc_output.assertWaitFor("hello", process=greeter, stream="stdout", timeout=10)
        proc_output.assertWaitFor("oh", timeout=10)
        assert not proc_output.waitFor("hello", process=greeter, timeout=0.1)

    def test_end(self, proc_info, greeter):
        proc_info.assertWaitForStartup(greeter)
        proc_info.assertWaitForShutdown(greeter, timeout=10)
        with pytest.raises(AssertionError):
            proc_info.assertWaitForShutdown("waiting", timeout=0.1)

    def test_unknown_process(self, proc_output):
        with pytest.raises(Exception, match="nobody"):
            proc_output.waitFor("x", process="nobody", timeout=0.1)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_exit_codes(self, proc_info, greeter):
        launch_testing.asserts.assertExitCodes(proc_info, process=greeter)
        launch_testing.asserts.assertExitCodes(proc_info)
        assert len(proc_info.process_names()) == 2
        with pytest.raises(AssertionError):
            launch_testing.asserts.assertExitCodes(proc_info, [5], process="greeter")
