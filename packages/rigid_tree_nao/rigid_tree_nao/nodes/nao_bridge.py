"""nao_bridge: a NAO's own motion API as ROS services, actions and topics.

The robot, real or simulated, is reached over libqi.
"""

from collections.abc import Mapping
from concurrent.futures import TimeoutError as FutureTimeoutError  # builtin from 3.11 on
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.base import PlainNode, Ticker, on_parameter_change, run_node
from rigid_tree_nao import NaoError
from rigid_tree_nao.guard import WalkGuard, WalkState
from rigid_tree_nao.model import NaoBody, known_version, robot_name
from rigid_tree_nao.nodes import bridge
from rigid_tree_nao.nodes.methods import METHODS
from rigid_tree_nao.nodes.parameters import BridgeSettings
from rigid_tree_nao.nodes.robot import NaoRobot
from rigid_tree_nao.nodes.state import InfoTopic, StatePublisher
from rigid_tree_nao.robot import BASE_VERSION, ConnectionState, NaoConnection

NAME = "nao_bridge"
DIAGNOSTICS_PERIOD = 1.0  # s
HOT = 70.0  # degrees Celsius, from which NAO reduces the stiffness of a joint
LAST_STOP_PATIENCE = 1.0  # s that the node waits for its last stop before it exits


class NaoBridge(PlainNode):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = settings = BridgeSettings.declare(self)
        body = NaoBody(settings.version, settings.body_type)
        address = settings.nao_ip, settings.nao_port, settings.user, settings.password
        connection = NaoConnection(*address, self._on_connection)
        self._robot = NaoRobot(self, body, connection, WalkState(WalkGuard(*address)))
        self._robot.walk_range = settings.walk_range
        self._mismatch = ""  # how the robot differs from the parameters
        bridge.advertise_methods(self, self._robot)
        bridge.advertise_driver_services(self, self._robot)
        self._method_actions = bridge.MethodActions(self, self._robot)
        self._driver_actions = bridge.DriverActions(self, self._robot)
        self._topics = bridge.CommandTopics(self, self._robot, settings)
        self._publisher = StatePublisher(self, self._robot, settings)
        self._info = InfoTopic(self, self._robot)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._ticker = Ticker(self, DIAGNOSTICS_PERIOD, self._diagnose)
        on_parameter_change(self, lambda new: self._settings.changed(new), self._apply)
        self.get_logger().info(f"connecting to NAO at {connection.url}")
        connection.start()
        self._robot.walk.start()
        self._publisher.start()
        self._ticker.start()

    def destroy_node(self) -> None:
        """Stop the robot if it walks, and close the connection."""
        if self._robot.walk.is_walking:
            try:
                self._topics.stop().result(LAST_STOP_PATIENCE)
            except (RigidTreeError, FutureTimeoutError) as error:
                self.get_logger().error(f"the walk could not be stopped: {error}")
        self._robot.walk.close()
        self._ticker.stop()
        self._publisher.stop()
        self._robot.connection.close()
        self._method_actions.destroy()
        self._driver_actions.destroy()
        self._topics.destroy()
        super().destroy_node()

    def _on_connection(self, state: ConnectionState) -> None:
        """Log that the robot was connected or disconnected."""
        if not self.context.ok():  # Ctrl-C has ended the node as well
            return
        url = self._robot.connection.url
        if not state.is_connected:
            self._robot.walk.abandon()
            self.get_logger().warning(f"no connection to NAO, trying again: {state.last_error}")
            return
        if self._robot.walk.is_walking:
            # Its callers have already been told that it failed.
            METHODS["stop_move"].send(self._robot, "a walk before the connection was lost")
        again = " again" if state.connections > 1 else ""
        self.get_logger().info(f"connected{again} to NAO at {url}")
        self._info.read(self._settings.patience)
        self._mismatch = self._difference()
        if self._mismatch:
            self.get_logger().error(self._mismatch)

    def _difference(self) -> str:
        """Return how the robot's joints differ from those of the configured version."""
        body = self._robot.body
        try:
            patience = self._settings.patience
            ask = self._robot.connection.ask
            names = ask("ALMotion", "getBodyNames", "Body", timeout=patience)
            values = ask("ALMemory", "getListData", [BASE_VERSION], timeout=patience)
        except NaoError as error:
            return f"the joints of the robot could not be read: {error}"
        differences = []
        version = known_version(str(values[0]))
        if version and robot_name(version) != robot_name(body.version):
            differences.append(
                f"the robot is a {version}, the parameter version is {body.version}"
            )
        if set(names) != set(body.joint_names):
            missing = [name for name in body.joint_names if name not in names]
            left_out = f", which lacks {', '.join(missing)}" if missing else ""
            differences.append(
                f"the robot has {len(names)} joints, NAO {body.version} {body.body_type} has "
                f"{len(body.joint_names)}{left_out}"
            )
        if not differences:
            return ""
        found = "; ".join(differences)
        return f"{found}: set the parameters version and body_type to the robot's"

    def _diagnose(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        message.status = [self._connection_status(), *self._health_status()]
        self._diagnostics.publish(message)
        self._info.publish()

    def _connection_status(self) -> DiagnosticStatus:
        connection = self._robot.connection.state
        level, message = DiagnosticStatus.OK, "connected"
        if not connection.is_connected:
            level, message = DiagnosticStatus.ERROR, connection.last_error
        elif self._mismatch:
            level, message = DiagnosticStatus.WARN, self._mismatch
        values = {"connections": connection.connections, "failed attempts": connection.attempts}
        url = {"url": self._robot.connection.url}
        return self._status("connection", level, message, {**url, **values})

    def _health_status(self) -> list[DiagnosticStatus]:
        health, state = self._robot.health, self._robot.state
        if health is None or state is None:
            return []
        loose = int((state.stiffnesses <= 0.0).sum())
        level = DiagnosticStatus.OK
        message = "all stiff" if not loose else f"{loose} joints have stiffness 0"
        if health.temperature >= HOT:
            level = DiagnosticStatus.WARN
            message = f"{health.hottest} is at {health.temperature:.0f} degrees Celsius"
        values = {
            "battery": f"{100.0 * health.battery:.0f} %",
            "hottest joint": f"{health.hottest} {health.temperature:.0f} C",
            "posture": health.posture,
        }
        for joint, degrees in health.temperatures.items():
            values[f"temperature of {joint}"] = f"{degrees:.0f} C"
        return [self._status("motors", level, message, values)]

    def _status(
        self, part: str, level: bytes, message: str, values: Mapping[str, object]
    ) -> DiagnosticStatus:
        return DiagnosticStatus(
            name=f"{self.get_fully_qualified_name()}: {part}",
            hardware_id=self._robot.connection.url,
            level=level,
            message=message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self._settings = self._settings.changed(changed)
        self._topics.timeout = self._settings.cmd_vel_timeout
        self._robot.walk_range = self._settings.walk_range


PARAMETERS = (BridgeSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, NaoBridge, PARAMETERS)
