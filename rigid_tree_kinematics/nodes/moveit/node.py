"""The node move_group."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from moveit_msgs.action import ExecuteTrajectory, MoveGroup
from moveit_msgs.msg import (
    AttachedCollisionObject,
    CollisionObject,
    ContactInformation,
    DisplayTrajectory,
    MotionPlanRequest,
    MotionPlanResponse,
    MoveItErrorCodes,
    PlannerInterfaceDescription,
    PlanningScene,
    PlanningSceneWorld,
)
from moveit_msgs.srv import (
    ApplyPlanningScene,
    GetCartesianPath,
    GetMotionPlan,
    GetPlannerParams,
    GetPlanningScene,
    GetPositionFK,
    GetPositionIK,
    GetStateValidity,
    QueryPlannerInterfaces,
    SetPlannerParams,
)
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from std_msgs.msg import String
from std_srvs.srv import Empty

from rigid_tree_kinematics.collision import Contact, Scene, load_scene
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.robot_server import SERVICE_QOS, RobotServer
from rigid_tree_kinematics.nodes.common.robot_source import LATCHED, RobotDescription
from rigid_tree_kinematics.nodes.moveit.codes import MoveItError, answering, tell
from rigid_tree_kinematics.nodes.moveit.execution import Execution
from rigid_tree_kinematics.nodes.moveit.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.kinematics import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.moveit.planning import (
    PIPELINE,
    PLANNER_IDS,
    constrains,
    follow_line,
    plan,
)
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot
from rigid_tree_kinematics.nodes.moveit.scene import (
    ChangesOf,
    attaching,
    change_scene,
    diff_steps,
    scene_reply,
    scene_with,
    standing,
)
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.nodes.planning.watched_driver import WatchedDriver
from rigid_tree_kinematics.nodes.scene.keeper import SceneKeeper
from rigid_tree_kinematics.nodes.scene.messages import point_of
from rigid_tree_kinematics.nodes.tf.target_frames import TargetFrames

NAME = "move_group"
SUCCESS = MoveItErrorCodes.SUCCESS
MOST_REPLANS = 100


class MoveGroupNode(RobotServer[MoveItRobot]):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self.settings = PlannerSettings.declare(self)
        self._frames = TargetFrames(self)
        scene = load_scene(self.settings.scene) if self.settings.scene else Scene()
        self._keeper = SceneKeeper(scene)
        self._cancels: dict[bytes, threading.Event] = {}
        self._semantic = self.create_publisher(String, "robot_description_semantic", LATCHED)
        self._shown_scene = self.create_publisher(PlanningScene, "monitored_planning_scene", 100)
        self._shown_path = self.create_publisher(
            DisplayTrajectory, "display_planned_path", LATCHED
        )
        self.begin()
        self._group = ReentrantCallbackGroup()
        for service, name, answer in (
            (GetPositionIK, "compute_ik", self._on_ik),
            (GetPositionFK, "compute_fk", self._on_fk),
            (GetStateValidity, "check_state_validity", self._on_validity),
            (GetMotionPlan, "plan_kinematic_path", self._on_plan),
            (GetCartesianPath, "compute_cartesian_path", self._on_cartesian),
            (GetPlanningScene, "get_planning_scene", self._on_get_scene),
            (ApplyPlanningScene, "apply_planning_scene", self._on_apply_scene),
            (QueryPlannerInterfaces, "query_planner_interface", self._on_query),
            (GetPlannerParams, "get_planner_params", lambda _, response: response),
            (SetPlannerParams, "set_planner_params", self._on_set_params),
            (Empty, "clear_octomap", lambda _, response: response),
        ):
            self.create_service(
                service, name, answer, qos_profile=SERVICE_QOS, callback_group=self._group
            )
        # One after the other, so that what came first is there first.
        in_order = MutuallyExclusiveCallbackGroup()
        topics: tuple[tuple[Any, str, Any], ...] = (
            (CollisionObject, "collision_object", self._on_object),
            (AttachedCollisionObject, "attached_collision_object", self._on_attached),
            (PlanningScene, "planning_scene", self._on_scene),
            (PlanningSceneWorld, "planning_scene_world", self._on_world),
        )
        for kind, topic, take in topics:
            self.create_subscription(kind, topic, take, 100, callback_group=in_order)
        self.create_subscription(
            String,
            "trajectory_execution_event",
            self._on_event,
            10,
            callback_group=self._group,
        )
        self._driver = WatchedDriver(self, lambda: self.present_robot, self._keeper)
        self._execution = Execution(self, self._driver)
        self._actions = [
            ActionServer(
                self,
                kind,
                name,
                execute,
                callback_group=self._group,
                cancel_callback=self._on_cancel,
            )
            for kind, name, execute in (
                (MoveGroup, "move_action", self._on_move),
                (ExecuteTrajectory, "execute_trajectory", self._on_execute),
            )
        ]
        self._frames.start()

    @property
    def thread_count(self) -> int:
        """How many callbacks may run at the same time."""
        return max(4, self.settings.threads)

    def destroy_node(self) -> None:
        """End running plans and motions too."""
        for cancel in list(self._cancels.values()):
            cancel.set()
        self._driver.destroy()
        self._execution.destroy()
        self._frames.stop()
        for action in self._actions:
            action.destroy()
        super().destroy_node()

    def _base_frames(self, robot: MoveItRobot) -> BaseFrames:
        return BaseFrames(self._frames, robot, self.settings.frame_prefix)

    # -- kinematics ------------------------------------------------------------------------------

    async def _on_ik(
        self, request: GetPositionIK.Request, response: GetPositionIK.Response
    ) -> GetPositionIK.Response:
        with answering(self, response.error_code):
            robot = self.present_robot
            frames = self._base_frames(robot)
            asked = request.ik_request
            items = asked.robot_state.attached_collision_objects
            scene = await scene_with(items, self._keeper.scene, robot, frames)
            response.solution = await solve_ik(asked, robot, scene, frames)
            tell(self, response.error_code, SUCCESS)
        return response

    async def _on_fk(
        self, request: GetPositionFK.Request, response: GetPositionFK.Response
    ) -> GetPositionFK.Response:
        with answering(self, response.error_code):
            robot = self.present_robot
            prefix = self.settings.frame_prefix
            await answer_fk(request, robot, self._base_frames(robot), prefix, response)
            tell(self, response.error_code, SUCCESS)
        return response

    async def _on_validity(
        self, request: GetStateValidity.Request, response: GetStateValidity.Response
    ) -> GetStateValidity.Response:
        reply = MoveItErrorCodes()  # the type has no place for it; the log has
        with answering(self, reply):
            robot = self.present_robot
            if request.group_name:
                robot.group(request.group_name)
            if constrains(request.constraints):
                raise MoveItError(MoveItErrorCodes.FAILURE, "constraints are not served here")
            frames = self._base_frames(robot)
            items = request.robot_state.attached_collision_objects
            scene = await scene_with(items, self._keeper.scene, robot, frames)
            report = robot.checkers.checker(scene).check(robot.start(request.robot_state))
            response.valid = report.free
            response.contacts = [
                self._contact(contact, robot, scene) for contact in report.contacts
            ]
        return response

    def _contact(self, contact: Contact, robot: MoveItRobot, scene: Scene) -> ContactInformation:
        message = ContactInformation(
            position=point_of(contact.point),
            depth=contact.depth,
            contact_body_1=contact.first,
            contact_body_2=contact.second,
            body_type_1=_body_type(contact.first, scene),
            body_type_2=_body_type(contact.second, scene),
        )
        message.header.frame_id = self.settings.frame_prefix + robot.tree.base_name
        return message

    # -- plans -----------------------------------------------------------------------------------

    async def _on_plan(
        self, request: GetMotionPlan.Request, response: GetMotionPlan.Response
    ) -> GetMotionPlan.Response:
        cancel = threading.Event()
        await self._plan(request.motion_plan_request, response.motion_plan_response, cancel)
        return response

    async def _plan(
        self,
        request: MotionPlanRequest,
        response: MotionPlanResponse,
        cancel: threading.Event,
        diff: PlanningScene | None = None,
    ) -> None:
        """Fill in a response, whatever happens."""
        with answering(self, response.error_code):
            robot = self.present_robot
            frames = self._base_frames(robot)
            items = request.start_state.attached_collision_objects
            scene = await scene_with(items, self._keeper.scene, robot, frames)
            if diff is not None and diff.is_diff:
                trial = SceneKeeper(scene)
                scene = await change_scene(trial, diff_steps(diff, robot, scene), robot, frames)
            await plan(request, robot, scene, frames, self.settings, cancel, response)
            tell(self, response.error_code, SUCCESS)
            self._shown_path.publish(
                DisplayTrajectory(
                    model_id=robot.tree.name,
                    trajectory=[response.trajectory],
                    trajectory_start=response.trajectory_start,
                )
            )

    async def _on_cartesian(
        self, request: GetCartesianPath.Request, response: GetCartesianPath.Response
    ) -> GetCartesianPath.Response:
        with answering(self, response.error_code):
            robot = self.present_robot
            frames = self._base_frames(robot)
            items = request.start_state.attached_collision_objects
            scene = await scene_with(items, self._keeper.scene, robot, frames)
            trouble = await follow_line(request, robot, scene, frames, self.settings, response)
            tell(self, response.error_code, SUCCESS, trouble)
            if trouble:
                self.get_logger().info(f"compute_cartesian_path: {trouble}")
        return response

    def _on_query(
        self, request: QueryPlannerInterfaces.Request, response: QueryPlannerInterfaces.Response
    ) -> QueryPlannerInterfaces.Response:
        interface = PlannerInterfaceDescription(name="RRT", planner_ids=list(PLANNER_IDS))
        if hasattr(interface, "pipeline_id"):
            interface.pipeline_id = PIPELINE
        response.planner_interfaces = [interface]
        return response

    def _on_set_params(
        self, request: SetPlannerParams.Request, response: SetPlannerParams.Response
    ) -> SetPlannerParams.Response:
        self.get_logger().warning(
            "set_planner_params is not served: the planner's settings are this node's parameters"
        )
        return response

    # -- actions ---------------------------------------------------------------------------------

    def _on_cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        self._cancels.setdefault(bytes(handle.goal_id.uuid), threading.Event()).set()
        self._execution.stop()
        return CancelResponse.ACCEPT

    async def _on_execute(self, handle: ServerGoalHandle) -> ExecuteTrajectory.Result:
        result = ExecuteTrajectory.Result()
        key = bytes(handle.goal_id.uuid)
        cancel = self._cancels.setdefault(key, threading.Event())
        try:
            handle.publish_feedback(ExecuteTrajectory.Feedback(state="MONITOR"))
            with answering(self, result.error_code):
                await self._execution.run(handle.request.trajectory, cancel)
                tell(self, result.error_code, SUCCESS)
        finally:
            self._cancels.pop(key, None)
        _finish(handle, result.error_code.val)
        return result

    async def _on_move(self, handle: ServerGoalHandle) -> MoveGroup.Result:
        result = MoveGroup.Result()
        key = bytes(handle.goal_id.uuid)
        cancel = self._cancels.setdefault(key, threading.Event())
        try:
            await self._move(handle, result, cancel)
        finally:
            self._cancels.pop(key, None)
        handle.publish_feedback(MoveGroup.Feedback(state="IDLE"))
        _finish(handle, result.error_code.val)
        return result

    async def _move(
        self, handle: ServerGoalHandle, result: MoveGroup.Result, cancel: threading.Event
    ) -> None:
        options = handle.request.planning_options
        replans = min(max(1, options.replan_attempts), MOST_REPLANS) if options.replan else 0
        while True:
            handle.publish_feedback(MoveGroup.Feedback(state="PLANNING"))
            response = MotionPlanResponse()
            await self._plan(handle.request.request, response, cancel, options.planning_scene_diff)
            result.error_code = response.error_code
            result.trajectory_start = response.trajectory_start
            result.planned_trajectory = response.trajectory
            result.planning_time += response.planning_time
            if response.error_code.val != SUCCESS or options.plan_only:
                return
            handle.publish_feedback(MoveGroup.Feedback(state="MONITOR"))
            with answering(self, result.error_code):
                await self._execution.run(response.trajectory, cancel)
                result.executed_trajectory = response.trajectory
                tell(self, result.error_code, SUCCESS)
            blocked = MoveItErrorCodes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE
            if result.error_code.val != blocked or replans == 0 or cancel.is_set():
                return
            replans -= 1

    def _on_event(self, message: String) -> None:
        if message.data == "stop":
            self._execution.stop()
        else:
            self.get_logger().warning(f"unknown trajectory_execution_event '{message.data}'")

    # -- the scene -------------------------------------------------------------------------------

    def _on_get_scene(
        self, request: GetPlanningScene.Request, response: GetPlanningScene.Response
    ) -> GetPlanningScene.Response:
        with answering(self, MoveItErrorCodes()):
            robot, prefix = self.present_robot, self.settings.frame_prefix
            components = request.components.components
            response.scene = scene_reply(self._keeper.scene, robot, prefix, components)
        return response

    async def _on_apply_scene(
        self, request: ApplyPlanningScene.Request, response: ApplyPlanningScene.Response
    ) -> ApplyPlanningScene.Response:
        response.success = await self._take_scene("apply_planning_scene", request.scene)
        return response

    async def _on_scene(self, message: PlanningScene) -> None:
        await self._take_scene("planning_scene", message)

    async def _on_world(self, message: PlanningSceneWorld) -> None:
        await self._take_scene("planning_scene_world", PlanningScene(world=message, is_diff=True))

    async def _on_object(self, message: CollisionObject) -> None:
        await self._change("collision_object", [standing(message)])

    async def _on_attached(self, message: AttachedCollisionObject) -> None:
        await self._change("attached_collision_object", [attaching(message)])

    async def _take_scene(self, what: str, message: PlanningScene) -> bool:
        try:
            robot = self.present_robot
            steps = diff_steps(message, robot, self._keeper.scene)
        except RigidTreeError as error:
            self.get_logger().warning(f"{what}: {error}")
            return False
        return await self._change(what, steps)

    async def _change(self, what: str, steps: Sequence[ChangesOf]) -> bool:
        """Change the scene and show it; say why not, and return False."""
        try:
            robot = self.present_robot
            await change_scene(self._keeper, steps, robot, self._base_frames(robot))
        except RigidTreeError as error:
            self.get_logger().warning(f"{what}: {error}")
            return False
        self._show_scene(robot)
        return True

    def _show_scene(self, robot: MoveItRobot) -> None:
        prefix = self.settings.frame_prefix
        self._shown_scene.publish(scene_reply(self._keeper.scene, robot, prefix, 0))

    # -- the robot and the parameters ------------------------------------------------------------

    def make_robot(self, description: RobotDescription) -> MoveItRobot:
        """Return the robot with its groups and collision shapes."""
        return MoveItRobot(description, self.settings)

    def robot_taken(self, robot: MoveItRobot) -> None:
        """Keep the scene, but for what is attached to links that are gone; tell the SRDF."""
        for name in self._keeper.fit(robot.tree):
            self.get_logger().warning(
                f"dropped obstacle '{name}': robot '{robot.tree.name}' lacks the link it was on"
            )
        self.get_logger().info(f"groups: {', '.join(robot.semantics.groups)}")
        self.get_logger().info(robot.checkers.pairs_summary)
        for warning in robot.checkers.warnings:
            self.get_logger().warning(warning)
        robot.checkers.checker(self._keeper.scene)
        self._semantic.publish(String(data=robot.semantics.text))
        self._show_scene(robot)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for a change that is refused."""
        self.settings.changed(changed)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Take over new settings."""
        self.settings = self.settings.changed(changed)


def _finish(handle: ServerGoalHandle, code: int) -> None:
    if handle.is_cancel_requested:
        handle.canceled()
    elif code == SUCCESS:
        handle.succeed()
    else:
        handle.abort()


def _body_type(name: str, scene: Scene) -> int:
    if name in scene.attached:
        return int(ContactInformation.ROBOT_ATTACHED)
    if name in scene.obstacles:
        return int(ContactInformation.WORLD_OBJECT)
    return int(ContactInformation.ROBOT_LINK)
