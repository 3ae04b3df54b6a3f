"""rrt_planner: collision-free paths as a service and an action, and the scene they avoid.

It also monitors motions in progress, and stops them if a change of the scene blocks them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rigid_tree_interfaces.action import PlanMotion as PlanMotionAction
from rigid_tree_interfaces.msg import Contact, PlanReply, PlanRequest
from rigid_tree_interfaces.srv import CheckState, GetScene, PlanMotion, UpdateScene
from std_msgs.msg import String

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import srdf_text
from rigid_tree_kinematics.nodes import planning
from rigid_tree_kinematics.nodes.common import robot as robots
from rigid_tree_kinematics.nodes.common.process import (
    SERVICE_QOS,
    Cancellation,
    Slots,
    end_goal,
    run_node,
)
from rigid_tree_kinematics.nodes.common.requests import NoRobotError, errors_in_reply
from rigid_tree_kinematics.nodes.scene import (
    SceneKeeper,
    placed_target,
    point_of,
    scene_message,
    with_arrays,
)
from rigid_tree_kinematics.nodes.tf import RobotInTf, Target, TargetFrames
from rigid_tree_kinematics.planning import MotionPlanner, Progress

NAME = "rrt_planner"
# Threads for what must not wait until plans are ready: cancellations, checks, scene changes.
SPARE_THREADS = 2
FRAME_PATIENCE = 1.0  # s, that a change of the scene waits for TF

ProgressCall = Callable[[Progress], None]


class RrtPlanner(robots.RobotServer[planning.PlanningRobot]):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.settings = planning.PlannerSettings.declare(self)
        self._frames = TargetFrames(self)
        self._keeper = SceneKeeper(self.settings.initial_scene())
        self._display = planning.PlanDisplay(self)
        self._cancels: dict[bytes, Cancellation] = {}
        self._slots = Slots(self, self.settings.threads)
        self.begin()
        if self.settings.srdf:
            semantics = self.create_publisher(String, robots.SEMANTICS_TOPIC, robots.LATCHED)
            semantics.publish(String(data=srdf_text(self.settings.srdf)[0]))
        group = ReentrantCallbackGroup()
        services: tuple[tuple[Any, str, Any], ...] = (
            (with_arrays(UpdateScene), "update_scene", self._answering(self._update)),
            (with_arrays(GetScene), "get_scene", self._on_get),
            (CheckState, "check_state", self._answering(self._check_state)),
            (PlanMotion, "plan_motion", self._on_plan),
        )
        for service, name, answer in services:
            self.create_service(
                service, name, answer, qos_profile=SERVICE_QOS, callback_group=group
            )
        self._action = ActionServer(
            self,
            PlanMotionAction,
            "plan_motion_action",
            self._on_goal,
            callback_group=group,
            cancel_callback=self._on_cancel,
        )
        self._driver = planning.WatchedDriver(self, lambda: self.present_robot, self._keeper)
        self._points = planning.SensedPoints(
            self, lambda: self.robot, lambda: self.settings, self._keeper, self._frames
        )
        self._frames.start()
        self._points.start()

    @property
    def thread_count(self) -> int:
        """The number of callbacks that run in parallel."""
        return self.settings.threads + SPARE_THREADS

    def destroy_node(self) -> None:
        """End running plans too."""
        for cancel in list(self._cancels.values()):
            cancel.set()
        self._driver.destroy()
        self._points.stop()
        self._frames.stop()
        self._action.destroy()
        super().destroy_node()

    def _answering(self, fill: Callable[[Any, Any], Awaitable[None]]) -> Any:
        """Return a service callback from a function that fills in the response."""

        async def answer(request: Any, response: Any) -> Any:
            with errors_in_reply(self, response):
                await fill(request, response)
            return response

        return answer

    # -- the scene -------------------------------------------------------------------------------

    async def _update(self, request: UpdateScene.Request, response: UpdateScene.Response) -> None:
        robot = self.present_robot
        configuration = robot.state.configuration
        deadline = Deadline(FRAME_PATIENCE)
        poses = []
        for number, change in enumerate(request.changes, start=1):
            target = placed_target(change, number)
            if target is None:
                poses.append(np.eye(4))
            else:
                poses.append(await self._in_root(target, robot, configuration, deadline))
        scene = self._keeper.change(
            request.changes, poses, robot.tree, configuration, robot.checkers.checker
        )
        robot.checkers.forget_others(self._keeper.scene)
        self._display.show_scene(scene, robot.tree, self.settings.frame_prefix)
        response.success = True
        world, attached = len(scene.obstacles), len(scene.attached)
        response.message = f"the scene has {world} world and {attached} attached obstacles"

    async def _in_root(
        self, target: Target, robot: planning.PlanningRobot, configuration: Any, deadline: Deadline
    ) -> Any:
        in_tf = RobotInTf(robot, self.settings.frame_prefix)
        base = robot.tree.base_name
        return await self._frames.in_base(target, in_tf, configuration, base, deadline)

    def _on_get(self, request: GetScene.Request, response: GetScene.Response) -> GetScene.Response:
        try:
            base = self.present_robot.tree.base_name
        except NoRobotError as error:
            response.message = str(error)
            return response
        response.scene = scene_message(self._keeper.requested, base, self.settings.frame_prefix)
        response.success = True
        return response

    # -- states ----------------------------------------------------------------------------------

    async def _check_state(
        self, request: CheckState.Request, response: CheckState.Response
    ) -> None:
        robot = self.present_robot
        state = request.joint_state
        if not state.name:
            await self.wait_for_state(robot, Deadline(self.settings.time_limit))
        q = robot.configuration("joint_state", state.name, state.position)
        checker = robot.checkers.checker(self._keeper.scene)
        report = checker.check(q)
        response.free = report.free
        response.contacts = [
            Contact(first=c.first, second=c.second, depth=c.depth, position=point_of(c.point))
            for c in report.contacts
        ]
        nearest = checker.distance(q)
        response.distance = nearest.distance
        if nearest.first:
            response.first, response.second = nearest.first, nearest.second
            response.position_first = point_of(nearest.point_first)
            response.position_second = point_of(nearest.point_second)
        response.success = True
        response.message = "; ".join([report.message, *checker.warnings])

    # -- plans -----------------------------------------------------------------------------------

    async def _on_plan(
        self, request: PlanMotion.Request, response: PlanMotion.Response
    ) -> PlanMotion.Response:
        cancel = Cancellation()
        async with self._slots.slot(cancel):
            with errors_in_reply(self, response.reply):
                await self._plan(request.request, response.reply, cancel, self._progress())
        return response

    async def _on_goal(self, handle: ServerGoalHandle[Any, Any, Any]) -> PlanMotionAction.Result:
        result = PlanMotionAction.Result()
        key = bytes(handle.goal_id.uuid)
        cancel = self._cancels.setdefault(key, Cancellation())
        try:
            async with self._slots.slot(cancel):
                with errors_in_reply(self, result.reply):
                    tell = self._progress(handle)
                    await self._plan(handle.request.request, result.reply, cancel, tell)
        finally:
            self._cancels.pop(key, None)
        end_goal(handle, result.reply.success, cancel.is_set())
        return result

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        self._cancels.setdefault(bytes(handle.goal_id.uuid), Cancellation()).set()
        return CancelResponse.ACCEPT

    async def _plan(
        self, request: PlanRequest, reply: PlanReply, cancel: Cancellation, progress: ProgressCall
    ) -> None:
        robot, settings = self.present_robot, self.settings
        deadline = Deadline(planning.chosen_time_limit(request, settings), cancel)
        reply.goal_index = -1
        if not request.start.name:
            await self.wait_for_state(robot, deadline)
        query = planning.read_plan(request, robot, settings, deadline)
        poses: list[Any] = []
        for target in query.goal_poses:
            deadline.check(len(poses), len(query.goal_poses), "goal poses found in TF")
            poses.append(await self._in_root(target, robot, query.start, deadline))
        checker = robot.checkers.checker(self._keeper.scene)
        planner = MotionPlanner(robot.tree, checker, moving_joints=query.moving_joints)
        if query.straight_line:
            result = planning.plan_straight_line(planner, checker, query, poses, deadline)
        else:
            result = planner.plan(
                query.start,
                query.goals(poses),
                query.settings,
                progress=progress,
                deadline=deadline,
            )
        names = [planner.space.names[k] for k in planner.space.moving]
        root = settings.frame_prefix + robot.tree.base_name
        planning.fill_reply(reply, result, names, planner.space.moving.tolist(), root)
        tip = robot.tip(settings.tip)
        self._display.show_trees(result.trees, robot.tree, tip, settings.frame_prefix)
        if result.success:
            self._display.show_path(result, reply, robot.tree, tip, settings.frame_prefix)
        self.get_logger().info(f"{result.status.value}: {result.message}")

    def _progress(self, handle: ServerGoalHandle[Any, Any, Any] | None = None) -> ProgressCall:
        """Return a callback that draws the growing tree and sends a goal's feedback."""
        robot, settings = self.robot, self.settings
        period = 1.0 / settings.feedback_rate
        next_time = time.monotonic() + period

        def tell(progress: Progress) -> None:
            nonlocal next_time
            now = time.monotonic()
            if now < next_time:
                return
            next_time = now + period
            if robot is not None:
                tip = robot.tip(settings.tip)
                self._display.show_trees(progress.trees, robot.tree, tip, settings.frame_prefix)
            if handle is not None:
                feedback = PlanMotionAction.Feedback(
                    seconds=progress.seconds,
                    run=progress.run,
                    nodes=progress.nodes,
                    best_length=progress.best_length,
                )
                handle.publish_feedback(feedback)

        return tell

    # -- the robot and the parameters ------------------------------------------------------------

    def make_robot(self, description: robots.RobotDescription) -> planning.PlanningRobot:
        """Return the robot with its collision shapes, checked before it replaces another."""
        robot = planning.PlanningRobot(description, self.settings)
        robot.tip(self.settings.tip)
        return robot

    def robot_taken(self, robot: planning.PlanningRobot) -> None:
        """Keep the scene, except obstacles attached to missing links."""
        robot.enter(self._keeper, self.get_logger())
        self._display.show_scene(self._keeper.requested, robot.tree, self.settings.frame_prefix)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        settings = self.settings.changed(changed)
        if self.robot is not None and "tip" in changed:
            self.robot.tip(settings.tip)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings."""
        self.settings = self.settings.changed(changed)


main = partial(run_node, NAME, RrtPlanner)


if __name__ == "__main__":
    sys.exit(main())
