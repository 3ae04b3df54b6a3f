"""Node: joint states of a robot without hardware, so that its frames have something to follow.

Publishes ``joint_states``: the independent joints' positions and velocities. Mimic joints are
left to who draws the robot: tree_state_publisher and robot_state_publisher compute them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.timer import Timer
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics.sweep import Sweep
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.joint_parameters import JointParameters
from rigid_tree_kinematics.nodes.common.parameters import (
    declare_number,
    declare_text,
    number,
    on_parameter_change,
)
from rigid_tree_kinematics.nodes.common.process import run_node
from rigid_tree_kinematics.nodes.common.robot_source import (
    DESCRIPTION_TOPIC,
    LATCHED,
    ROBOT_DESCRIPTION_HELP,
    ROBOT_HELP,
    RobotDescription,
    chosen_robot,
    described_robot,
)

NAME = "joint_state_source"
MODES = ("home", "positions", "sweep")
RATES = (0.1, 1000.0)  # Hz
SPEEDS = (0.01, 10.0)


class JointStateSource(Node):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._compiled: CompiledTree | None = None
        self._timer: Timer | None = None
        self._sliders = JointParameters(self, "positions", "Position of {} in mode positions")
        text = declare_text(self, "robot_description", "", ROBOT_DESCRIPTION_HELP)
        robot = declare_text(self, "robot", "", ROBOT_HELP)
        self._mode = declare_text(
            self,
            "mode",
            "sweep",
            "home: rest at the home position. positions: what the parameters positions.<joint> "
            "say. sweep: a slow motion of all joints inside their limits.",
        )
        self._rate = declare_number(self, "rate", 50.0, "Messages a second, Hz.", *RATES)
        self._speed = declare_number(
            self,
            "speed",
            1.0,
            "Pace of the sweep; joints swing in 12 to 24 s at 1.",
            *SPEEDS,
        )
        refusal = self._refusal({"mode": self._mode})
        if refusal:
            raise ConfigurationError(refusal)
        described = chosen_robot(text, robot)
        self._publisher = self.create_publisher(JointState, "joint_states", 10)
        if described is not None:
            self._use(described)
        else:
            self.create_subscription(String, DESCRIPTION_TOPIC, self._on_description, LATCHED)
            topic = self.resolve_topic_name(DESCRIPTION_TOPIC)
            self.get_logger().info(f"waiting for a robot on {topic}")
        on_parameter_change(self, self._refusal, self._apply)

    def _on_description(self, message: String) -> None:
        try:
            topic = f"topic {self.resolve_topic_name(DESCRIPTION_TOPIC)}"
            self._use(described_robot(message.data, topic))
        except RigidTreeError as error:
            self.get_logger().error(f"refused the description: {error}")

    def _use(self, description: RobotDescription) -> None:
        """Take this robot, at its home position, with a parameter for every joint."""
        compiled = self._compiled = description.tree.compiled()
        self._positions = compiled.home.copy()
        self._velocities = np.zeros(compiled.position_count)
        self._sliders.declare(compiled)
        self._begin()
        self._restart_timer()
        self.get_logger().info(
            f"robot '{compiled.name}' from {description.origin}: {len(compiled.joint_names)} "
            f"joints, mode {self._mode}, {self._rate:g} Hz"
        )

    def _begin(self) -> None:
        """Begin the mode from where the robot is."""
        compiled = self._compiled
        if compiled is None:
            return
        self._time = 0.0
        self._velocities = np.zeros(compiled.position_count)
        if self._mode == "home":
            self._positions = compiled.home.copy()
        elif self._mode == "sweep":
            self._sweep = Sweep(compiled, self._positions, self._speed)
        else:
            self._positions = self._sliders.configuration()

    def _restart_timer(self) -> None:
        if self._timer is not None:
            self.destroy_timer(self._timer)
        self._timer = self.create_timer(1.0 / self._rate, self._publish)

    def _publish(self) -> None:
        compiled = self._compiled
        assert compiled is not None
        if self._mode == "sweep":
            # Counted, not read from a clock: a pause of the machine is no jump of the robot.
            self._time += 1.0 / self._rate
            self._positions, self._velocities = self._sweep.at(self._time)
        message = JointState()
        message.header.stamp = self.get_clock().now().to_msg()
        message.name = list(compiled.position_names)
        message.position = self._positions.tolist()
        message.velocity = self._velocities.tolist()
        self._publisher.publish(message)

    # -- parameters ------------------------------------------------------------------------------

    def _refusal(self, changed: Mapping[str, Any]) -> str:
        """Return why a change of parameters is refused, or an empty string."""
        if "mode" in changed and changed["mode"] not in MODES:
            return f"mode is one of {', '.join(MODES)}, not '{changed['mode']}'"
        if "robot" in changed or "robot_description" in changed:
            return "the robot is chosen at start; start the node anew for another"
        try:
            self._sliders.check(changed)
            for name, value in changed.items():
                if name == "rate":
                    number(name, value, *RATES)
                elif name == "speed":
                    number(name, value, *SPEEDS)
        except RigidTreeError as error:
            return str(error)
        return ""

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self._mode = changed.get("mode", self._mode)
        self._speed = float(changed.get("speed", self._speed))
        moved = self._sliders.take(changed) and self._mode == "positions"
        if "mode" in changed or "speed" in changed or moved:
            self._begin()
        if "rate" in changed:
            self._rate = float(changed["rate"])
            if self._compiled is not None:
                self._restart_timer()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, JointStateSource, arguments)


if __name__ == "__main__":
    sys.exit(main())
