"""The base of the node move_group: its robot, scene, frames and parameters."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes, PlanningScene, RobotState
from rcl_interfaces.msg import ParameterDescriptor
from rclpy import callback_groups
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.nodes.common import robot as robots
from rigid_tree_kinematics.nodes.common.process import SERVICE_QOS, Slots, wait_until
from rigid_tree_kinematics.nodes.moveit import messages
from rigid_tree_kinematics.nodes.moveit import settings as parameters
from rigid_tree_kinematics.nodes.moveit.plan import ToolSettings
from rigid_tree_kinematics.nodes.planning import SceneDisplay, SensedPoints
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.nodes.tf import TargetFrames

# Threads for stops, cancellations and changes of the scene, which do not wait for plans.
SPARE_THREADS = 2
FIRST_ROBOT = 5.0  # s after the start in which requests wait for a robot


class MoveItServer(robots.RobotServer[messages.MoveItRobot]):
    """A node with a robot and its groups, a scene, and the frames of TF.

    ``settings`` and ``tool_settings`` are its parameters; ``keeper`` has the scene, ``points``
    the obstacles that sensors see. Callbacks of ``group`` run in parallel, long ones in ``slots``.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._patient_until = time.monotonic() + FIRST_ROBOT
        settings = parameters.MoveGroupSettings.declare(self)
        words = "The SRDF as text, from MoveIt's launch files. Empty: parameter srdf names it."
        descriptor = ParameterDescriptor(description=words, read_only=True)
        semantic = str(self.declare_parameter(robots.SEMANTICS_TOPIC, "", descriptor).value)
        self.settings = replace(settings, srdf=settings.srdf or semantic)
        self.tool_settings = ToolSettings.declare(self)
        self._frames = TargetFrames(self)
        self.keeper = SceneKeeper(self.settings.initial_scene())
        self.points = SensedPoints(
            self, lambda: self.robot, lambda: self.settings, self.keeper, self._frames
        )
        self.group = callback_groups.ReentrantCallbackGroup()
        self.slots = Slots(self, max(4, self.settings.threads))
        self._semantic = self.create_publisher(String, robots.SEMANTICS_TOPIC, robots.LATCHED)
        hz = self.settings.publish_planning_scene_hz
        self._shown_scene = _ShownScene(self, lambda: self.robot, hz, self.group)
        self._display = SceneDisplay(self)
        # In its own group: changes do not wait for their display, and many are displayed together.
        alone = callback_groups.MutuallyExclusiveCallbackGroup()
        self._changed = self.create_guard_condition(self._show_changed, alone)
        self.begin()
        self._frames.start()
        self.points.start()

    async def first_robot(self) -> messages.MoveItRobot:
        """Return the robot, waiting for it shortly after startup; raises NoRobotError."""
        left = self._patient_until - time.monotonic()
        await wait_until(self, lambda: self.robot is not None, left)
        return self.present_robot

    def get_parameter(self, name: str) -> Parameter[Any]:
        """Return a parameter; those of URDF and SRDF describe the current robot."""
        if name in (robots.DESCRIPTION_TOPIC, robots.SEMANTICS_TOPIC) and self.robot is not None:
            urdf = name == robots.DESCRIPTION_TOPIC
            return Parameter(name, value=self.robot.urdf if urdf else self.robot.semantics.text)
        return super().get_parameter(name)

    def offer(self, service: Any, name: str, answer: Callable[..., Awaitable[Any]]) -> None:
        """Offer a service, unless its type is None (missing in older moveit_msgs).

        ``answer`` fills in a response; it may return remarks, which are the message of a success.
        Its errors are logged, and reported in the response if that has a code.
        """

        async def serve(request: Any, response: Any) -> Any:
            code = getattr(response, "error_code", None) or MoveItErrorCodes()
            with messages.outcome_in(self, code) as remarks:
                remarks += await answer(request, response) or ()
            return response

        if service is not None:
            answering: Any = serve  # rclpy awaits coroutines, unlike its annotations say
            self.create_service(
                service, name, answering, qos_profile=SERVICE_QOS, callback_group=self.group
            )

    async def motion_job(
        self, request: Any, response: Any, deadline: Deadline, diff: PlanningScene | None = None
    ) -> messages.Job:
        """Return the job of a motion request, in the scene after a diff; raises a RigidTreeError.

        It waits for the first joint state if the request's start state lacks joints.
        """
        robot, state = await self.first_robot(), request.start_state
        if not set(robot.tree.position_names) <= set(state.joint_state.name):
            await self.wait_for_state(robot, deadline)
        job = await self.job(request, response, state, request.group_name, deadline)
        if diff is not None and diff.is_diff:
            job.scene = await messages.apply_scene(SceneKeeper(job.scene), diff, robot, job.frames)
        return job

    async def job(
        self, request: Any, response: Any, state: RobotState, group_name: str, deadline: Deadline
    ) -> messages.Job:
        """Return the job of a request, in the scene with the objects that its state attaches."""
        robot = await self.first_robot()
        frames = self.base_frames(robot, deadline)
        start = robot.start(state)
        steps: list[messages.ChangesOf] = []
        named = state.joint_state.name or state.multi_dof_joint_state.joint_names
        if named and not state.is_diff:
            steps.append(
                messages.dropped_objects
            )  # like in MoveIt: a whole state holds what it names
        steps += [
            partial(messages.attached_changes, item) for item in state.attached_collision_objects
        ]
        scene = await messages.change_scene(
            SceneKeeper(self.keeper.scene), steps, robot, frames, configuration=start
        )
        return messages.Job(
            request, response, state, group_name, robot, scene, self.settings, frames
        )

    def base_frames(
        self, robot: messages.MoveItRobot, deadline: Deadline | None = None
    ) -> messages.BaseFrames:
        """Return the transforms of frames to the robot's base, for one request."""
        return messages.BaseFrames(self._frames, robot, self.settings.frame_prefix, deadline)

    def scene_changed(self) -> None:
        """Request a publication of the scene."""
        self._changed.trigger()

    def _show_changed(self) -> None:
        robot = self.robot
        # A change during the last display is in it, if that was read later.
        if robot is not None and not self._shown_scene.has(robot, self.keeper.requested):
            self._show_scene(robot)

    def _show_scene(self, robot: messages.MoveItRobot) -> None:
        prefix = self.settings.frame_prefix
        robot.checkers.forget_others(self.keeper.scene)
        scene = self.keeper.requested  # without points of sensors, which topic seen_points shows
        self._display.show_scene(scene, robot.tree, prefix)
        self._shown_scene.show(robot, scene, prefix)

    def destroy_node(self) -> None:
        """Stop the threads of sensors and TF too."""
        self.points.stop()
        self._frames.stop()
        super().destroy_node()

    # -- the robot and the parameters ------------------------------------------------------------

    def make_robot(self, description: robots.RobotDescription) -> messages.MoveItRobot:
        """Return the robot with its groups and collision shapes."""
        joints = description.tree.position_names
        kinds = ("velocity", "acceleration", "jerk")
        limits = {f"{kind}_limits": parameters.joint_limits(self, joints, kind) for kind in kinds}
        robot = messages.MoveItRobot(description, self.settings, limits)
        robot.solver_timeouts = parameters.solver_timeouts(self, robot.semantics.groups)
        return robot

    def robot_taken(self, robot: messages.MoveItRobot) -> None:
        """Keep the scene except obstacles attached to missing links; publish the SRDF."""
        self.get_logger().info(f"groups: {', '.join(robot.semantics.groups)}")
        robot.enter(self.keeper, self.get_logger())
        self._semantic.publish(String(data=robot.semantics.text))
        self._show_scene(robot)

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        self.settings.changed(changed)
        self.tool_settings.changed(changed)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings."""
        self.settings = self.settings.changed(changed)
        self.tool_settings = self.tool_settings.changed(changed)

    @property
    def thread_count(self) -> int:
        """The number of callbacks that run in parallel."""
        return max(4, self.settings.threads) + SPARE_THREADS


class _ShownScene:
    """Publishes changes of the scene immediately, and the state of a moving robot periodically.

    RViz' MotionPlanning panel knows the state of the robot from these messages only. ``robot``
    returns the present robot or None; a ``frequency`` (Hz) of 0 means no states between changes.
    """

    def __init__(
        self,
        node: Node,
        robot: Callable[[], messages.MoveItRobot | None],
        frequency: float,
        group: callback_groups.CallbackGroup,
    ) -> None:
        self._robot_now = robot
        self._lock = threading.Lock()
        self._shown: tuple[messages.MoveItRobot, Scene] | None = None
        self._configuration = np.zeros(0)
        self._publisher = node.create_publisher(PlanningScene, "monitored_planning_scene", 100)
        if frequency > 0.0:
            node.create_timer(1.0 / frequency, self._show_state, callback_group=group)

    def has(self, robot: messages.MoveItRobot, scene: Scene) -> bool:
        """Return whether this scene of this robot is the last one shown."""
        shown = self._shown
        return shown is not None and shown[0] is robot and shown[1] is scene

    def show(self, robot: messages.MoveItRobot, scene: Scene, prefix: str) -> None:
        """Publish the difference to the last scene, or the whole scene for a new robot."""
        with self._lock:
            self._configuration = robot.state.configuration
            if self._shown is None or self._shown[0] is not robot:
                message = messages.scene_reply(scene, robot, prefix, 0)
            else:
                message = messages.scene_difference(self._shown[1], scene, robot, prefix)
            self._shown = robot, scene
            self._publisher.publish(message)

    def _show_state(self) -> None:
        robot = self._robot_now()
        if robot is None or not self._publisher.get_subscription_count():
            return
        with self._lock:
            configuration = robot.state.configuration
            if self._shown is None or np.array_equal(configuration, self._configuration):
                return
            self._configuration = configuration
            self._publisher.publish(messages.state_difference(robot))
