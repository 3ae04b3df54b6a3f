"""A servo_node with a simulated Panda, and pymoveit2 as its client."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
from moveit_msgs.msg import ServoStatus
from pymoveit2 import MoveIt2Servo
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from harness.network import Network
from moveit_harness.move_group import FINGER, JOINTS, PATIENCE, READY
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.robots import bundled_folder

TIP = "panda_link8"  # of group panda_arm
STILL = 30  # joint states, 100 a second


class Servoing:
    """The nodes and an independent client."""

    def __init__(self, directory: Path, **parameters: Any) -> None:
        self.network = Network(directory)
        self.robot = load_robot("panda_hand")
        self.srdf = str(bundled_folder("robots") / "panda_hand.srdf")
        given = {"robot": "panda_hand", "srdf": self.srdf}
        given["moveit_servo.move_group_name"] = "panda_arm"
        self.process = self.network.start("servo_node", given | parameters)
        ready = {f"initial_positions.{name}": q for name, q in zip(JOINTS, READY, strict=True)}
        self.network.start("robot_simulator", {"robot": "panda_hand", **ready})
        self.network.log_line(self.process, f"servoing '{TIP}'")
        self.states: list[JointState] = self.network.record(JointState, "joint_states")
        self.commands: list[JointTrajectory] = self.network.record(
            JointTrajectory, "joint_trajectory"
        )
        self.statuses: list[ServoStatus] = self.network.record(ServoStatus, "servo_node/status")
        self._node = Node("client", context=self.network.context)
        self._executor = MultiThreadedExecutor(2, context=self.network.context)
        self._executor.add_node(self._node)
        self.client = MoveIt2Servo(
            self._node, "panda_link0", callback_group=ReentrantCallbackGroup()
        )
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()
        self.network.wait_for_discovery("/servo_node")
        self.network.until(lambda: self.states, "a joint state")

    def now(self) -> Any:
        """Return the current stamp."""
        return self.network.node.get_clock().now().to_msg()

    def positions(self) -> list[float]:
        """Return the arm's positions from the next joint state."""
        self.states.clear()
        self.network.until(lambda: self.states, "a joint state")
        state = self.states[-1]
        return [state.position[list(state.name).index(name)] for name in JOINTS]

    def tip(self) -> Any:
        """Return the tip's pose (4x4) by the library's model."""
        q = {**dict(zip(JOINTS, self.positions(), strict=True)), FINGER: 0.035}
        return self.robot.get_transform(q, TIP)

    def keep(self, command: Any, condition: Any, what: str) -> None:
        """Repeat a command at 50 Hz until a condition is true."""

        def again() -> Any:
            command()
            self.network.spin_for(0.02)
            return condition()

        self.network.until(again, what, PATIENCE)

    def rest(self) -> None:
        """Wait until nothing has moved for a while; commands can arrive late."""
        self.states.clear()

        def still() -> bool:
            last = self.states[-STILL:]
            return len(last) == STILL and all(np.abs(s.velocity).max() < 1e-6 for s in last)

        self.network.until(still, "a rest")

    def close(self) -> None:
        self.client.destroy()
        self._executor.shutdown()
        self._thread.join(PATIENCE)
        self._node.destroy_node()
        self.network.close()
