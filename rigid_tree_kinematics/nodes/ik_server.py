"""ik_server: inverse and forward kinematics as services, and a pose target that is tracked."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.subscription import Subscription
from rigid_tree_interfaces.srv import ComputeFK, SolveIK
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.ik_frames import RobotInTf, TargetFrames, UnknownFrameError
from rigid_tree_kinematics.nodes.ik_parameters import changed_settings, declare_settings
from rigid_tree_kinematics.nodes.ik_requests import answer_fk, answer_ik, read_query
from rigid_tree_kinematics.nodes.ik_robot import IkRobot
from rigid_tree_kinematics.nodes.ik_tracking import TargetTracking, tracked_problem
from rigid_tree_kinematics.nodes.joint_state_reader import JointReading, JointStateReader
from rigid_tree_kinematics.nodes.multi_dof_reader import multi_dof_reading
from rigid_tree_kinematics.nodes.parameters import declare_text, on_parameter_change
from rigid_tree_kinematics.nodes.quick_subscription import QuickSubscription
from rigid_tree_kinematics.nodes.robot_source import (
    DESCRIPTION_TOPIC,
    LATCHED,
    ROBOT_DESCRIPTION_HELP,
    ROBOT_HELP,
    RobotDescription,
    chosen_robot,
    described_robot,
)
from rigid_tree_kinematics.nodes.start import run_node

NAME = "ik_server"
# The depth of 10 that services have by default loses requests, and replies, of more callers.
SERVICE_QOS = QoSProfile(depth=1000)
WARNING_PERIOD = 5.0  # s between two warnings of one kind

Response = TypeVar("Response", SolveIK.Response, ComputeFK.Response)


class _ThreadsFirstExecutor(MultiThreadedExecutor):
    """Ends its threads before it takes away what they use, which rclpy does the other way round.

    Otherwise a thread that is at work complains at Ctrl-C of something destroyed.
    """

    def shutdown(self, timeout_sec: float | None = None, *, wait_for_threads: bool = True) -> bool:
        self._executor.shutdown(wait=wait_for_threads)
        return super().shutdown(timeout_sec)


class NoRobotError(RigidTreeError):
    """There is no robot description yet."""


class IkServer(Node):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._robot: IkRobot | None = None
        self._accepted: RobotDescription | None = None  # by a parameter, not yet in use
        self._description_subscription: Subscription | None = None
        self._reader = JointStateReader()
        self._joint_states = QuickSubscription(
            self, JointState, "joint_states", self._on_joint_state, qos_profile_sensor_data
        )
        text = declare_text(self, "robot_description", "", ROBOT_DESCRIPTION_HELP)
        robot = declare_text(self, "robot", "", ROBOT_HELP)
        self.settings = declare_settings(self)
        self._frames = TargetFrames(self)
        self._tracking = TargetTracking(self, self._frames, self.settings)
        described = chosen_robot(text, robot)
        if described is not None:
            self._use(described)
        else:
            self._await_description()
        on_parameter_change(self, self._refusal, self._apply)
        self._joint_states.start()
        self.create_subscription(
            MultiDOFJointState,
            "multi_dof_joint_states",
            self._on_multi_dof_joint_state,
            qos_profile_sensor_data,
        )
        group = ReentrantCallbackGroup()
        for service, name, answer in (
            (SolveIK, "inverse_kinematics", self._on_ik),
            (ComputeFK, "forward_kinematics", self._on_fk),
        ):
            self.create_service(
                service, name, answer, qos_profile=SERVICE_QOS, callback_group=group
            )

    def make_executor(self) -> Executor:
        """Return an executor with as many threads as the parameter says."""
        return _ThreadsFirstExecutor(self.settings.threads)

    def destroy_node(self) -> None:
        """End the node's own thread too."""
        self._joint_states.stop()
        super().destroy_node()

    # -- services --------------------------------------------------------------------------------

    async def _on_ik(
        self, request: SolveIK.Request, response: SolveIK.Response
    ) -> SolveIK.Response:
        return await self._answered(response, self._solve(request, response))

    async def _on_fk(
        self, request: ComputeFK.Request, response: ComputeFK.Response
    ) -> ComputeFK.Response:
        return await self._answered(response, self._compute(request, response))

    async def _solve(self, request: SolveIK.Request, response: SolveIK.Response) -> None:
        begin = time.monotonic()
        robot, settings = self._present_robot(), self.settings
        query = read_query(request, robot, settings)
        deadline = begin + query.timeout
        in_tf = RobotInTf(robot.tree, settings.frame_prefix)
        T_base_target = await self._frames.in_base(
            query.target, in_tf, query.start, query.problem.base, deadline
        )
        answer_ik(query, T_base_target, robot, deadline, self.get_clock().now(), response)

    async def _compute(self, request: ComputeFK.Request, response: ComputeFK.Response) -> None:
        answer_fk(request, self._present_robot(), self.settings.frame_prefix, response)

    async def _answered(self, response: Response, work: Awaitable[None]) -> Response:
        """Let a request be worked on; whatever goes wrong becomes an answer."""
        try:
            await work
        except NoRobotError as error:
            return refuse(response, response.NO_ROBOT, error)
        except UnknownFrameError as error:
            return refuse(response, SolveIK.Response.UNKNOWN_FRAME, error)
        except RigidTreeError as error:
            return refuse(response, response.INVALID_REQUEST, error)
        except Exception as error:  # a defect; it must not end the node
            self.get_logger().error(f"internal error:\n{traceback.format_exc()}")
            return refuse(response, response.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        return response

    def _present_robot(self) -> IkRobot:
        if self._robot is None:
            topic = self.resolve_topic_name(DESCRIPTION_TOPIC)
            raise NoRobotError(f"no robot yet: nothing usable has come on topic {topic}")
        return self._robot

    # -- joint states ----------------------------------------------------------------------------

    def _on_joint_state(self, data: bytes) -> None:
        if self._robot is not None:
            self._guarded("joint_states", lambda _: self._reader.read(data), self._robot)

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        if self._robot is not None:
            self._guarded(
                "multi_dof_joint_states",
                lambda robot: multi_dof_reading(message, robot.tree),
                self._robot,
            )

    def _guarded(
        self, topic: str, read: Callable[[IkRobot], JointReading], robot: IkRobot
    ) -> None:
        """Take over a message's positions, or say why not: no message ends the node."""
        try:
            reading = read(robot)
            robot.state.update(reading.names, reading.positions)
        except Exception as error:
            self.get_logger().warning(
                f"refused a message on {self.resolve_topic_name(topic)}: {error}",
                throttle_duration_sec=WARNING_PERIOD,
            )

    # -- the robot -------------------------------------------------------------------------------

    def _use(self, description: RobotDescription) -> None:
        """Take a robot that has been read without error, in the place of the one before."""
        robot = IkRobot(description, self.settings)
        self._robot = robot
        self._tracking.use(robot)
        for warning in description.warnings:
            self.get_logger().warning(warning)
        joints = len(robot.tree.joint_names)
        self.get_logger().info(
            f"robot '{robot.tree.name}' from {description.origin}: {joints} independent joints; "
            f"current state from {self.resolve_topic_name('joint_states')}"
        )

    def _await_description(self) -> None:
        self._description_subscription = self.create_subscription(
            String, DESCRIPTION_TOPIC, self._on_description, LATCHED
        )

    def _on_description(self, message: String) -> None:
        topic = f"topic {self.resolve_topic_name(DESCRIPTION_TOPIC)}"
        current = self._robot
        if current is not None and message.data == current.description.urdf:
            return
        try:
            self._use(described_robot(message.data, topic))
        except RigidTreeError as error:
            kept = f"; robot '{current.tree.name}' stays" if current else ""
            self.get_logger().error(f"refused the description: {error}{kept}")

    # -- parameters ------------------------------------------------------------------------------

    def _refusal(self, changed: Mapping[str, Any]) -> str:
        """Return why a change of parameters is refused, or an empty string."""
        try:
            settings = changed_settings(self.settings, changed)
            if "robot_description" in changed or "robot" in changed:
                choice = changed.get("robot_description", ""), changed.get("robot", "")
                self._accepted = chosen_robot(*choice)
                if self._accepted is None:
                    return "empty: name another robot, or leave this one"
            elif self._robot is not None:
                tracked_problem(self._robot, settings)
        except RigidTreeError as error:
            return str(error)
        return ""

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self.settings = changed_settings(self.settings, changed)
        if self._robot is not None:
            self._robot.apply(self.settings)
        self._tracking.apply(self.settings)
        if "robot_description" in changed or "robot" in changed:
            assert self._accepted is not None
            if self._description_subscription is not None:
                self.destroy_subscription(self._description_subscription)
                self._description_subscription = None
            self._use(self._accepted)


def refuse(response: Response, code: int, reason: object) -> Response:
    """Make a reply one that says what was wrong."""
    response.success = False
    response.code = code
    response.message = str(reason)
    return response


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, IkServer, arguments, IkServer.make_executor)


if __name__ == "__main__":
    sys.exit(main())
