"""A game pad leads an arm: sensor_msgs/Joy becomes twists for servo_node.

    ros2 launch rigid_tree_kinematics moveit.launch.py robot:=panda_hand web:=true
    ros2 run joy joy_node
    python examples/gamepad_servo.py

The left stick moves the tip ahead, back and sideways, the shoulder buttons move it up and down,
the right stick turns it. The arm stops when the stick is let go, or when messages end.
"""

import rclpy
from geometry_msgs.msg import TwistStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import Joy

FRAME = "panda_link0"  # along whose axes the tip moves
AHEAD, SIDEWAYS, PITCH, YAW = 1, 0, 4, 3  # axes of a pad as joy_node numbers them
UP, DOWN = 5, 4  # buttons
DEAD = 0.1  # share of a stick's way that does not count


class GamepadServo(Node):
    """Sends a twist for every message of the pad."""

    def __init__(self) -> None:
        super().__init__("gamepad_servo")
        self._twists = self.create_publisher(TwistStamped, "servo_node/delta_twist_cmds", 10)
        self.create_subscription(Joy, "joy", self._on_joy, 10)

    def _on_joy(self, pad: Joy) -> None:
        axis = [value if abs(value) > DEAD else 0.0 for value in pad.axes]
        if len(axis) <= max(AHEAD, SIDEWAYS, PITCH, YAW) or len(pad.buttons) <= max(UP, DOWN):
            self.get_logger().warning("the pad has too few axes or buttons", once=True)
            return
        twist = TwistStamped()
        twist.header.stamp = self.get_clock().now().to_msg()
        twist.header.frame_id = FRAME
        twist.twist.linear.x = axis[AHEAD]  # shares of servo_node's speeds, -1 to 1
        twist.twist.linear.y = axis[SIDEWAYS]
        twist.twist.linear.z = float(pad.buttons[UP] - pad.buttons[DOWN])
        twist.twist.angular.y = axis[PITCH]
        twist.twist.angular.z = axis[YAW]
        self._twists.publish(twist)


def main() -> None:
    rclpy.init()
    node = GamepadServo()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
