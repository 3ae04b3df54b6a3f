"""Age of servo_node's commands, and the times and frames of poses."""

import numpy as np
import pytest
from control_msgs.msg import JointJog
from geometry_msgs.msg import PoseStamped

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.model.transforms import matrix_quaternion, transform
from rigid_tree_kinematics.servo import Servo
from rigid_tree_moveit.servo.commands import JogCommand, PoseCommand
from rigid_tree_moveit.servo.parameters import ServoParameters


def test_a_command_does_not_stay_when_the_clock_is_set_back():
    command = JogCommand(JointJog(), arrival=100.0)
    fresh = [command.is_fresh(now, timeout=0.1) for now in (100.0, 100.09, 100.2, 50.0)]
    assert fresh == [True, True, False, False]


@pytest.mark.parametrize("stamped", [True, False])
def test_poses_at_60_hz_are_followed_without_a_lag_by_stamp_or_arrival(stamped):
    """On a line at 0.2 m/s, in a frame that is not the base; steps are at 100 Hz."""
    robot = load_robot("panda")
    servo = Servo(robot, robot.joint_names, "panda_link8")
    servo.reset([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398])
    start, frame = servo.tip_pose(), transform((0.3, 0.2, 0.1))
    frame[:2, :2] = [[0.6, -0.8], [0.8, 0.6]]
    errors = []
    for tick in range(1, 151):
        number = int(tick * 0.6 + 1e-9)
        target = transform((0.0, 0.2 * number / 60.0, 0.0)) @ start
        message, T = PoseStamped(), np.linalg.inv(frame) @ target
        place, turn = message.pose.position, message.pose.orientation
        place.x, place.y, place.z = T[:3, 3].tolist()
        turn.x, turn.y, turn.z, turn.w = matrix_quaternion(T).tolist()
        time = 100.0 + number / 60.0
        if stamped:
            message.header.stamp.sec = int(time)
            message.header.stamp.nanosec = round((time % 1.0) * 1e9)
        # Stamps are exact, and arrivals are not.
        arrival = time + (0.003 * (number % 2) if stamped else 0.0)
        PoseCommand(message, arrival).step(servo, ServoParameters(), lambda name: frame)
        present = transform((0.0, 0.2 * tick * 0.01, 0.0)) @ start
        errors.append(np.linalg.norm((servo.tip_pose() - present)[:3, 3]))
    assert max(errors[-50:]) < 0.002  # 0.04 by the error alone, and the age of the pose
