"""Node: solves inverse kinematics with ik_server and moves the robot to the solution.

The robot is simulated by joint_state_source, whose joints move on a smooth path. The process exits
with code 0 if forward kinematics confirms the pose, with code 1 and a message otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from numpy.typing import NDArray
from rcl_interfaces.srv import SetParameters
from rclpy.client import Client
from rclpy.parameter import Parameter
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.transforms import inverse, rotation_log, transform_from_xyz_rpy
from rigid_tree_kinematics.nodes.base import (
    Parameters,
    TaskError,
    TaskNode,
    parameter,
    pose_matrix,
    pose_message,
    run_node,
)

NAME = "ik_demo"
SOURCE = "joint_state_source"
POSE = (0.45, 0.25, 0.4, 3.141592653589793, 0.0, 0.0)  # in front of a Panda, hand down
STEPS_A_SECOND = 25.0
ARRIVED = 1e-5  # m and rad, ten times the solver's tolerance


@dataclass(frozen=True)
class DemoSettings(Parameters):
    """The node's parameters."""

    body: str = parameter("panda_link8", "Link to move.")
    pose: tuple[float, ...] = parameter(
        POSE, "Goal pose of the link in the robot's root: x, y, z [m], roll, pitch, yaw [rad]."
    )
    duration: float = parameter(3.0, "Duration of the motion.", low=0.1, high=60.0, unit="s")
    timeout: float = parameter(30.0, "Timeout for other nodes.", low=0.1, high=3600.0, unit="s")

    def check(self) -> None:
        """Raise ConfigurationError unless the pose has six numbers."""
        if len(self.pose) != 6:
            raise ConfigurationError(
                f"parameter 'pose' must be x, y, z, roll, pitch, yaw, not {list(self.pose)}"
            )


class IkDemo(TaskNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = DemoSettings.declare(self)
        pose = self._settings.pose
        self._target = transform_from_xyz_rpy(pose[:3], pose[3:])
        self.set_timeout(self._settings.timeout + self._settings.duration)
        self._state: JointState | None = None
        self._ik: Client[Any, Any] = self.create_client(SolveIK, "inverse_kinematics")
        self._fk: Client[Any, Any] = self.create_client(ComputeFK, "forward_kinematics")
        self._source: Client[Any, Any] = self.create_client(
            SetParameters, f"{SOURCE}/set_parameters"
        )
        self.create_subscription(JointState, "joint_states", self._on_joint_state, 10)

    def _on_joint_state(self, message: JointState) -> None:
        if len(message.name) == len(message.position) > 0:
            self._state = message

    async def play(self) -> None:
        """Solve, move, and check the pose."""
        for client in (self._ik, self._fk, self._source):
            await self.until(client.service_is_ready, f"no service {client.srv_name}")
        await self.until(lambda: self._state, "no joint states")
        reply = await self._solution()
        self.get_logger().info(f"inverse_kinematics: {reply.message}")
        solution = reply.solutions[0]
        for names, positions in self._path(solution):
            await self._set_joints(names, positions)
            await self.sleep(1.0 / STEPS_A_SECOND)
        error = await self._arrival()
        angles = ", ".join(f"{value:.3f}" for value in solution.position)
        self.get_logger().info(
            f"the robot moved to [{angles}]; {self._settings.body} is {1e3 * error[0]:.4f} mm and "
            f"{error[1]:.2g} rad from the goal pose"
        )

    async def _solution(self) -> SolveIK.Response:
        request = SolveIK.Request(body=self._settings.body, target=pose_message(self._target, ""))
        request.timeout.sec = 2
        reply = await self.call_with_robot(self._ik, request)
        if not reply.success:
            raise TaskError(f"inverse_kinematics: {reply.message}")
        return reply

    def _path(self, solution: JointState) -> Iterator[tuple[list[str], NDArray[np.float64]]]:
        """Yield positions from the current state to the solution, smooth at both ends."""
        assert self._state is not None
        now = dict(zip(self._state.name, self._state.position, strict=True))
        names = [name for name in solution.name if name in now]
        goals = dict(zip(solution.name, solution.position, strict=True))
        start = np.array([now[name] for name in names])
        goal = np.array([goals[name] for name in names])
        for part in np.linspace(0.0, 1.0, max(2, round(self._settings.duration * STEPS_A_SECOND))):
            blend = part * part * (3.0 - 2.0 * part)
            between = (1.0 - blend) * start + blend * goal
            # Rounding must not exceed a limit at the path's ends.
            yield names, np.clip(between, np.minimum(start, goal), np.maximum(start, goal))

    async def _set_joints(self, names: Sequence[str], positions: NDArray[np.float64]) -> None:
        """Set the positions of joint_state_source."""
        pairs = zip(names, positions.tolist(), strict=True)
        values: list[Parameter[Any]] = [Parameter(f"positions.{k}", value=v) for k, v in pairs]
        # The mode is last, after the positions.
        values.append(Parameter("mode", value="positions"))
        request = SetParameters.Request(parameters=[value.to_parameter_msg() for value in values])
        reply = await self.call(self._source, request)
        for result in reply.results:
            if not result.successful:
                raise TaskError(f"{SOURCE}: {result.reason}")

    async def _arrival(self) -> tuple[float, float]:
        """Return the error (m, rad) of the body's pose once it has arrived."""
        while True:
            reply = await self.call(self._fk, ComputeFK.Request(bodies=[self._settings.body]))
            if not reply.success:
                raise TaskError(f"forward_kinematics: {reply.message}")
            error = self._error(reply.poses[0].pose)
            if max(error) < ARRIVED:
                return error
            self.check_time(f"the error is still {error[0]:.4g} m, {error[1]:.4g} rad")
            await self.sleep(0.05)

    def _error(self, pose: Pose) -> tuple[float, float]:
        off = inverse(self._target) @ pose_matrix(pose)
        return float(np.linalg.norm(off[:3, 3])), float(np.linalg.norm(rotation_log(off)))


PARAMETERS = (DemoSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, IkDemo, PARAMETERS)
