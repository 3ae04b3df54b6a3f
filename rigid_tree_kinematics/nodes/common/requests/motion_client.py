"""A client of ik_server, rrt_planner and a driver: inverse kinematics, plans, execution.

The methods are coroutines of the node's executor. Timeouts run on a steady clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanReply, PlanRequest, SceneChange
from rigid_tree_interfaces.srv import CheckState, PlanMotion, SolveIK, UpdateScene
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import (
    WATCHDOG_PERIOD,
    LifeSign,
    below,
    wait_until,
    within,
)
from rigid_tree_kinematics.nodes.common.requests.message_time import seconds_of

ANSWERED_WITHIN = 5.0  # s, in addition to the time limit of the request
# s without further feedback after which a server is considered dead; rrt_planner reports a dead
# driver after 8 s.
SILENT = 10.0
SETTLED = 0.5  # s after a stop until the robot rests and the planner has its state

IK, PLANNER = "inverse_kinematics", "plan_motion"
CHECK, SCENE = "check_state", "update_scene"
SERVICES = {IK: SolveIK, PLANNER: PlanMotion, CHECK: CheckState, SCENE: UpdateScene}
DRIVER = "follow_joint_trajectory"
WATCHED = "follow_watched_trajectory"  # rrt_planner's, which stops blocked motions
ACTIONS = {DRIVER: FollowJointTrajectory, WATCHED: FollowJointTrajectory}
BLOCKED = 1  # error code of WATCHED beside those of FollowJointTrajectory, which are not positive


class MotionError(RigidTreeError):
    """Another node rejected a request or failed; the message has its name and reason."""


class BlockedError(MotionError):
    """An obstacle, named in the message, blocks the path. The robot has stopped."""


class StoppedError(MotionError):
    """The client was told to stop before the plan was found or the motion had ended."""


class NotReadyError(MotionError):
    """Another node is missing, has no robot yet, or did not reply in time: try again later."""


class MotionClient:
    """Clients of ik_server, rrt_planner and a driver (or robot_simulator) in one namespace.

    A client is created once its service is on the network: a client alone would make the service
    appear in ``ros2 service list``. Subclasses can know more ``services`` and ``actions`` by name.
    """

    services: Mapping[str, Any] = SERVICES
    actions: Mapping[str, Any] = ACTIONS

    def __init__(self, node: Node, namespace: str = "") -> None:
        self._node = node
        self._namespace = namespace
        self._services: dict[str, Client[Any, Any]] = {}
        self._actions: dict[str, ActionClient[Any, Any, Any]] = {}
        self._stops = 0

    def destroy(self) -> None:
        """Destroy the clients."""
        for action in self._actions.values():
            action.destroy()
        for client in self._services.values():
            self._node.destroy_client(client)

    def stop(self) -> None:
        """Let running plans and motions end with StoppedError; the robot is stopped elsewhere."""
        self._stops += 1

    @property
    def available(self) -> dict[str, bool]:
        """Whether the servers "ik", "planner" and "driver" are available now."""
        self._find()
        return {
            "ik": self._is_served(IK),
            "planner": self._is_served(PLANNER),
            "driver": self._is_ready(DRIVER),
        }

    def _find(self) -> None:
        """Create the clients of servers that have appeared."""
        if len(self._services) + len(self._actions) == len(self.services) + len(self.actions):
            return
        node = self._node
        names = {name for name, _ in node.get_service_names_and_types()}
        for name, kind in self.services.items():
            if name not in self._services and self._resolved(name) in names:
                self._services[name] = node.create_client(kind, below(self._namespace, name))
        for name, kind in self.actions.items():
            if name not in self._actions and f"{self._resolved(name)}/_action/send_goal" in names:
                self._actions[name] = ActionClient(node, kind, below(self._namespace, name))

    def _is_served(self, service: str) -> bool:
        client = self._services.get(service)
        return client is not None and bool(client.service_is_ready())

    def _is_ready(self, action: str) -> bool:
        return action in self._actions and bool(self._actions[action].server_is_ready())

    async def solve(self, request: SolveIK.Request) -> SolveIK.Response:
        """Return the reply of ik_server, successful or not.

        Waits for the request's timeout and ANSWERED_WITHIN seconds more. Raises NotReadyError if
        the service is not available or does not reply.
        """
        return await self._answer(IK, request, seconds_of(request.timeout))

    async def check(self, request: CheckState.Request) -> CheckState.Response:
        """Return the collisions of a state from rrt_planner.

        Raises NotReadyError if the service is not available or does not reply, MotionError if the
        planner rejects the request.
        """
        reply = await self._answer(CHECK, request, 0.0)
        if not reply.success:
            raise MotionError(reply.message)
        return reply

    async def change_scene(self, changes: list[SceneChange]) -> None:
        """Change rrt_planner's scene; raises NotReadyError and MotionError as ``check`` does."""
        reply = await self._answer(SCENE, UpdateScene.Request(changes=changes), 0.0)
        if not reply.success:
            raise MotionError(reply.message)

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a successful reply of rrt_planner: a path, and a trajectory with times.

        Waits for the request's time limit and ANSWERED_WITHIN seconds more. Raises MotionError
        with the planner's reason if it found none, NotReadyError if the planner is missing, has
        no robot or does not reply, StoppedError after ``stop``.
        """
        stops = self._stops
        patience = seconds_of(request.time_limit)
        answer = await self._answer(PLANNER, PlanMotion.Request(request=request), patience)
        if answer.reply.code == PlanReply.NO_ROBOT:
            raise NotReadyError(answer.reply.message)
        self._check_stops(stops)
        if not answer.reply.success:
            raise MotionError(answer.reply.message)
        return answer.reply

    async def execute(self, trajectory: JointTrajectory) -> float:
        """Execute a trajectory with a driver; return its duration (s).

        If there is a planner, it stops the motion when a change of its scene blocks it. Waits as
        long as there is feedback, or without any for the duration and GRACE seconds more. Raises
        BlockedError, MotionError with the driver's error if it rejected the trajectory, failed or
        fell silent, NotReadyError if no driver advertises the action or replies, StoppedError
        after ``stop``.
        """
        self._find()
        name = WATCHED if self._is_ready(WATCHED) and self._is_ready(DRIVER) else DRIVER
        length = seconds_of(trajectory.points[-1].time_from_start)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        result = await self._achieve(name, goal, length)
        code, message = result.error_code, result.error_string
        if name == WATCHED and code == BLOCKED:
            raise BlockedError(message)
        if code != FollowJointTrajectory.Result.SUCCESSFUL:
            raise MotionError(f"the motion failed: {message or f'error {code}'}")
        return length

    async def _achieve(self, name: str, goal: Any, length: float) -> Any:
        """Return the result of a motion of a duration (s); raises the errors of ``execute``."""
        stops = self._stops
        action, sign = self._resolved(name), LifeSign(self._node, length, SILENT)
        if not self._is_ready(name):
            raise NotReadyError(f"no server of the action {action}")
        handle = await self._within(
            ANSWERED_WITHIN,
            self._actions[name].send_goal_async(goal, lambda _: sign.heard()),
            f"no reply from {action}",
        )
        if not handle.accepted:
            raise MotionError(f"{action} rejected the trajectory")
        future = handle.get_result_async()
        await wait_until(
            self._node, lambda: future.done() or sign.is_lost, math.inf, WATCHDOG_PERIOD, [future]
        )
        if not future.done():
            raise MotionError(f"{action} stopped sending feedback before the motion's end")
        self._check_stops(stops)
        return future.result().result

    async def execute_plan(
        self, request: PlanRequest, reply: PlanReply, replans: int, report: Callable[[str], object]
    ) -> float:
        """Execute a plan; return the duration of the last motion (s).

        When it is blocked, the request is planned again from where the robot has stopped, up to
        ``replans`` times; ``report`` is called with a message each time. Raises the errors of
        ``plan`` and ``execute``.
        """
        while True:
            try:
                return await self.execute(reply.trajectory)
            except BlockedError as error:
                if replans == 0:
                    raise
                report(f"{error}; planning again")
            replans -= 1
            stops = self._stops
            await within(self._node, Future(), SETTLED)
            self._check_stops(stops)
            request.start = JointState()
            reply = await self.plan(request)

    def _check_stops(self, stops: int) -> None:
        if self._stops != stops:
            raise StoppedError("stopped")

    async def _answer(self, service: str, request: Any, patience: float) -> Any:
        self._find()
        if not self._is_served(service):
            raise NotReadyError(f"no server of {self._resolved(service)}")
        client = self._services[service]
        complaint = f"no reply from {client.srv_name}"
        return await self._within(
            patience + ANSWERED_WITHIN, client.call_async(request), complaint
        )

    def _resolved(self, name: str) -> str:
        return str(self._node.resolve_topic_name(below(self._namespace, name)))

    async def _within(self, seconds: float, future: Future[Any], complaint: str) -> Any:
        """Return a future's result; raises NotReadyError after a timeout."""
        if not await within(self._node, future, seconds):
            raise NotReadyError(complaint)
        return future.result()
