"""The node servo_node."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import moveit_msgs.msg
import moveit_msgs.srv
import numpy as np
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from std_msgs.msg import Int8
from std_srvs.srv import SetBool, Trigger

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.base import RobotDescription, RobotServer, Ticker
from rigid_tree_kinematics.nodes.planning import PlannerSettings
from rigid_tree_kinematics.nodes.tf import LATEST, RobotInTf, TargetFrames
from rigid_tree_kinematics.servo import Servo, ServoStatus, ServoStep
from rigid_tree_moveit.move_group.robot import BaseFrames, Given, MoveItRobot
from rigid_tree_moveit.servo.commands import KINDS, Command, JogCommand, Output
from rigid_tree_moveit.servo.parameters import PREFIX, ServoParameters
from rigid_tree_moveit.servo.scene import FollowedScene

NAME = "servo_node"
HUMBLES_MARGIN = f"{PREFIX}joint_limit_margin"  # one for all joints
WARNING_PERIOD = 5.0  # s between two warnings of one kind
RESTING_PERIOD = 0.1  # s between two statuses at rest
STEADY_ERROR = 0.02  # rad or m, of a controller
BEHIND, BEHIND_TIME = 0.1, 0.3  # rad or m, and s at the present speed, of allowed lag
# Humble has neither of these types.
StatusMessage = getattr(moveit_msgs.msg, "ServoStatus", None)
CommandTypeService = getattr(moveit_msgs.srv, "ServoCommandType", None)


class ServoNode(RobotServer[MoveItRobot]):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    thread_count = 2

    def __init__(self) -> None:
        super().__init__(NAME)
        self._moveit = Given(self, self.given)
        margin = self._moveit.number(HUMBLES_MARGIN)
        defaults = {} if margin is None else {f"{HUMBLES_MARGIN}s": [margin]}
        self._set_parameters(ServoParameters.declare(self, defaults))
        self._lock = threading.RLock()
        self._servo: Servo | None = None
        self._kind: type[Command] | None = None  # None: any
        self._command: Command | None = None
        self._works = threading.Event()  # cleared at rest without commands
        self._paused = False
        self._leads = False  # whether the robot is where the servo has moved it to
        self._ticks = 0
        self._status = ServoStatus.NO_WARNING
        self._frames = TargetFrames(self)
        self._scene = FollowedScene(
            self,
            lambda: self.present_robot,
            lambda robot: BaseFrames(self._frames, robot, self.parameters.frame_prefix),
            self._take_scene,
        )
        self._output = Output(self, self.parameters)
        status = StatusMessage or Int8
        self._status_topic = self.create_publisher(status, self.parameters.status_topic, 10)
        group = MutuallyExclusiveCallbackGroup()  # so that commands do not wait for services
        for made, parameter, kind in KINDS:
            topic = getattr(self.parameters, parameter)
            self.create_subscription(
                kind, topic, partial(self._on_command, made), 10, callback_group=group
            )
        self.begin()
        self.create_service(SetBool, "~/pause_servo", self._on_pause)
        if CommandTypeService is not None:
            self.create_service(CommandTypeService, "~/switch_command_type", self._on_switch)
        # The names in Humble.
        for name, paused in (("~/start_servo", False), ("~/stop_servo", True)):
            self.create_service(Trigger, name, self._starter(paused))
        self._frames.listen()  # steps do not wait for TF
        self._ticker = Ticker(
            self, self.parameters.publish_period, self._tick, self._works, RESTING_PERIOD
        )
        self._ticker.start()

    def destroy_node(self) -> None:
        """Stop the node's own threads too."""
        if hasattr(self, "_ticker"):  # absent if the start failed
            self._ticker.stop()
        super().destroy_node()

    # -- commands --------------------------------------------------------------------------------

    def _on_command(self, made: type[Command], message: Any) -> None:
        if self._kind not in (None, made):
            kind = type(message).__name__
            self._warn(f"a {kind}, but ~/switch_command_type chose another type")
            return
        stamp = message.header.stamp
        if problem := self._frames.stamp_check.problem(stamp.sec * 10**9 + stamp.nanosec):
            self._warn(f"ignored a {type(message).__name__}: {problem}")
            return
        command = made(message, self._now())
        timeout = self.parameters.incoming_command_timeout
        if not command.is_fresh(command.arrival, timeout):
            age = command.arrival - (stamp.sec + 1e-9 * stamp.nanosec)
            self._warn(
                f"a {type(message).__name__} had expired when it arrived: its stamp is "
                f"{age:.3g} s old, incoming_command_timeout is {timeout:g} s"
            )
        with self._lock:
            self._command = command
        self._works.set()

    def _now(self) -> float:
        return self.get_clock().now().nanoseconds * 1e-9

    def _on_switch(self, request: Any, response: Any) -> Any:
        number = request.command_type
        response.success = 0 <= number < len(KINDS)
        if not response.success:
            self._warn(f"command_type must be from 0 to {len(KINDS) - 1}, not {number}")
        elif self._kind is not KINDS[number][0]:
            with self._lock:
                self._kind, self._command = KINDS[number][0], None
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        with self._lock:
            response.success = True
            response.message = "Servoing disabled" if request.data else "Servoing enabled"
            self._paused, self._command = request.data, None
        return response

    def _starter(self, paused: bool) -> Any:
        def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            reply = self._on_pause(SetBool.Request(data=paused), SetBool.Response())
            response.success, response.message = reply.success, reply.message
            return response

        return answer

    # -- steps -----------------------------------------------------------------------------------

    def _tick(self) -> None:
        with self._lock:
            servo, robot = self._servo, self.robot
            if servo is None or robot is None:
                return
            moved = servo.moves
            step = self._step(servo, robot)
            if step.moves or moved:
                self._output.publish(servo, step)
            self._publish_status(step)
            if self._works.is_set() and not (moved or servo.moves):
                self._works.clear()
                if self._command is not None:  # it has arrived meanwhile
                    self._works.set()

    def _step(self, servo: Servo, robot: MoveItRobot) -> ServoStep:
        """Return the step for the current command, or a halt without one."""
        command = None if self._paused else self._command
        if command is not None and not command.is_fresh(
            self._now(), self.parameters.incoming_command_timeout
        ):
            self._command = command = None
        if command is None and not servo.moves:
            self._leads = False
            return servo.halt()
        try:
            self._keep_up(servo, robot)
            if command is None:
                return servo.halt()
            settings = self._settings[isinstance(command, JogCommand)]
            if servo.settings is not settings:
                servo.settings = settings
            return command.step(servo, self.parameters, lambda frame: self._frame(frame, robot))
        except RigidTreeError as error:
            self._command = None
            return replace(servo.halt(), status=ServoStatus.INVALID, message=str(error))

    def _keep_up(self, servo: Servo, robot: MoveItRobot) -> None:
        """Update position and distances; raises ConfigurationError if the robot lags."""
        rate = self.parameters.collision_check_rate * self.parameters.publish_period
        every = max(1, round(1.0 / rate))
        self._ticks += 1
        if self._leads and self._ticks % every:
            return
        if not self._leads and not robot.state.is_known:
            topic = self.resolve_topic_name("joint_states")
            raise ConfigurationError(f"no joint states on {topic} yet")
        measured = robot.state.configuration
        servo.update_other_joints(measured)
        off = np.abs(servo.configuration - measured)
        if not self._leads and off.max() > STEADY_ERROR:
            servo.reset(measured)
        self._leads = True
        if off.max() > BEHIND + BEHIND_TIME * np.abs(servo.velocities).max() and servo.moves:
            servo.reset(measured)
            raise ConfigurationError(
                f"the robot does not follow: no driver moves it by "
                f"{self.resolve_topic_name(self.parameters.command_out_topic)}, or it is too slow"
            )
        servo.update_distances()

    def _frame(self, frame: str, robot: MoveItRobot) -> Array:
        """Return T_base_frame; the robot's own frames follow from the servo's positions."""
        in_tf = RobotInTf(robot, self.parameters.frame_prefix)
        link = in_tf.body_of(frame)
        if frame == "":
            return np.eye(4)
        if link is not None and self._servo is not None:
            return body_transform(robot.tree, self._servo.configuration, link)
        root = in_tf.root
        if frame in robot.semantics.world_frames and not self._frames.knows(root, frame):
            return np.eye(4)
        return self._frames.lookup(root, frame, LATEST)

    def _publish_status(self, step: ServoStep) -> None:
        """Publish the status, and log its changes."""
        code = int(step.status)
        self._status_topic.publish(
            StatusMessage(code=code, message=step.message) if StatusMessage else Int8(data=code)
        )
        if step.status is not self._status:
            self._status = step.status
            if step.status is not ServoStatus.NO_WARNING:
                self._warn(step.message)

    def _warn(self, text: str) -> None:
        self.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)

    # -- the scene, the robot and the parameters -------------------------------------------------

    def _take_scene(self) -> None:
        """Use the current scene."""
        robot, servo = self.robot, self._servo
        if robot is None or servo is None:
            return
        checks = self.parameters.check_collisions
        servo.checker = robot.checkers.checker(self._scene.scene) if checks else None

    def make_robot(self, description: RobotDescription) -> MoveItRobot:
        """Return the robot with its groups and collision shapes."""
        settings = PlannerSettings(srdf=self.parameters.srdf, padding=self.parameters.padding)
        limits = self._moveit.joint_limits(description.tree)
        robot = MoveItRobot(limits.applied(description), settings)
        robot.servo_limits = limits.acceleration, limits.jerk
        self._made_servo(robot, self.parameters)
        return robot

    def _made_servo(self, robot: MoveItRobot, parameters: ServoParameters) -> Servo:
        """Return the servo of a robot's group; raises a RigidTreeError."""
        group = robot.group(parameters.active_subgroup or self._group(robot).name)
        tip = robot.link("", group)
        settings, limits = parameters.servo_settings(), robot.servo_limits
        return Servo(robot.tree, group.joints, tip, settings, None, *limits)

    def _group(self, robot: MoveItRobot) -> Group:
        name = self.parameters.move_group_name
        if name:
            return robot.group(name)
        tipped = [group for group in robot.semantics.groups.values() if group.tip]
        if not tipped:
            raise ConfigurationError(f"no group has a tip: set {PREFIX}move_group_name")
        return max(tipped, key=lambda group: len(group.joints))

    def robot_taken(self, robot: MoveItRobot) -> None:
        """Servo this robot from now on, starting at rest."""
        self._scene.fit(robot.tree)
        servo = self._made_servo(robot, self.parameters)
        servo.checker = robot.checkers.checker(self._scene.scene)
        with self._lock:
            self._servo, self._command, self._leads = servo, None, False
            joints = tuple(dict.fromkeys([*self._group(robot).joints, *servo.joints]))
            self._output.lead(servo, joints)
        self._take_scene()
        self.get_logger().info(
            f"servoing '{servo.tip}' by {', '.join(servo.joints)}, at "
            f"{1.0 / self.parameters.publish_period:g} Hz"
        )

    def _set_parameters(self, parameters: ServoParameters) -> None:
        self.parameters = parameters
        # For twists and poses, and for joint jogs.
        self._settings = tuple(parameters.servo_settings(jogs) for jogs in (False, True))

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        parameters = self.parameters.changed(changed)
        if self.robot is not None:
            self._made_servo(self.robot, parameters)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings; another group starts at rest."""
        before = self.parameters
        self._set_parameters(before.changed(changed))
        if self.parameters.active_subgroup != before.active_subgroup and self.robot is not None:
            self.robot_taken(self.robot)
        self._take_scene()
