"""NAO talks, waves, walks and reads its sensors, with nao_bridge's ROS 2 interface.

    ros2 launch rigid_tree_nao nao.launch.py      # nao_ip:=nao.local for a real NAO
    python packages/rigid_tree_nao/examples/nao_story_ros.py

nao_story.py does the same with Aldebaran's Python SDK.
"""

import math
import sys
from functools import partial

import rclpy
from nao_motion_interfaces.action import AngleInterpolation, MoveTo
from nao_motion_interfaces.msg import NumberList
from nao_motion_interfaces.srv import Call, CallFor, GetPosition, GoToPosture, SetAngles
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Range
from std_msgs.msg import Bool, String

WAVE_NAMES = ["RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll"]
WAVE_ANGLES = [[-1.0, -1.0], [-0.35, -0.35], [1.5, 1.5], [1.3, 0.4, 1.3, 0.4, 1.3]]
WAVE_TIMES = [[1.2, 4.0], [1.2, 4.0], [1.2, 4.0], [1.2, 1.9, 2.6, 3.3, 4.0]]
TIMEOUT = 60.0  # s


class Story(Node):
    """A client of the bridge in the namespace nao."""

    def __init__(self):
        super().__init__("nao_story", namespace="nao")
        self.received = {}
        for name, kind in {
            "battery": BatteryState,
            "sonar/left": Range,
            "sonar/right": Range,
            "foot_contact": Bool,
        }.items():
            self.create_subscription(kind, name, partial(self.receive, name), 10)
        self.speech = self.create_publisher(String, "speech", 10)

    def receive(self, name, message):
        self.received[name] = message

    def done(self, future):
        rclpy.spin_until_future_complete(self, future, timeout_sec=TIMEOUT)
        if not future.done():
            sys.exit("no response from nao_bridge")
        return future.result()

    def call(self, kind, service, **fields):
        client = self.create_client(kind, service)
        if not client.wait_for_service(TIMEOUT):
            sys.exit(f"no service {service}: is nao_bridge running?")
        reply = self.done(client.call_async(kind.Request(**fields)))
        if not reply.success:
            sys.exit(f"{service}: {reply.message}")
        return reply

    def act(self, kind, action, **fields):
        client = ActionClient(self, kind, action)
        if not client.wait_for_server(TIMEOUT):
            sys.exit(f"no action {action}: is nao_bridge running?")
        goal = self.done(client.send_goal_async(kind.Goal(**fields)))
        result = self.done(goal.get_result_async()).result
        if not result.success:
            sys.exit(f"{action}: {result.message}")

    def tell(self):
        self.call(Call, "wake_up")
        self.call(GoToPosture, "go_to_posture", posture_name="StandInit", speed=0.5)

        self.speech.publish(String(data="Hello, I am NAO"))
        self.call(CallFor, "open_hand", name="RHand")
        self.act(
            AngleInterpolation,
            "angle_interpolation",
            names=WAVE_NAMES,
            angle_lists=[NumberList(values=row) for row in WAVE_ANGLES],
            time_lists=[NumberList(values=row) for row in WAVE_TIMES],
            is_absolute=True,
        )
        self.call(CallFor, "close_hand", name="RHand")
        self.call(GoToPosture, "go_to_posture", posture_name="StandInit", speed=0.5)

        self.call(
            SetAngles,
            "set_angles",
            names=["HeadYaw", "HeadPitch"],
            angles=[0.5, -0.1],
            fraction_max_speed=0.2,
        )
        self.speech.publish(String(data="I am walking"))
        self.call(Call, "move_init")
        gait = {"config_names": ["MaxStepX"], "config_values": [0.03]}
        self.act(MoveTo, "move_to", x=0.2, theta=math.pi / 6.0, **gait)
        print("arrived")

        while len(self.received) < 4:
            rclpy.spin_once(self, timeout_sec=TIMEOUT)
        print(f"battery: {self.received['battery'].percentage}")
        for side in ("left", "right"):
            print(f"obstacle on the {side} (m): {self.received[f'sonar/{side}'].range:.2f}")
        print(f"stands on the ground: {self.received['foot_contact'].data}")
        hand = self.call(GetPosition, "get_position", name="RArm", space=2, use_sensors=True)
        print("right hand: " + ", ".join(f"{number:.3f}" for number in hand.position))

        self.speech.publish(String(data="Goodbye"))
        self.call(Call, "rest")


def main():
    try:
        rclpy.init()
        Story().tell()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
