"""The simulated robot, with a cycle of 20 ms."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rigid_tree_nao import model as nao
from rigid_tree_nao.errors import NaoError
from rigid_tree_nao.simulated.robot.curves import Curve, smooth_curve
from rigid_tree_nao.simulated.robot.drives import JointDrives
from rigid_tree_nao.simulated.robot.tasks import Step, Task, TaskBoard
from rigid_tree_nao.simulated.robot.walk import Walk

CYCLE = 0.02  # s
LONGEST_BACKLOG = 0.5  # s that is made up for, for instance after the process was suspended
WALK = "walk"  # resource of walking, in addition to the joints
WAKING_SECONDS = 0.6  # s, to change the stiffness of the motors
SLOWEST = 1e-6  # fraction of the maximum speed; the time for a lower one overflows
ARRIVED = 0.02  # rad: coupled limits may keep a joint from the posture's angle


class SimulatedRobot:
    """NAO's state and motion. Hold ``lock`` to use them; set ``called`` after changes.

    While nothing moves, the cycles wait for ``called``.
    """

    def __init__(self, version: str = "V6", body_type: str = "H25") -> None:
        self.lock = threading.RLock()
        self.called = threading.Event()
        self.model = nao.NaoMotionModel(version, body_type)
        self.body = self.model.body
        self.drives = JointDrives(self.model)
        self.board = TaskBoard()
        self.walk = Walk(self.model)
        self.is_lifted = False  # by a person: no foot is on the ground
        # Set by ALMemory: they take an event with its value, and follow each cycle.
        self.raise_event: Callable[[str, Any], None] = lambda name, value: None
        self.on_cycle: Callable[[], None] = lambda: None
        crouch = nao.posture_angles(self.body, "Crouch")
        self.model.set_angles(list(crouch), list(crouch.values()))
        self.model.place_robot(0.0, 0.0, 0.0)

    def start(self) -> None:
        """Run the cycle in real time, in its own thread."""
        threading.Thread(target=self._live, name="cycle", daemon=True).start()

    def step(self) -> None:
        """Run one cycle (CYCLE)."""
        with self.lock:
            self.board.step(CYCLE)
            held = self.board.held()
            self.drives.step(CYCLE, held)
            if not self.can_walk and np.any(self.walk.target):
                self.walk.stop()
                self.report_failed_move(any(self.model.velocity))
            if WALK not in held:
                self.walk.step(CYCLE)
            self.model.update_stance()
            self.on_cycle()

    def _live(self) -> None:
        due = time.monotonic()
        while True:
            if self.is_at_rest:
                self.called.wait()
                due = time.monotonic()
            due = max(due + CYCLE, time.monotonic() - LONGEST_BACKLOG)
            time.sleep(max(due - time.monotonic(), 0.0))
            self.called.clear()
            self.step()

    def report_failed_move(self, has_begun: bool) -> None:
        """Raise the event of a walk that ends because the robot cannot walk, see ``can_walk``."""
        # Cause, whether the robot had begun to move, and the place of the obstacle.
        self.raise_event("ALMotion/MoveFailed", ["Internal stop", int(has_begun), None])

    def task(self, name: str, resources: Collection[str], begin: Callable[[], Step]) -> Task:
        """Add a task; for the arguments see Task."""
        with self.lock:
            return self.board.add(Task(name, nao.with_both_hips(resources), begin))

    def follow(
        self,
        name: str,
        joints: Collection[str],
        make: Callable[[], tuple[Mapping[str, Curve], float]],
    ) -> Task:
        """Add a task that commands joints along curves.

        When it starts, ``make`` returns joint -> curve (s -> rad), and the curves' duration (s).
        """

        def begin() -> Step:
            curves, seconds = make()
            self.drives.remove(set(curves))

            def step(at: float) -> bool:
                self.command({joint: curve(at) for joint, curve in curves.items()})
                return at >= seconds

            return step

        return self.task(name, joints, begin)

    def command(self, angles: Mapping[str, float]) -> None:
        """Set commands (joint -> rad) immediately, clamped; NaoError if one is not finite."""
        wanted = nao.couple_hips(self.body, dict(angles))
        nao.finite_numbers(list(wanted.values()))
        inside, _ = nao.clamped(self.body, wanted, self.model.commands)
        self.model.commands[self.body.places(inside)] = list(inside.values())

    def go_to(
        self, name: str, angles: Mapping[str, float], fraction: float, also: Collection[str] = ()
    ) -> Task:
        """Add a task that moves joints (to rad) so that all arrive at the same time.

        ``fraction`` is of the maximum speed of the joint that takes longest; NaoError outside
        [SLOWEST, 1]. ``also`` names resources in addition to the joints.
        """
        self.seconds_to(angles, fraction)  # raises NaoError before the task is added
        places = self.body.places(angles)

        def make() -> tuple[Mapping[str, Curve], float]:
            starts = self.model.commands[places]
            seconds = self.seconds_to(angles, fraction)
            curves = {
                joint: smooth_curve(float(start), [angle], [seconds])
                for (joint, angle), start in zip(angles.items(), starts, strict=True)
            }
            return curves, seconds

        return self.follow(name, {*angles, *also}, make)

    def seconds_to(self, angles: Mapping[str, float], fraction: float) -> float:
        """Return the time (s) to angles (rad) at a fraction of the maximum speed; see go_to."""
        if not SLOWEST <= fraction <= 1.0:
            raise NaoError(
                f"the fraction of the maximum speed must be in [{SLOWEST:g}, 1], not {fraction}"
            )
        places = self.body.places(angles)
        distances = np.abs(np.array(list(angles.values())) - self.model.commands[places])
        # The cubic curve is 1.5 times as fast in the middle as on average.
        slowest = np.max(1.5 * distances / (fraction * self.body.velocity[places]))
        return max(float(slowest), CYCLE)

    def go_to_posture(
        self,
        name: str,
        posture: str,
        fraction: float,
        *also: str,
        chains: Sequence[str] = ("Body",),
    ) -> Task:
        """Add a task that moves chains to a posture; its result is whether they reached it.

        ``also`` names resources in addition to the joints. Raises NaoError as ``go_to`` does.
        """
        whole = nao.posture_angles(self.body, posture)
        angles = {joint: whole[joint] for joint in self.body.joints(chains)}
        task = self.go_to(name, angles, fraction, also)
        places, wanted = self.body.places(angles), list(angles.values())
        task.outcome = lambda: (
            task.is_complete
            and self.is_awake
            and bool(np.allclose(self.model.commands[places], wanted, atol=ARRIVED))
        )
        return task

    def soften(self, name: str, stiffness: float, joints: Collection[str] = ()) -> Task:
        """Add a task that changes the stiffness (0 to 1) of joints, by default of all."""
        joints = joints or self.body.joint_names
        places = self.body.places(joints)

        def begin() -> Step:
            start = self.model.stiffnesses[places]

            def step(at: float) -> bool:
                part = min(at / WAKING_SECONDS, 1.0)
                self.model.stiffnesses[places] = start + part * (stiffness - start)
                return part >= 1.0

            return step

        return self.task(name, stiffness_of(joints), begin)

    @property
    def is_at_rest(self) -> bool:
        """Whether the next cycles change nothing."""
        return not (self.drives.are_moving or self.walk.is_active or self.board.listed())

    @property
    def posture(self) -> str:
        """The posture nearest to the sensed angles, or "Unknown"."""
        return nao.posture_at(self.body, self.model.sensors)

    @property
    def family(self) -> str:
        """The family of the posture, or "Unknown"; head and arms are ignored."""
        legs = self.body.joints(nao.FEET)
        return nao.FAMILIES.get(nao.posture_at(self.body, self.model.sensors, legs), "Unknown")

    @property
    def can_walk(self) -> bool:
        """Whether the robot is not lifted, and every joint of the legs has stiffness."""
        legs = self.body.places(self.body.joints(nao.FEET))
        return not self.is_lifted and bool(np.all(self.model.stiffnesses[legs] > 0.0))

    @property
    def is_awake(self) -> bool:
        """Whether all joints have stiffness."""
        return bool(np.all(self.model.stiffnesses > 0.0))


def stiffness_of(joints: Iterable[str]) -> set[str]:
    """Return the resources of changing the stiffness of joints."""
    return {f"stiffness of {joint}" for joint in joints}
