"""The base of the node move_group: its robot, scene, frames and parameters."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes, PlanningScene, RobotState
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.nodes.base import LATCHED, RobotDescription
from rigid_tree_kinematics.nodes.planning import PlanningServer, SceneDisplay, wait_until
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import outcome_in
from rigid_tree_moveit.move_group.robot import BaseFrames, Given, MoveItRobot, PlanningContext
from rigid_tree_moveit.move_group.settings import MoveGroupSettings, ToolSettings

DESCRIPTION, SEMANTICS = "robot_description", "robot_description_semantic"
# With the default depth of 10, requests and replies of many callers are lost.
SERVICE_QOS = QoSProfile(depth=1000)
FIRST_ROBOT = 5.0  # s after the start, in which requests wait for a robot

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class MoveItServer(PlanningServer[MoveItRobot]):
    """A planning server whose robot has groups, and whose scene is published for RViz.

    RViz' MotionPlanning panel reads the robot's state from ``monitored_planning_scene`` only, so
    the state of a moving robot is published there periodically.
    """

    settings: MoveGroupSettings

    def __init__(self, name: str) -> None:
        super().__init__(name, self._declare, least_slots=4)
        self._patient_until = time.monotonic() + FIRST_ROBOT
        about = "The SRDF as text, from MoveIt's launch files. Empty: parameter srdf names it."
        descriptor = ParameterDescriptor(description=about, read_only=True)
        semantic = str(self.declare_parameter(SEMANTICS, "", descriptor).value)
        self.settings = replace(self.settings, srdf=self.settings.srdf or semantic)
        same = self.moveit.by_our_names()
        self.tool_settings = ToolSettings.declare(self, same)
        self.controllers = self.moveit.controllers()
        self._semantic = self.create_publisher(String, SEMANTICS, LATCHED)
        self._display = SceneDisplay(self)
        self._scenes = self.create_publisher(PlanningScene, "monitored_planning_scene", 100)
        self._shown_lock = threading.Lock()
        self._shown: tuple[MoveItRobot, Scene] | None = None
        self._shown_configuration = np.zeros(0)
        if (hz := self.settings.publish_planning_scene_hz) > 0.0:
            self.create_timer(1.0 / hz, self._show_state, callback_group=self.group)
        # In its own group, so that changes do not wait for their display, and share one.
        alone = MutuallyExclusiveCallbackGroup()
        self._changed = self.create_guard_condition(self._show_changed, alone)
        self.frames.listen()  # as in MoveIt, poses are often in the parents of virtual joints
        self.start()

    @cached_property
    def moveit(self) -> Given:
        """The parameters of MoveIt's configuration files."""
        return Given(self, self.given)

    def _declare(self) -> MoveGroupSettings:
        return MoveGroupSettings.declare(self, self.moveit.by_our_names())

    def unused_parameters(self, given: Iterable[str]) -> list[str]:
        """Return the given parameters that have no effect, in short, and why."""
        noted = [name.partition(" ")[0] for name in self.moveit.notes]
        left = [name for name in given if not any(name.startswith(f"{n}.") for n in noted)]
        return [*super().unused_parameters(left), *self.moveit.notes]

    async def first_robot(self) -> MoveItRobot:
        """Return the robot, waiting for it shortly after startup; raises NoRobotError."""
        left = self._patient_until - time.monotonic()
        await wait_until(self, lambda: self.robot is not None, left)
        return self.present_robot

    def get_parameter(self, name: str) -> Parameter[Any]:
        """Return a parameter; those of URDF and SRDF describe the current robot."""
        if name in (DESCRIPTION, SEMANTICS) and self.robot is not None:
            urdf = name == DESCRIPTION
            return Parameter(name, value=self.robot.urdf if urdf else self.robot.semantics.text)
        return super().get_parameter(name)

    def advertise(
        self,
        kind: Any,
        name: str,
        answer: Callable[[RequestT, ResponseT], Awaitable[Iterable[str] | None]],
    ) -> None:
        """Advertise a service, unless its type is None (missing in older moveit_msgs).

        ``answer`` fills in a response, and can return remarks: the message in case of success. Its
        errors are logged, and reported in the response if that has a code.
        """

        async def serve(request: RequestT, response: ResponseT) -> ResponseT:
            code = getattr(response, "error_code", None) or MoveItErrorCodes()
            with outcome_in(self, code) as remarks:
                remarks += await answer(request, response) or ()
            for remark in remarks:
                self.get_logger().warning(f"{name}: {remark}")
            return response

        if kind is not None:
            serving: Any = serve  # rclpy awaits coroutines, unlike its annotations say
            self.create_service(
                kind, name, serving, qos_profile=SERVICE_QOS, callback_group=self.group
            )

    async def motion_context(
        self,
        state: RobotState,
        group_name: str,
        deadline: Deadline,
        diff: PlanningScene | None = None,
    ) -> PlanningContext:
        """Return the context of a motion, in the scene after a diff; raises a RigidTreeError.

        It waits for the first joint state if the start state lacks joints.
        """
        robot = await self.first_robot()
        given = zip(state.joint_state.name, state.joint_state.position, strict=False)
        if not set(robot.tree.position_names) <= {name for name, _ in given}:
            await self.wait_for_state(robot, deadline)
        context = await self.planning_context(state, group_name, deadline)
        if diff is None or not diff.is_diff:
            return context
        keeper = SceneKeeper(context.scene)
        changed = await messages.apply_scene(keeper, diff, robot, context.frames)
        context.remarks.extend(changed.require_all())
        return replace(context, scene=keeper.scene)

    async def planning_context(
        self, state: RobotState, group_name: str, deadline: Deadline
    ) -> PlanningContext:
        """Return the context of a request, in the scene with the objects its state attaches."""
        robot = await self.first_robot()
        frames = self.base_frames(robot, deadline)
        steps = messages.attached_steps(state.attached_collision_objects, robot)
        named = state.joint_state.name or state.multi_dof_joint_state.joint_names
        if named and not state.is_diff:
            # As in MoveIt, only the objects in a complete state are attached.
            steps.insert(0, ("attached objects", messages.dropped_objects))
        keeper, (start, remarks) = SceneKeeper(self.keeper.scene), robot.start(state)
        changed = await messages.change_scene(keeper, steps, robot, frames, configuration=start)
        remarks += changed.require_all()
        return PlanningContext(
            robot, group_name, keeper.scene, start, self.settings, frames, remarks
        )

    def base_frames(self, robot: MoveItRobot, deadline: Deadline | None = None) -> BaseFrames:
        """Return the transforms of frames to the robot's base, for one request."""
        return BaseFrames(self.frames, robot, self.settings.frame_prefix, deadline)

    def scene_changed(self) -> None:
        """Request a publication of the scene."""
        self._changed.trigger()

    def _show_changed(self) -> None:
        # The last display can include a change that was made meanwhile.
        if self.robot is not None and self._shown != (self.robot, self.keeper.requested):
            self._show_scene(self.robot)

    def _show_scene(self, robot: MoveItRobot) -> None:
        """Publish the difference to the last scene, or the whole scene of a new robot."""
        prefix = self.settings.frame_prefix
        robot.checkers.remove_others(self.keeper.scene)
        with self._shown_lock:
            scene = self.keeper.requested  # without sensor points, which are on topic seen_points
            self._display.show_scene(scene, robot.tree, prefix)
            self._shown_configuration = robot.state.configuration
            if self._shown is None or self._shown[0] is not robot:
                message = messages.scene_reply(scene, robot, prefix, 0)
            else:
                message = messages.scene_difference(self._shown[1], scene, robot, prefix)
            self._shown = robot, scene
            self._scenes.publish(message)

    def _show_state(self) -> None:
        """Publish the state of the robot if it has moved."""
        robot = self.robot
        if robot is None or not self._scenes.get_subscription_count():
            return
        with self._shown_lock:
            configuration = robot.state.configuration
            if self._shown and not np.array_equal(configuration, self._shown_configuration):
                self._shown_configuration = configuration
                self._scenes.publish(messages.state_difference(robot))

    def make_robot(self, description: RobotDescription) -> MoveItRobot:
        """Return the robot with its groups and collision shapes."""
        limits = self.moveit.joint_limits(description.tree)
        return MoveItRobot(
            limits.applied(description),
            self.settings,
            limits.of_planner(description.tree),
            self.moveit.solvers,
            self.moveit.start_tolerances(description.tree),
        )

    def robot_taken(self, robot: MoveItRobot) -> None:
        """Log the groups, and publish the SRDF and the scene too."""
        self.get_logger().info(f"groups: {', '.join(robot.semantics.groups)}")
        super().robot_taken(robot)
        self._semantic.publish(String(data=robot.semantics.text))
        self._show_scene(robot)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        super().check(changed)
        self.tool_settings.changed(changed)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings."""
        super().apply(changed)
        self.tool_settings = self.tool_settings.changed(changed)
