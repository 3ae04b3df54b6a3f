"""Node: joint states of a robot without hardware.

It publishes ``joint_states`` with the positions and velocities of the independent joints.
tree_state_publisher and robot_state_publisher compute the mimic joints.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.kinematics.sweep import Sweep
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common import process
from rigid_tree_kinematics.nodes.common.requests import JointParameters
from rigid_tree_kinematics.nodes.common.robot import SOURCE_PARAMETERS, RobotSource

NAME = "joint_state_source"
MODES = ("home", "positions", "sweep")


@dataclass(frozen=True)
class SourceSettings(process.Parameters):
    """The node's parameters, except the robot's and those of the joints."""

    mode: str = process.parameter(
        "sweep",
        "home: the home position. positions: the parameters positions.<joint>. sweep: a slow "
        "motion of all joints within their limits.",
        choices=MODES,
    )
    rate: float = process.parameter(50.0, "Rate of messages.", low=0.1, high=1000.0, unit="Hz")
    speed: float = process.parameter(
        1.0, "Speed factor of the sweep; periods are 12 to 24 s at 1.", low=0.01, high=10.0
    )


class JointStateSource(process.PlainNode):
    """The node. Raises a RigidTreeError or a parameter exception if startup fails."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._compiled: CompiledTree | None = None
        self._positions = self._velocities = np.empty(0)
        self._sweep: Sweep | None = None  # only in mode sweep
        self._time = 0.0  # s, of the sweep
        self._timer: Timer | None = None
        self._sliders = JointParameters(self, "positions", "Position of {} in mode positions")
        source = RobotSource(
            self, lambda description: description.tree.compiled(), self._use, changeable=False
        )
        self._settings = SourceSettings.declare(self)
        self._publisher = self.create_publisher(JointState, "joint_states", 10)
        source.begin()
        process.on_parameter_change(self, self._check, self._apply)

    def _use(self, compiled: CompiledTree) -> None:
        """Start with a robot at its home position, and declare a parameter for each joint."""
        self._sliders.declare(compiled)
        self._compiled = compiled
        self._positions = compiled.home.copy()
        self._start_mode()
        self._restart_timer()
        self.get_logger().info(
            f"publishing joint states of robot '{compiled.name}': mode {self._settings.mode}, "
            f"{self._settings.rate:g} Hz"
        )

    def _start_mode(self) -> None:
        """Start the mode at the current positions."""
        compiled = self._compiled
        if compiled is None:
            return
        self._sweep, self._time = None, 0.0
        self._velocities = np.zeros(compiled.position_count)
        if self._settings.mode == "home":
            self._positions = compiled.home.copy()
        elif self._settings.mode == "sweep":
            self._sweep = Sweep(compiled, self._positions, self._settings.speed)
        else:
            self._positions = self._sliders.configuration()

    def _restart_timer(self) -> None:
        if self._timer is not None:
            self.destroy_timer(self._timer)
        self._timer = self.create_timer(1.0 / self._settings.rate, self._publish)

    def _publish(self) -> None:
        compiled = self._compiled
        assert compiled is not None
        if self._sweep is not None:
            # Counted instead of read from a clock: a pause of the process is not a jump.
            self._time += 1.0 / self._settings.rate
            self._positions, self._velocities = self._sweep.at(self._time)
        message = JointState()
        message.header.stamp = self.get_clock().now().to_msg()
        message.name = list(compiled.position_names)
        message.position = self._positions.tolist()
        message.velocity = self._velocities.tolist()
        self._publisher.publish(message)

    def _check(self, changed: Mapping[str, Any]) -> None:
        self._settings.changed(changed)
        self._sliders.check(changed)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        before, self._settings = self._settings, self._settings.changed(changed)
        moved = self._sliders.apply(changed) and self._settings.mode == "positions"
        if "mode" in changed or "speed" in changed or moved:
            self._start_mode()
        if self._settings.rate != before.rate and self._compiled is not None:
            self._restart_timer()


PARAMETERS = (SourceSettings, SOURCE_PARAMETERS)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return process.run_node(NAME, JointStateSource, PARAMETERS)
