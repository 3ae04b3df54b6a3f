"""An ik_server with clients of its services, and reference poses of its robot."""

from typing import Any

import numpy as np
from rclpy.task import Future
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState
from tf2_ros import StaticTransformBroadcaster

from harness.network import Network
from harness.poses import transform_stamped
from harness.truth import Truth
from rigid_tree_kinematics import load_robot

SERVICES = {
    SolveIK.Request: (SolveIK, "inverse_kinematics"),
    ComputeFK.Request: (ComputeFK, "forward_kinematics"),
}


class IkServer:
    """An ik_server in its process; the service follows from the request's type."""

    def __init__(self, network: Network, **parameters: Any) -> None:
        self.network = network
        self.process = network.start("ik_server", parameters)
        self._broadcaster = StaticTransformBroadcaster(network.node)

    def call_async(self, request: Any) -> Future:
        return self.network.call_async(*SERVICES[type(request)], request)

    def call(self, request: Any) -> Any:
        return self.network.call(*SERVICES[type(request)], request)

    def set_parameter(self, name: str, value: Any) -> Any:
        return self.network.set_parameter("ik_server", name, value)

    def send_transform(self, parent: str, child: str, T: np.ndarray) -> None:
        """Publish a static transform."""
        self._broadcaster.sendTransform(transform_stamped(parent, child, T))


class JointStates:
    """Joint states of a bundled robot, and its poses by Pinocchio."""

    def __init__(self, robot: str) -> None:
        self.tree = load_robot(robot)
        self._truth = Truth(self.tree)
        self.urdf = self._truth.urdf

    def pose(self, state: JointState, body: str, base: str | None = None) -> np.ndarray:
        positions = dict(zip(state.name, state.position, strict=True))
        q = np.array([positions[name] for name in self.tree.position_names])
        return self._truth.pose(q, body, base)

    def of(self, configuration: np.ndarray) -> JointState:
        return JointState(name=self.tree.position_names, position=configuration.tolist())

    def home(self) -> JointState:
        return self.of(self.tree.home_configuration())

    def random(self, count: int, seed: int) -> list[JointState]:
        rng = np.random.default_rng(seed)
        return [self.of(self.tree.random_configuration(rng)) for _ in range(count)]

    def assert_within_limits(self, state: JointState) -> None:
        self._truth.assert_within_limits(np.array(state.position))
