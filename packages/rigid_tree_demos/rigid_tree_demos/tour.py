"""Node: a guided tour of the package, with a line of text for each step.

Frames, inverse kinematics, planning around obstacles, execution, a waving NAO, a falling double
pendulum, and a box carried for a client of MoveIt. It prints a summary of the results.
demo.launch.py starts the robots.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.client import Client
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import SolveIK
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description import load_robot
from rigid_tree_kinematics.model.transforms import inverse, rotation_log, transform_from_xyz_rpy
from rigid_tree_kinematics.nodes.base import (
    LATCHED,
    FrameTable,
    MotionNode,
    Parameters,
    TaskError,
    parameter,
    pose_message,
    run_node,
)

NAME = "tour"
TIMEOUT = 60.0  # s, of each step
SLOW = 0.3  # fraction of the velocity limits; the motion lasts long enough to count frames
NAO_TIMEOUT = 20.0  # s
ENDING = 10.0  # s, for a program to exit
FALL = 5.0  # s of the pendulum
AT_GOAL = 1e-6  # rad; simulated motions end at their goals
# Poses of the robots in the frame world: x, y, z, yaw.
PLACES = {
    "panda/panda_link0": (0.0, 0.0, 0.0, 0.0),
    "nao/odom": (-0.15, -1.05, 0.0, 0.0),
    "nao/base_link": (-0.15, -1.05, 0.33, 0.0),  # at the height of a real NAO's
    "pendulum/A": (-0.8, -0.15, 1.2, 0.0),
    "panda_link0": (0.0, 1.5, 0.0, 0.0),  # of the Panda with the box
}
TIP = "panda/panda_link8"
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
BESIDE = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]  # the pillars of scenes/panda_pillars.yaml
BEYOND = [-1.0, *BESIDE[1:]]
POSE = (0.45, 0.35, 0.65), (3.141592653589793, 0.0, 0.0)  # m, rad, of the flange


def at_most(error: float, unit: str) -> str:
    """Return an upper bound of an error for a reader, to three decimals."""
    return f"{max(1, math.ceil(1e3 * error)) / 1e3:.3f} {unit}"


@dataclass(frozen=True)
class TourSettings(Parameters):
    """The node's parameters."""

    once: bool = parameter(False, "Exit after the tour.")
    nao: bool = parameter(True, "Whether a nao_bridge is running.")
    pick_and_place: str = parameter(
        "", "Path of the pymoveit2 script that carries a box. Empty: skip the step."
    )
    pause: float = parameter(5.0, "Time between steps.", low=0.0, high=60.0, unit="s")


class Tour(MotionNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME, "panda")
        self._settings = TourSettings.declare(self)
        self._frames = FrameTable(self)
        self._caption = self.create_publisher(String, "caption", LATCHED)
        self._shown_robot = self.create_publisher(String, "shown_robot", LATCHED)
        self._places = self.create_publisher(TFMessage, "/tf_static", LATCHED)
        self._freeze: Client[Any, Any] = self.create_client(
            SetBool, "pendulum/robot_simulator/pause"
        )
        self._ik: Client[Any, Any] = self.create_client(SolveIK, "panda/inverse_kinematics")
        self._states: dict[str, JointState] = {}  # the last one of each robot
        self._fall: list[JointState] | None = None  # states of the pendulum during its step
        self._planned = PlanReply()  # by the step before the execution
        for robot in ("panda", "pendulum"):
            topic = f"{robot}/joint_states"
            self.create_subscription(JointState, topic, partial(self._on_state, robot), 10)
        self._program: subprocess.Popen[bytes] | None = None
        self._figures: list[str] = []
        self._start_time = time.monotonic()

    def _on_state(self, robot: str, message: JointState) -> None:
        self._states[robot] = message
        if robot == "pendulum" and self._fall is not None:
            self._fall.append(message)

    def destroy_node(self) -> None:
        """Stop the started program, too."""
        self._end_program()
        super().destroy_node()

    async def play(self) -> None:
        """Perform all steps."""
        self.set_timeout(TIMEOUT)
        self._place_robots()
        self._say("Waiting for the robots ...")
        await self.until(lambda: len(self._states) == 2, "no joint states from both robots")
        await self.until(lambda: all(self.motion.available.values()), "the Panda lacks nodes")
        steps: list[tuple[str, str, Callable[[], Awaitable[str]]]] = [
            ("", "Frames: joint states become TF, for all robots", self._show_frames),
            ("panda", "Inverse kinematics: joint positions for a pose of the flange", self._solve),
            ("panda", "Planning: to the other side of two pillars", self._plan_around),
            ("panda", "Execution: the driver follows the trajectory", self._execute_plan),
        ]
        if self._settings.nao:
            steps.append(("nao", "NAO: wakes up and waves, with ALMotion's API", self._wave))
        falling = "Dynamics: a double pendulum falls from 30 degrees"
        steps.append(("pendulum", falling, self._let_fall))
        if self._settings.pick_and_place:
            steps.append(("carrier", "MoveIt: its client pymoveit2 carries a box", self._carry))
        for number, (robot, title, step) in enumerate(steps, start=1):
            self.set_timeout(TIMEOUT)
            self._shown_robot.publish(String(data=robot))
            self._say(f"{number}/{len(steps)}  {title}")
            figure = await step()
            self._figures.append(f"{title.split(':')[0]}: {figure}")
            self._say(f"{number}/{len(steps)}  {title}: {figure}")
            await self.sleep(self._settings.pause)
        self._shown_robot.publish(String())
        self._print_summary()
        if not self._settings.once:
            self._say(
                "Now you can move the robots with the sliders, targets and postures in the panel."
            )
            await Future()  # until Ctrl-C

    def _say(self, text: str) -> None:
        """Print a line, and show it on the page."""
        print(f"[tour] {text}", flush=True)
        self._caption.publish(String(data=text))

    def _print_summary(self) -> None:
        seconds = time.monotonic() - self._start_time
        lines = "\n".join(f"  {figure}" for figure in self._figures)
        print(f"[tour] The tour took {seconds:.0f} s:\n{lines}", flush=True)

    def _place_robots(self) -> None:
        """Publish the robots' poses in the world."""
        transforms = []
        # nao_bridge publishes base_link in odom; without it there is no odometry.
        absent = "nao/base_link" if self._settings.nao else "nao/odom"
        for frame, (x, y, z, yaw) in PLACES.items():
            if frame == absent:
                continue
            stamped = TransformStamped(child_frame_id=frame)
            stamped.header.frame_id = "world"
            shift, turn = stamped.transform.translation, stamped.transform.rotation
            shift.x, shift.y, shift.z = x, y, z
            turn.z, turn.w = float(np.sin(0.5 * yaw)), float(np.cos(0.5 * yaw))
            transforms.append(stamped)
        self._places.publish(TFMessage(transforms=transforms))

    # -- the steps -------------------------------------------------------------------------------

    async def _show_frames(self) -> str:
        await self._go(BESIDE, SLOW)
        self._frames.update()
        begin = time.monotonic()
        await self.sleep(1.0)
        moved = self._frames.update()
        rate = sum(self._frames.counts.values()) / (time.monotonic() - begin)
        at = self._frames.pose(TIP, "world")
        if at is None:
            raise TaskError(f"no frame {TIP} in world: is tree_state_publisher running?")
        x, y, z = at[:3, 3]
        return (
            f"{len(moved)} moving frames in {rate:.0f} messages a second; the Panda's flange is "
            f"at ({x:.3f}, {y:.3f}, {z:.3f}) m"
        )

    async def _go(self, goal: Sequence[float], speed: float = 1.0) -> None:
        """Plan and execute a motion of the Panda to joint positions."""
        state = JointState(name=JOINTS, position=list(goal))
        await self.move(PlanRequest(goal_states=[state], velocity_scale=speed), 0)
        await self._arrive(goal)

    async def _arrive(self, goal: Sequence[float]) -> None:
        """Wait for the joint state at a goal, which a busy machine receives late."""

        def is_there() -> bool:
            return bool(np.abs(self._positions() - goal).max() < AT_GOAL)

        await self.until(is_there, "the Panda is not at its goal")

    async def _solve(self) -> str:
        target = transform_from_xyz_rpy(*POSE)
        request = SolveIK.Request(body="panda_link8", target=pose_message(target, ""))
        request.timeout.sec = 1
        reply = await self.call_with_robot(self._ik, request)
        if not reply.success:
            raise TaskError(f"inverse_kinematics: {reply.message}")
        solution = reply.solutions[0]
        goal = dict(zip(solution.name, solution.position, strict=True))
        await self._go([goal[joint] for joint in JOINTS])
        robot = load_robot("panda")
        off = inverse(target) @ robot.get_transform(self._positions(), "panda_link8")
        millimeters = 1e3 * float(np.linalg.norm(off[:3, 3]))
        turn = float(np.linalg.norm(rotation_log(off)))
        return (
            f"found in {1e3 * reply.seconds:.3f} ms; the robot is there within "
            f"{at_most(millimeters, 'mm')} and {at_most(turn, 'rad')}"
        )

    async def _plan_around(self) -> str:
        await self._go(BESIDE)
        goal = JointState(name=JOINTS, position=BEYOND)
        plan = self._planned = await self.plan(PlanRequest(goal_states=[goal]))
        milliseconds = 1e3 * (plan.search_seconds + plan.shorten_seconds)
        return (
            f"a path of {len(plan.path.points)} points in {milliseconds:.2f} ms, "
            f"{plan.checks} checks"
        )

    async def _execute_plan(self) -> str:
        begin = time.monotonic()
        await self.execute(self._planned.trajectory)
        seconds = time.monotonic() - begin
        await self._arrive(BEYOND)
        off = float(np.abs(self._positions() - BEYOND).max())
        goal = f"all joints within {at_most(off, 'rad')} of the goal"
        return f"{seconds:.2f} s, without collisions; {goal}"

    async def _wave(self) -> str:
        """Run nao_demo until it succeeds.

        A process that starts later discovers all of nao_bridge's services reliably.
        """
        begin = time.monotonic()
        program = ["-m", "rigid_tree_demos.nao_demo"]
        settings = ("-p", "once:=true", "-p", f"timeout:={NAO_TIMEOUT}")
        while await self._run_program(program, "nao", *settings) != 0:
            self.check_time("the NAO did not wave; see the message above from nao_demo")
        return f"woke up and waved within {time.monotonic() - begin:.1f} s"

    async def _run_program(self, arguments: list[str], namespace: str, *words: str) -> int:
        """Run Python with arguments and ROS arguments in a namespace; return the exit code."""
        ros = ("--ros-args", "-r", f"__ns:=/{namespace}", *words)
        program = self._program = subprocess.Popen([sys.executable, *arguments, *ros])
        try:
            await self.until(
                lambda: program.poll() is not None, f"{' '.join(arguments)} did not exit"
            )
        finally:
            self._end_program()
        return int(program.returncode)

    def _end_program(self) -> None:
        program, self._program = self._program, None
        if program is None:
            return
        program.terminate()
        try:
            program.wait(ENDING)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    async def _let_fall(self) -> str:
        await self.until(self._freeze.service_is_ready, "no simulated pendulum")
        states: list[JointState] = []
        self._fall = states
        await self.call(self._freeze, SetBool.Request(data=False))
        await self.sleep(FALL)
        self._fall = None
        q = np.array([state.position for state in states])
        v = np.array([state.velocity for state in states])
        tree = load_robot("double_pendulum")
        # Imported here: only this step needs kernels.
        from rigid_tree_kinematics.dynamics import kinetic_energy, potential_energy

        energy = np.asarray(kinetic_energy(tree, q, v)) + potential_energy(tree, q)
        return (
            f"{len(q)} states in {FALL:g} s, joint_B up to {np.abs(v[:, 1]).max():.1f} rad/s; the "
            f"energy changed by at most {at_most(float(np.ptp(energy)), 'J')}"
        )

    async def _carry(self) -> str:
        begin = time.monotonic()
        # pymoveit2 publishes these with absolute names.
        topics = ("collision_object", "attached_collision_object")
        remaps = [word for name in topics for word in ("-r", f"/{name}:=/carrier/{name}")]
        script = [self._settings.pick_and_place, "--once"]
        if await self._run_program(script, "carrier", *remaps) != 0:
            raise TaskError("the box was not carried; see the message above from pick_and_place")
        seconds = time.monotonic() - begin
        return f"around the pillar and set down within {seconds:.1f} s"

    def _positions(self) -> Array:
        """Return the Panda's joint positions."""
        state = self._states["panda"]
        now = dict(zip(state.name, state.position, strict=True))
        return np.array([now[joint] for joint in JOINTS])


PARAMETERS = (TourSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, Tour, PARAMETERS)
