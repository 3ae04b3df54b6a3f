"""Age of servo_node's commands."""

from control_msgs.msg import JointJog

from rigid_tree_moveit.servo.commands import JogCommand


def test_a_command_does_not_stay_when_the_clock_is_set_back():
    command = JogCommand(JointJog(), arrival=100.0)
    fresh = [command.is_fresh(now, timeout=0.1) for now in (100.0, 100.09, 100.2, 50.0)]
    assert fresh == [True, True, False, False]
