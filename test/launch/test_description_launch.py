"""description.launch.py: both nodes start, publish all frames, and exit cleanly."""

from typing import Any

import pytest
from launch import LaunchDescription
from tf2_msgs.msg import TFMessage

from harness.probe import LATCHED
from harness.processes import TIMEOUT
from harness.start import launching
from rigid_tree_kinematics import load_robot


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    arguments = {"robot": "ur5", "namespace": "arm", "frame_prefix": "arm/"}
    return launching.description("description.launch.py", arguments)


class TestRunning(launching.LaunchTestCase):
    def test_all_frames_come_with_the_prefix(self) -> None:
        heard = (
            self.probe.hear(TFMessage, "/tf"),
            self.probe.hear(TFMessage, "/tf_static", LATCHED),
        )
        wanted = {f"arm/{name}" for name in load_robot("ur5").body_names}

        def came() -> Any:
            return {
                stamped.child_frame_id
                for messages in heard
                for message in messages
                for stamped in message.transforms
            }

        self.probe.until(lambda: came() >= wanted, "all frames")
        assert came() == wanted

    def test_nodes_say_which_robot_they_have(self, proc_output: Any) -> None:
        proc_output.assertWaitFor("listening on /arm/joint_states", timeout=TIMEOUT)
        proc_output.assertWaitFor("mode sweep", timeout=TIMEOUT)


class TestAfterwards(launching.ExitCodes):
    pass
