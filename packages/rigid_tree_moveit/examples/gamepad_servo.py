"""Control an arm with a gamepad: sensor_msgs/Joy becomes twists for servo_node.

    ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda_hand web:=true
    ros2 run joy joy_node
    python packages/rigid_tree_moveit/examples/gamepad_servo.py

The left stick moves the tip forward, backward and sideways, the shoulder buttons move it up and
down, and the right stick rotates it. The arm stops when the stick is released or messages end.
"""

import rclpy
from geometry_msgs.msg import TwistStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Joy

FRAME = "panda_link0"  # frame of the twists
FORWARD, SIDEWAYS, PITCH, YAW = 1, 0, 4, 3  # joy_node's indices of the axes
UP, DOWN = 5, 4  # joy_node's indices of the buttons
DEAD_ZONE = 0.1  # fraction of a stick's range


class GamepadServo(Node):
    """Publishes a twist for each message of the gamepad."""

    def __init__(self) -> None:
        super().__init__("gamepad_servo")
        self._twists = self.create_publisher(TwistStamped, "servo_node/delta_twist_cmds", 10)
        self.create_subscription(Joy, "joy", self._on_joy, 10)

    def _on_joy(self, pad: Joy) -> None:
        axis = [value if abs(value) > DEAD_ZONE else 0.0 for value in pad.axes]
        if len(axis) <= max(FORWARD, SIDEWAYS, PITCH, YAW) or len(pad.buttons) <= max(UP, DOWN):
            self.get_logger().warning("the gamepad has too few axes or buttons", once=True)
            return
        twist = TwistStamped()
        twist.header.stamp = self.get_clock().now().to_msg()
        twist.header.frame_id = FRAME
        twist.twist.linear.x = axis[FORWARD]  # fractions of servo_node's speeds, -1 to 1
        twist.twist.linear.y = axis[SIDEWAYS]
        twist.twist.linear.z = float(pad.buttons[UP] - pad.buttons[DOWN])
        twist.twist.angular.y = axis[PITCH]
        twist.twist.angular.z = axis[YAW]
        self._twists.publish(twist)


def main() -> None:
    try:
        rclpy.init()
        rclpy.spin(GamepadServo())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
