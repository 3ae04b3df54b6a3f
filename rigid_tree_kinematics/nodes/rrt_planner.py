"""rrt_planner: collision-free paths as a service and an action, and the scene they avoid.

It also monitors motions in progress, and stops them if a change of the scene blocks them.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rigid_tree_interfaces.action import PlanMotion as PlanMotionAction
from rigid_tree_interfaces.msg import Contact, PlanReply, PlanRequest
from rigid_tree_interfaces.srv import CheckState, GetScene, PlanMotion, UpdateScene
from std_msgs.msg import String

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import srdf_text
from rigid_tree_kinematics.errors import NoRobotError
from rigid_tree_kinematics.nodes import planning
from rigid_tree_kinematics.nodes.common import robot as robots
from rigid_tree_kinematics.nodes.common.process import Cancellation, Goal, GoalServer, run_node
from rigid_tree_kinematics.nodes.common.requests import errors_in_reply
from rigid_tree_kinematics.nodes.common.robot import SOURCE_PARAMETERS
from rigid_tree_kinematics.nodes.scene import placed_target, point_of, read_changes, scene_message
from rigid_tree_kinematics.nodes.tf import RobotInTf, Target
from rigid_tree_kinematics.planning import MotionPlanner, Progress

NAME = "rrt_planner"
FRAME_PATIENCE = 1.0  # s, for TF in changes of the scene


class RrtPlanner(planning.PlanningServer[planning.PlanningRobot]):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME, lambda: planning.PlannerSettings.declare(self))
        self._display = planning.PlanDisplay(self)
        self._shown_lock = threading.Lock()
        self.start()
        if self.settings.srdf:
            semantics = self.create_publisher(String, robots.SEMANTICS_TOPIC, robots.LATCHED)
            semantics.publish(String(data=srdf_text(self.settings.srdf)[0]))
        self.advertise(UpdateScene, "update_scene", self._update)
        self.advertise(GetScene, "get_scene", self._get_scene)
        self.advertise(CheckState, "check_state", self._check_state)
        self.advertise(PlanMotion, "plan_motion", self._on_plan)
        self._action = GoalServer(
            self, PlanMotionAction, "plan_motion_action", self._on_goal, self.group
        )
        self._driver = planning.WatchedDriver(self)

    def destroy_node(self) -> None:
        """Cancel running plans and motions too."""
        for goal in self._action.goals:
            goal.set()
        self._driver.destroy()
        self._action.destroy()
        super().destroy_node()

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
        changes = read_changes(request.changes, poses)
        scene = self.keeper.change(changes, robot.tree, configuration, robot.checkers.checker)
        robot.checkers.remove_others(self.keeper.scene)
        self._show_scene()
        response.success = True
        world, attached = len(scene.obstacles), len(scene.attached)
        response.message = f"the scene has {world} world and {attached} attached obstacles"

    def _show_scene(self) -> None:
        """Publish the current scene, which stays the last one shown after concurrent changes."""
        with self._shown_lock:
            scene, tree = self.keeper.requested, self.present_robot.tree
            self._display.show_scene(scene, tree, self.settings.frame_prefix)

    async def _in_root(
        self,
        target: Target,
        robot: planning.PlanningRobot,
        configuration: Array,
        deadline: Deadline,
    ) -> Array:
        in_tf = RobotInTf(robot, self.settings.frame_prefix)
        base = robot.tree.base_name
        return await self.frames.in_base(target, in_tf, configuration, base, deadline)

    async def _get_scene(self, _: GetScene.Request, response: GetScene.Response) -> None:
        try:
            base = self.present_robot.tree.base_name
        except NoRobotError as error:  # the response has no code
            response.message = str(error)
            return
        response.scene = scene_message(self.keeper.requested, base, self.settings.frame_prefix)
        response.success = True

    async def _check_state(
        self, request: CheckState.Request, response: CheckState.Response
    ) -> None:
        robot = self.present_robot
        state = request.joint_state
        if not state.name:
            await self.wait_for_state(robot, Deadline(self.settings.time_limit))
        q = robot.configuration("joint_state", state.name, state.position)
        checker = robot.checkers.checker(self.keeper.scene)
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

    async def _on_plan(self, request: PlanMotion.Request, response: PlanMotion.Response) -> None:
        await self._plan(request.request, response.reply, Cancellation(), lambda _: None)

    async def _on_goal(self, goal: Goal) -> PlanMotionAction.Result:
        result = PlanMotionAction.Result()

        def report(progress: Progress) -> None:
            goal.feedback(
                seconds=progress.seconds,
                run=progress.run,
                nodes=progress.nodes,
                best_length=progress.best_length,
            )

        with errors_in_reply(self, result.reply):
            await self._plan(goal.request.request, result.reply, goal, report)
        goal.succeeded = result.reply.success
        return result

    async def _plan(
        self,
        request: PlanRequest,
        reply: PlanReply,
        cancellation: Cancellation,
        report: Callable[[Progress], None],
    ) -> None:
        """Plan and fill in a reply; ``report`` is called with the progress now and then."""
        async with self.slots.slot(cancellation):
            robot, settings = self.present_robot, self.settings
            prefix, tip = settings.frame_prefix, robot.tip(settings.tip)
            deadline = Deadline(planning.chosen_time_limit(request, settings), cancellation)
            reply.goal_index = -1
            if not request.start.name:
                await self.wait_for_state(robot, deadline)
            query = planning.read_plan(request, robot, settings, deadline)
            poses: list[Array] = []
            for target in query.goal_poses:
                deadline.check(len(poses), len(query.goal_poses), "goal poses found in TF")
                poses.append(await self._in_root(target, robot, query.start, deadline))
            checker = robot.checkers.checker(self.keeper.scene)
            joints = tuple(request.moving_joints) or None
            planner = MotionPlanner(robot.tree, checker, moving_joints=joints)
            next_time = time.monotonic() + 1.0 / settings.feedback_rate

            def show(progress: Progress) -> None:
                nonlocal next_time
                if time.monotonic() >= next_time:
                    next_time = time.monotonic() + 1.0 / settings.feedback_rate
                    self._display.show_trees(progress.trees, robot.tree, tip, prefix)
                    report(progress)

            result = query.plan(planner, poses, deadline, show)
            planning.fill_reply(reply, result, planner.space, prefix + robot.tree.base_name)
            self._display.show_trees(result.trees, robot.tree, tip, prefix)
            if result.success:
                self._display.show_path(result, reply, robot.tree, tip, prefix)
            self.get_logger().info(f"{result.status.value}: {result.message}")

    def make_robot(self, description: robots.RobotDescription) -> planning.PlanningRobot:
        """Return the robot with its collision shapes, checked before it replaces another."""
        robot = planning.PlanningRobot(description, self.settings)
        robot.tip(self.settings.tip)
        return robot

    def robot_taken(self, robot: planning.PlanningRobot) -> None:
        """Show the scene too."""
        super().robot_taken(robot)
        self._show_scene()

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change, and for a tip that the robot lacks."""
        super().check(changed)
        if self.robot is not None and "tip" in changed:
            self.robot.tip(str(changed["tip"]))


PARAMETERS = (planning.PlannerSettings, SOURCE_PARAMETERS)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, RrtPlanner, PARAMETERS)
