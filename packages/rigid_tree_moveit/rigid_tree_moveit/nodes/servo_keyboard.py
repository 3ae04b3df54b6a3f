"""Node: keyboard control of servo_node from a terminal."""

from __future__ import annotations

import atexit
import os
import re
import select
import sys
import termios
import tty
from dataclasses import dataclass

from control_msgs.msg import JointJog
from geometry_msgs.msg import TwistStamped
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import Parameters, PlainNode, parameter, run_node

NAME = "servo_keyboard"
PERIOD = 0.02  # s
HELD = 0.3  # s that a key is considered held: terminals repeat keys only after a delay
HELP = """\
arrows, page up/down   move the tip forward, back, left, right, up, down
i k  j l  u o          rotate the tip about x, y, z
1 ... 9                move a joint
r                      reverse the direction of the joints
q                      quit"""
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)
# Forwards and backwards, along x, y, z and about x, y, z.
TWIST_KEYS = KEY.findall("\x1b[A\x1b[B\x1b[D\x1b[C\x1b[5~\x1b[6~ikjluo")
# Index in a twist and sign of each key.
TWISTS = {key: (number // 2, -1.0 if number % 2 else 1.0) for number, key in enumerate(TWIST_KEYS)}


@dataclass(frozen=True)
class KeyboardParameters(Parameters):
    """The values of the parameters."""

    frame: str = parameter("", "TF frame of the tip's velocity. Empty: the robot's base.")
    speed: float = parameter(0.5, "Magnitude of the unitless commands.", low=0.01, high=1.0)


class Terminal:
    """Unbuffered keys of a terminal; ConfigurationError without a terminal."""

    def __init__(self) -> None:
        if not sys.stdin.isatty():
            raise ConfigurationError("servo_keyboard reads keys; start it in a terminal")
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        atexit.register(self.close)
        tty.setcbreak(self._file)  # Ctrl-C still ends the program

    def close(self) -> None:
        """Restore the terminal."""
        atexit.unregister(self.close)
        termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def pressed(self) -> list[str]:
        """Return the keys pressed since the last call."""
        typed = ""
        while select.select([self._file], [], [], 0.0)[0]:
            read = os.read(self._file, 64).decode(errors="ignore")
            if not read:  # the terminal was closed
                return ["q"]
            typed += read
        return KEY.findall(typed)


class ServoKeyboard(PlainNode):
    """The node. Raises ConfigurationError without a terminal."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = KeyboardParameters.declare(self)
        self._terminal = Terminal()
        self.finished: Future[int] = Future()
        self._key, self._held = "", 0.0
        self._sign = 1.0
        self._joints: list[str] = []
        self._twists = self.create_publisher(TwistStamped, "servo_node/delta_twist_cmds", 10)
        self._jogs = self.create_publisher(JointJog, "servo_node/delta_joint_cmds", 10)
        self.create_subscription(
            JointState, "joint_states", self._on_joint_state, qos_profile_sensor_data
        )
        self.create_timer(PERIOD, self._publish)
        print(HELP, flush=True)

    def destroy_node(self) -> None:
        """Restore the terminal."""
        if hasattr(self, "_terminal"):  # absent if startup failed
            self._terminal.close()
        super().destroy_node()

    def _on_joint_state(self, message: JointState) -> None:
        if message.name:
            self._joints = list(message.name)

    def _publish(self) -> None:
        """Publish the command of the held key."""
        for key in self._terminal.pressed():
            if key == "q":
                self.finished.set_result(0)
                return
            if key == "r":
                self._sign = -self._sign
            else:
                self._key, self._held = key, HELD
        if self._held <= 0.0:
            return
        self._held -= PERIOD
        if self._key in TWISTS:
            self._move_tip(*TWISTS[self._key])
        elif self._key.isdigit() and 0 < int(self._key) <= len(self._joints):
            self._move_joint(self._joints[int(self._key) - 1])

    def _move_tip(self, index: int, sign: float) -> None:
        message = TwistStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = self._settings.frame
        part = message.twist.linear if index < 3 else message.twist.angular
        setattr(part, "xyz"[index % 3], sign * self._settings.speed)
        self._twists.publish(message)

    def _move_joint(self, name: str) -> None:
        message = JointJog(joint_names=[name], velocities=[self._sign * self._settings.speed])
        message.header.stamp = self.get_clock().now().to_msg()
        self._jogs.publish(message)


PARAMETERS = (KeyboardParameters,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, ServoKeyboard, PARAMETERS)


if __name__ == "__main__":
    sys.exit(main())
