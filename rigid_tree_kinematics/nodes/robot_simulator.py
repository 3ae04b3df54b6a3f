"""Node: a simulated robot with the interface of a robot driver.

Publishes ``joint_states`` and executes joint trajectories.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rigid_tree_interfaces.srv import SetState, StepSimulation
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import with_valid_inertias
from rigid_tree_kinematics.errors import ModelError, RigidTreeError, UnknownNameError
from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.model.joints import followers, parallel_grippers
from rigid_tree_kinematics.nodes import simulator
from rigid_tree_kinematics.nodes.common import requests
from rigid_tree_kinematics.nodes.common.process import (
    Ticker,
    given_parameters,
    on_parameter_change,
    run_node,
    wait_until,
)
from rigid_tree_kinematics.nodes.common.robot import (
    SOURCE_PARAMETERS,
    RobotDescription,
    RobotSource,
)
from rigid_tree_kinematics.nodes.simulator import SimulatorSettings
from rigid_tree_kinematics.text import told_apart

NAME = "robot_simulator"
INITIAL = "initial_positions"  # prefix of parameters
BROADCASTER = ("joint_state_broadcaster", "joint_state_broadcaster/JointStateBroadcaster")
STEP = 0.01  # s, of a step without a duration
LONGEST_STEP = 60.0  # s
REPLACED = "another robot has replaced this one"
LAST_RESULTS = 0.2  # s within which the results of a gripper's ended goals are sent


@dataclass(frozen=True, eq=False)
class _Simulated:
    """A robot, its joint states and its grippers."""

    driven: DrivenRobot
    start: Array | None  # by the SRDF; None: home
    layout: simulator.StateLayout
    grippers: tuple[str, ...]  # the joints that move them


class RobotSimulator(simulator.SimulatorNode):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        given = given_parameters(NAME)
        super().__init__(NAME)
        self._simulated: _Simulated | None = None
        self._ticker: Ticker | None = None
        parts = (name.partition(".") for name in given)
        self._initial_joints = [joint for prefix, _, joint in parts if prefix == INITIAL]
        self._trajectories: list[simulator.TrajectoryServer] = []
        self._grippers: list[simulator.GripperServer] = []
        self._source: RobotSource[_Simulated] = RobotSource(
            self, self._make_robot, self._use, changeable=False
        )
        self.settings = SimulatorSettings.declare(self)
        self._given = {name: self._given_joints(name) for name in self.settings.controllers}
        for _, _, names in simulator.gripper_kinds(self.settings):  # the first joint moves it
            self._given |= {name: self._given_joints(name)[:1] for name in names}
        self._initial = requests.JointParameters(self, INITIAL, "Initial position of {}")
        self._paused = self.settings.paused
        self._simulation_clock = simulator.SimulationClock(self.settings.rate)
        self._states = self.create_publisher(JointState, "joint_states", 10)
        self._clock_topic = (
            self.create_publisher(ClockMessage, "/clock", 10)
            if self.settings.publish_clock
            else None
        )
        self._source.begin()
        self._trajectories = [
            simulator.TrajectoryServer(self, name, partial(self._joints_of, name))
            for name in self.settings.controllers
        ]
        self._broadcaster = simulator.SimulatedController(
            *BROADCASTER, self.moved_joints, commands=False
        )
        simulator.ControllerManager(self, self._controllers)
        self.create_service(Trigger, "~/reset", self._on_reset)
        self.create_service(SetBool, "~/pause", self._on_pause)
        self.create_service(StepSimulation, "~/step", self._on_step)
        self.create_service(SetState, "~/set_state", self._on_set_state)
        on_parameter_change(self, self._check, self._apply)
        self._ticker = Ticker(self, 1.0 / self.settings.rate, self._tick)
        self._ticker.start()

    def destroy_node(self) -> None:
        """Also end active trajectories."""
        if self._ticker is not None:  # None if the start failed
            self._ticker.stop()
        for server in self._servers:
            server.destroy()
        super().destroy_node()

    @property
    def robot(self) -> DrivenRobot | None:
        """The robot; None until its description comes."""
        return None if self._simulated is None else self._simulated.driven

    def present_robot(self) -> DrivenRobot:
        """Return the robot. Raises NoRobotError if there is none."""
        return self._present().driven

    def _present(self) -> _Simulated:
        if self._simulated is None:
            raise self._source.no_robot()
        return self._simulated

    def _make_robot(self, description: RobotDescription) -> _Simulated:
        """Return the robot. Raises ModelError if it lacks a joint, or cannot move in this mode."""
        settings, tree = self.settings, description.tree
        compiled, remark = with_valid_inertias(tree)
        if remark:
            self.get_logger().warning(remark)
        known = simulator.moved_joints_of(compiled)
        for controller, names in self._given.items():
            where = f"parameter {controller}.joints: robot '{tree.name}'"
            for joint in names:
                if joint not in known:
                    raise UnknownNameError("independent joint", joint, known, where)
        # Later robots can have other joints.
        for joint in self._initial_joints if self.robot is None else ():
            if joint not in compiled.position_names:
                where = f"parameter {INITIAL}: robot '{tree.name}'"
                raise UnknownNameError("joint", joint, compiled.position_names, where)
        driven = DrivenRobot(
            compiled, None, settings.mode, settings.controller, settings.bandwidth
        )
        driven.jerk_limit = settings.jerk_limit
        start = None
        if settings.srdf:
            start, note = simulator.initial_configuration(
                tree, settings.srdf, settings.initial_state
            )
            self.get_logger().info(f"robot '{tree.name}' {note}")
        layout = simulator.StateLayout(compiled, followers(tree.joints, tree.name))
        return _Simulated(driven, start, layout, parallel_grippers(tree.joints, tree.name))

    def _use(self, made: _Simulated) -> None:
        """Simulate a robot instead of the previous one."""
        robot = made.driven
        self._initial.declare(robot.compiled, made.start)
        robot.set_initial(self._initial.configuration())
        robot.reset()
        with self.lock:
            if self.robot is not None:
                self.robot.stop(REPLACED)
                robot.time = self.robot.time  # time does not jump back
            left, self._grippers = self._grippers, []
            for server in left:
                server.unload(REPLACED)
            self._simulated = made
        if left and self.executor is not None:
            self.executor.create_task(self._replace_grippers, left, made)
        else:
            self._create_grippers(made.grippers)
        paused = ", paused" if self._paused else ""
        self.get_logger().info(
            f"simulating robot '{robot.compiled.name}': mode {self.settings.mode}, "
            f"{self.settings.rate:g} Hz{paused}"
        )

    async def _replace_grippers(
        self, left: Sequence[simulator.GripperServer], made: _Simulated
    ) -> None:
        """Destroy the actions of the previous robot after their results, and advertise others."""
        await wait_until(self, lambda: False, LAST_RESULTS)
        for server in left:
            server.destroy()
        if self._simulated is made:
            self._create_grippers(made.grippers)

    def _create_grippers(self, joints: Sequence[str]) -> None:
        """Advertise the actions of gripper controllers for each joint that moves a gripper."""
        made: list[simulator.GripperServer] = []
        for kind, usual, others in simulator.gripper_kinds(self.settings):
            names = [usual, *(f"{usual}_{joint}" for joint in joints[1:])]
            moved = dict(zip(names, joints, strict=False))  # none without joints
            for number, name in enumerate(others):
                if name and self._given[name]:
                    moved[name] = self._given[name][0]
                elif name and number < len(joints):
                    moved[name] = joints[number]
            made += [
                simulator.GripperServer(self, name, joint, kind) for name, joint in moved.items()
            ]
        with self.lock:
            self._grippers = made

    def _given_joints(self, controller: str) -> tuple[str, ...]:
        """Declare the parameter with a controller's joints; return its value."""
        if not controller:
            return ()
        descriptor = ParameterDescriptor(
            description="Joints of the controller. Empty: all.", read_only=True
        )
        given: Any = self.declare_parameter(f"{controller}.joints", [""], descriptor).value
        return tuple(joint for joint in given or () if joint)

    def _joints_of(self, controller: str) -> tuple[str, ...]:
        """Return a controller's joints."""
        return self._given[controller] or self.moved_joints()

    def _controllers(self) -> list[simulator.SimulatedController]:
        """Return the controllers that controller_manager has."""
        servers = [server.controller for server in self._servers]
        return [self._broadcaster, *(controller for controller in servers if controller.name)]

    @property
    def _servers(self) -> list[simulator.TrajectoryServer | simulator.GripperServer]:
        return [*self._trajectories, *self._grippers]

    def now(self) -> float:
        """Return the time for messages, s: simulated time if it is published on /clock."""
        if self._clock_topic is not None:
            return self.robot.time if self.robot is not None else 0.0
        return requests.now_by(self.get_clock()) * 1e-9

    def _tick(self) -> None:
        """Advance the simulation to the current time, and publish the state."""
        with self.lock:
            due = self._simulation_clock.due(self.settings.real_time_factor, self._paused)
            simulated = self._simulated
            if simulated is None:
                return
            if due:
                self._advance(due)
                if warning := self._simulation_clock.warning():
                    self.get_logger().warning(warning)
            for server in self._servers:
                server.update()
            stamp = requests.time_of(self.now())
            if self._clock_topic is not None:
                self._clock_topic.publish(ClockMessage(clock=stamp))
            if self._broadcaster.is_active:
                self._states.publish(simulated.layout.message(simulated.driven, stamp))

    def _advance(self, seconds: float) -> str:
        """Advance the simulation; return an error message if it failed and is now paused."""
        robot = self.present_robot()
        try:
            robot.advance(seconds)
        except ModelError as error:
            self._paused = True
            self.get_logger().error(f"{error}; paused")
            return str(error)
        return ""

    def _on_reset(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            with self.lock:
                self.present_robot().reset()
            response.success, response.message = True, "the robot is back in its initial state"
        except RigidTreeError as error:
            response.message = str(error)
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._paused = request.data
        response.success = True
        response.message = "paused" if self._paused else "running"
        return response

    def _on_step(
        self, request: StepSimulation.Request, response: StepSimulation.Response
    ) -> StepSimulation.Response:
        duration = requests.seconds_of(request.duration) or STEP
        with requests.errors_in_reply(self, response), self.lock:
            robot = self.present_robot()
            if not self._paused:
                requests.reject(response, "NOT_PAUSED", "the simulation is not paused")
            elif not 0.0 < duration <= LONGEST_STEP:
                given, most = told_apart(duration, LONGEST_STEP)
                reason = f"a step of {given} s is not between 0 and {most} s"
                requests.reject(response, "INVALID_REQUEST", reason)
            elif trouble := self._advance(duration):
                requests.reject(response, "DIVERGED", trouble)
            else:
                response.success = True
                response.message = f"advanced by {duration:g} s"
            response.time = requests.time_of(robot.time)
        return response

    def _on_set_state(
        self, request: SetState.Request, response: SetState.Response
    ) -> SetState.Response:
        with requests.errors_in_reply(self, response), self.lock:
            simulated = self._present()
            positions, velocities = simulated.layout.state(request.state, simulated.driven.q)
            simulated.driven.set_state(positions, velocities)
            response.success = True
            response.message = "the state was set"
        return response

    def _check(self, changed: Mapping[str, Any]) -> None:
        settings = self.settings.changed(changed)
        if self.robot is not None:
            self.robot.check_mode(settings.mode)
            self._initial.check(changed)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        with self.lock:
            before, self.settings = self.settings, self.settings.changed(changed)
            settings, robot = self.settings, self.robot
            if settings.rate != before.rate:
                self._simulation_clock = simulator.SimulationClock(settings.rate)
                assert self._ticker is not None  # parameters change after the start
                self._ticker.period = 1.0 / settings.rate
            if robot is None:
                return
            robot.set_controller(settings.controller, settings.bandwidth)
            robot.jerk_limit = settings.jerk_limit
            if settings.mode != before.mode:
                robot.set_mode(settings.mode)
            if self._initial.apply(changed):
                robot.set_initial(self._initial.configuration())


PARAMETERS = (SimulatorSettings, SOURCE_PARAMETERS)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, RobotSimulator, PARAMETERS)
